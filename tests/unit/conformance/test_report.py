"""What a run says: verdicts, capabilities, the three forms of a report, the exit code."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.unit.conformance.native import NativeSubject

from ironclaw_memory.conformance.bench import Bench
from ironclaw_memory.conformance.expect import Broken, Refused
from ironclaw_memory.conformance.rendering import RENDERERS, as_json, as_junit, text
from ironclaw_memory.conformance.report import Outcome, Report, Standing, Verdict
from ironclaw_memory.conformance.rule import Group, Rule, rule
from ironclaw_memory.conformance.run import run
from ironclaw_memory.errors import AuditUnavailable, HostFault, ProviderTrapped


@rule("test.holds", Group.WRITING, "tool.write")
def holds(bench: Bench) -> None:
    """It holds."""


@rule("test.breaks", Group.PATHS, "tool.read")
def breaks(bench: Bench) -> None:
    """It does not hold."""
    raise Broken(expected="<one>", came='\x00two & "three"')


@rule("test.refuses", Group.WRITING, "tool.tree", may_refuse=True)
def refuses(bench: Bench) -> None:
    """It may be refused."""
    raise Refused("tree")


@rule("test.must-not-refuse", Group.WRITING, "tool.search")
def must_not_refuse(bench: Bench) -> None:
    """It may not be refused."""
    raise Refused("search")


@rule("test.traps", Group.WRITING, "tool.search")
def traps(bench: Bench) -> None:
    """The guest is stopped."""
    raise ProviderTrapped("stopped")


@rule("test.wrong-form", Group.WRITING, "tool.search")
def wrong_form(bench: Bench) -> None:
    """An answer lacks a field."""
    raise KeyError("content")


@rule("test.vectors", Group.SEARCH, "flag.vector_search")
def vectors(bench: Bench) -> None:
    """It needs what the native provider does not declare."""
    raise AssertionError


def report_of(tmp_path: Path, *rules: Rule) -> Report:
    """Run *rules* against the native provider."""
    return run(NativeSubject(tmp_path), rules)


@pytest.mark.parametrize(
    ("tried", "verdict"),
    [
        (holds, Verdict.HELD),
        (breaks, Verdict.BROKEN),
        (refuses, Verdict.REFUSED),
        (must_not_refuse, Verdict.BROKEN),
        (traps, Verdict.BROKEN),
        (wrong_form, Verdict.BROKEN),
        (vectors, Verdict.NOT_DECLARED),
    ],
    ids=lambda value: value.id if isinstance(value, Rule) else value.value,
)
def test_each_end_of_a_check_has_its_verdict(tried: Rule, verdict: Verdict, tmp_path: Path) -> None:
    """Whatever a provider does is an outcome, never a traceback."""
    assert [outcome.verdict for outcome in report_of(tmp_path, tried).outcomes] == [verdict]


def test_a_fault_of_the_host_is_no_verdict_on_the_provider(tmp_path: Path) -> None:
    """A broken host ends the run."""

    @rule("test.host", Group.WRITING)
    def broken_host(bench: Bench) -> None:
        """The log cannot be written."""
        raise AuditUnavailable("no room")

    with pytest.raises(HostFault):
        report_of(tmp_path, broken_host)


def test_progress_is_told_each_outcome_with_its_number(tmp_path: Path) -> None:
    """A caller can show how far the run is."""
    told: list[tuple[str, int, int]] = []

    run(
        NativeSubject(tmp_path),
        [holds, breaks],
        lambda outcome, done, total: told.append((outcome.rule.id, done, total)),
    )

    assert told == [("test.holds", 1, 2), ("test.breaks", 2, 2)]


def test_a_capability_stands_as_its_worst_rule_does(tmp_path: Path) -> None:
    """One verdict per tool, hook, upkeep function and flag."""
    standings = report_of(tmp_path, holds, breaks, refuses, vectors).standings()

    assert standings["tool.write"] is Standing.WORKS
    assert standings["tool.read"] is Standing.BROKEN
    assert standings["tool.tree"] is Standing.REFUSED
    assert standings["tool.search"] is Standing.UNTESTED
    assert standings["flag.vector_search"] is Standing.ABSENT


def test_a_capability_that_is_refused_in_part_says_so(tmp_path: Path) -> None:
    """Neither works nor broken."""

    @rule("test.tree", Group.READING, "tool.tree")
    def tree(bench: Bench) -> None:
        """The other half works."""

    assert report_of(tmp_path, refuses, tree).standings()["tool.tree"] is Standing.PARTLY


@pytest.mark.parametrize(
    ("rules", "code"), [((holds,), 0), ((holds, breaks), 4), ((vectors,), 4), ((), 4)]
)
def test_the_exit_code_is_0_only_if_something_held_and_nothing_broke(
    rules: tuple[Rule, ...], code: int, tmp_path: Path
) -> None:
    """A run that proved nothing is no success."""
    assert report_of(tmp_path, *rules).exit_code == code


def test_the_text_shows_each_broken_rule_with_what_was_expected_and_what_came(
    tmp_path: Path,
) -> None:
    """A provider's author can act on it without looking anything up."""
    shown = text(report_of(tmp_path, holds, breaks))

    assert "✗ test.breaks" in shown
    assert "It does not hold." in shown
    assert "expected  <one>" in shown
    assert "does not conform: 1 held, 1 broken" in shown


def test_the_json_has_a_row_for_every_rule(tmp_path: Path) -> None:
    """Programs find the same as people."""
    value = json.loads(as_json(report_of(tmp_path, holds, breaks)))

    assert value["conforms"] is False
    assert [row["verdict"] for row in value["rules"]] == ["held", "broken"]
    assert value["rules"][1]["expected"] == "<one>"


def test_the_junit_report_is_xml_whatever_a_provider_says(tmp_path: Path) -> None:
    """Characters that XML cannot carry are replaced, markup is escaped."""
    suite = ET.fromstring(as_junit(report_of(tmp_path, holds, breaks, refuses)))  # noqa: S314 - our own

    assert suite.attrib["tests"] == "3"
    assert suite.attrib["failures"] == "1"
    assert suite.attrib["skipped"] == "1"
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert '\N{REPLACEMENT CHARACTER}two & "three"' in failure.attrib["message"]


def test_an_overlong_value_is_cut() -> None:
    """A report stays readable whatever a provider returns."""
    assert len(Broken(expected="x" * 5000, came="y").expected) == 400


def test_every_form_that_the_command_offers_is_there() -> None:
    """Text for people, JSON for programs, JUnit for build servers."""
    assert set(RENDERERS) == {"text", "json", "junit"}


def test_outcomes_are_grouped_by_chapter(tmp_path: Path) -> None:
    """Chapters without rules are left out."""
    groups = report_of(tmp_path, holds, breaks).groups()

    assert {group: [o.rule.id for o in found] for group, found in groups.items()} == {
        Group.WRITING: ["test.holds"],
        Group.PATHS: ["test.breaks"],
    }
    assert isinstance(groups[Group.PATHS][0], Outcome)
