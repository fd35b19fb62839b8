"""The native provider, without a sandbox, against the whole suite."""

from pathlib import Path

import pytest
from tests.unit.conformance.native import NativeSubject

from ironclaw_memory.conformance.catalogue import RULES
from ironclaw_memory.conformance.report import Verdict
from ironclaw_memory.conformance.rule import Rule, declared
from ironclaw_memory.conformance.run import held


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_native_provider_keeps_the_rule(rule: Rule, tmp_path: Path) -> None:
    """What the provider's Python does natively is what the contract asks for."""
    subject = NativeSubject(tmp_path)

    outcome = held(subject, rule, declared(subject.package))

    assert outcome.verdict is not Verdict.BROKEN, (outcome.expected, outcome.came)
