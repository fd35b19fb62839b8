"""Collected by ``pytest --pyargs ironclaw_memory.conformance``; see `plugin`."""

import pytest

from ironclaw_memory.conformance.report import Verdict
from ironclaw_memory.conformance.rule import Rule, declared
from ironclaw_memory.conformance.run import held
from ironclaw_memory.conformance.subject import Subject


def test_rule(memory_rule: Rule, memory_subject: Subject) -> None:
    """The provider keeps the rule."""
    outcome = held(memory_subject, memory_rule, declared(memory_subject.package))
    if outcome.verdict in {Verdict.NOT_DECLARED, Verdict.REFUSED}:
        pytest.skip(outcome.verdict.value)
    if outcome.verdict is Verdict.BROKEN:
        pytest.fail(
            f"{memory_rule.id}: {memory_rule.sentence}\n"
            f"expected  {outcome.expected}\ncame      {outcome.came}",
            pytrace=False,
        )
