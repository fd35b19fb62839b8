"""The suite can fail: every mutant is caught, by the rule that should catch it."""

from pathlib import Path

import pytest
from mutants.catalogue import MUTANTS, fault_of
from tests.unit.conformance.native import NativeSubject, native_package

from ironclaw_memory.conformance.catalogue import BY_ID
from ironclaw_memory.conformance.report import Verdict
from ironclaw_memory.conformance.rule import declared
from ironclaw_memory.conformance.run import held
from ironclaw_memory.model import Scope


FEWEST = 30


def test_there_are_at_least_thirty_mutants_for_thirty_rules() -> None:
    """Many faults, and not all of one kind."""
    assert len(MUTANTS) >= FEWEST
    assert len({kind.rule for kind in MUTANTS.values()}) >= FEWEST


def test_a_tenant_names_its_fault_before_the_dot() -> None:
    """The scope beside a mutant's, which a check may use, has the same fault."""
    assert fault_of("lost-update.other") == "lost-update"


def test_no_mutant_survives(tmp_path: Path) -> None:
    """Each is broken by its rule; a survivor is listed by name."""
    package = native_package()
    can = declared(package)

    survivors = [
        f"{name}: {kind.rule} did not catch it ({kind.__doc__})"
        for name, kind in MUTANTS.items()
        if held(
            NativeSubject(tmp_path / name, make=kind, package=package),
            BY_ID[kind.rule],
            can,
            tenant=name,
        ).verdict
        is not Verdict.BROKEN
    ]

    assert survivors == []


@pytest.mark.parametrize("axis", ["tenant", "user", "agent", "project"])
def test_a_host_that_mixes_scopes_up_is_caught_on_its_axis(axis: str, tmp_path: Path) -> None:
    """A provider sees one scope, so a leak between two is the host's: one directory for both."""
    leaky = NativeSubject(tmp_path, name_of=lambda scope: _without(scope, axis))

    outcome = held(leaky, BY_ID[f"isolation.{axis}"], declared(leaky.package))

    assert outcome.verdict is Verdict.BROKEN
    assert "read" in outcome.came


@pytest.mark.parametrize("axis", ["tenant", "user", "agent", "project"])
def test_a_host_that_leaks_on_one_axis_keeps_the_others(axis: str, tmp_path: Path) -> None:
    """The four rules are independent: each catches its own leak alone."""
    others = {"tenant", "user", "agent", "project"} - {axis}
    leaky = NativeSubject(tmp_path, name_of=lambda scope: _without(scope, axis))
    can = declared(leaky.package)

    verdicts = {held(leaky, BY_ID[f"isolation.{other}"], can).verdict for other in others}

    assert verdicts == {Verdict.HELD}


def _without(scope: Scope, axis: str) -> str:
    axes = ("tenant", "user", "agent", "project")
    return repr([getattr(scope, other) for other in axes if other != axis])
