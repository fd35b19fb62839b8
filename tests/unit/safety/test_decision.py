"""The decision table, row by row, against reference.md section 5."""

import itertools

import pytest

from memory_native.failures import CODES, Kind
from memory_native.safety.decision import (
    RULINGS,
    UNRECORDED,
    Allowance,
    Operation,
    Severity,
    Situation,
    blank_situation,
    worst_situation,
)


CLEAR = Allowance.EMPTY_PROMPT_FILE_CLEAR

TABLE = {
    Situation.UNPROTECTED: (None, False, None),
    Situation.NO_POLICY: ("safety-rejected", False, "prompt_write_policy_unavailable"),
    Situation.BLANK: ("safety-rejected", False, "prompt_write_bypass_not_allowed"),
    Situation.BLANK_ALLOWED: ("safety-bypassed", True, None),
    Situation.CLEAN: ("safety-checked", False, None),
    Situation.SUSPICIOUS: ("safety-warned", True, None),
    Situation.HIGH: ("safety-rejected", False, "high_risk_prompt_injection"),
    Situation.CRITICAL: ("safety-rejected", False, "critical_prompt_injection"),
}


@pytest.mark.parametrize("situation", list(Situation), ids=lambda s: s.value)
def test_each_row_rules_as_the_table_says(situation: Situation) -> None:
    """Event, whether it must be durable, and the reason code."""
    ruling = RULINGS[situation]

    assert (ruling.event, ruling.must_record, ruling.refusal) == TABLE[situation]


def test_every_reason_code_is_an_operation_failure() -> None:
    """A refused protected write is nobody's bad input."""
    codes = {ruling.refusal for ruling in RULINGS.values() if ruling.refusal} | {UNRECORDED}

    assert {CODES[code] for code in codes} == {Kind.OPERATION}


@pytest.mark.parametrize(
    ("severity", "situation"),
    [
        (None, Situation.CLEAN),
        (Severity.LOW, Situation.SUSPICIOUS),
        (Severity.MEDIUM, Situation.SUSPICIOUS),
        (Severity.HIGH, Situation.HIGH),
        (Severity.CRITICAL, Situation.CRITICAL),
    ],
)
def test_the_worst_finding_chooses_the_row(severity: Severity | None, situation: Situation) -> None:
    """Low and medium share a row."""
    assert worst_situation(severity) is situation


@pytest.mark.parametrize(
    ("operation", "allowance", "known"),
    list(itertools.product(Operation, [None, CLEAR], [frozenset[Allowance](), frozenset({CLEAR})])),
)
def test_blank_passes_only_as_a_write_with_a_known_allowance(
    operation: Operation, allowance: Allowance | None, known: frozenset[Allowance]
) -> None:
    """Every other combination is refused, the empty ones first of all."""
    situation = blank_situation(operation=operation, allowance=allowance, allowances=known)

    passes = operation is Operation.WRITE and allowance is CLEAR and CLEAR in known
    assert situation is (Situation.BLANK_ALLOWED if passes else Situation.BLANK)
