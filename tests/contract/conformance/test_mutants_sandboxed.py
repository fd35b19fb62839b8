"""Every mutant again, as a component in the sandbox: what is caught natively is caught here."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from mutants.catalogue import MUTANTS
from tests.contract.conformance.components import REPOSITORY, built_provider

from ironclaw_memory.conformance.catalogue import BY_ID
from ironclaw_memory.conformance.report import Verdict
from ironclaw_memory.conformance.rule import declared
from ironclaw_memory.conformance.run import held
from ironclaw_memory.conformance.sandboxed import SandboxedSubject, opened


pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def component() -> Path:
    """The one component with all faults; the tenant of a scope chooses."""
    return built_provider(REPOSITORY / "tests" / "mutants", REPOSITORY / "component" / "native")


@pytest.fixture(scope="module")
def mutants(component: Path) -> Iterator[SandboxedSubject]:
    """The mutants, running on warm instances."""
    with opened(component, say=lambda line: None, unsafe_in_threads=True) as subject:
        yield subject


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_caught_by_its_rule(name: str, mutants: SandboxedSubject) -> None:
    """The rule that names the behaviour is the one that breaks."""
    rule = BY_ID[MUTANTS[name].rule]

    outcome = held(mutants, rule, declared(mutants.package), tenant=name)

    assert outcome.verdict is Verdict.BROKEN, f"{name} survived {rule.id}"


def test_without_a_fault_the_same_component_keeps_the_rules(mutants: SandboxedSubject) -> None:
    """What breaks is the fault's doing: another tenant of the component is served properly."""
    can = declared(mutants.package)
    caught = {MUTANTS[name].rule for name in ("lost-update", "stale-search", "forged-agent")}

    verdicts = {held(mutants, BY_ID[rule], can, tenant="no-fault").verdict for rule in caught}

    assert verdicts == {Verdict.HELD}


def test_a_fresh_instance_for_every_call_remembers_nothing(component: Path) -> None:
    """A provider that keeps its first answer for ever cannot, where it does not live on."""
    rule = BY_ID[MUTANTS["remembers-answers"].rule]
    with opened(
        component, say=lambda line: None, unsafe_in_threads=True, fresh_instances=True
    ) as fresh:
        outcome = held(fresh, rule, declared(fresh.package), tenant="remembers-answers")

    assert outcome.verdict is Verdict.HELD, (outcome.expected, outcome.came)
