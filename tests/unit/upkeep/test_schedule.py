"""When passes run: after the interval, once among all hosts, again an interval later."""

from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.model import Scope
from ironclaw_memory.testing import InMemoryHost, ModelCall, ScriptedModel
from ironclaw_memory.upkeep.conversation import CurationPass
from ironclaw_memory.upkeep.dialogue import ModelReply, ToolDefinition
from ironclaw_memory.upkeep.report import CurationReport, CurationStatus
from ironclaw_memory.upkeep.schedule import CurationSchedule
from ironclaw_memory.upkeep.turns import TurnLedger


ALICE = Scope(tenant="acme", user="alice")
READ = ToolDefinition(id="ironclaw.memory.read", description="read", input_schema={})
PASS = CurationPass(
    name="curation", prompt="Curate.", tools=(READ,), interval_turns=2, max_model_calls=10
)
NOTHING_TO_DO = ModelReply(text='{"summary": "In order."}')


@pytest.fixture(name="host")
def _host() -> InMemoryHost:
    host = InMemoryHost()
    host.provider.of(ALICE)["MEMORY.md"] = "- likes tea\n"
    return host


def _schedule(host: InMemoryHost, root: Path) -> CurationSchedule:
    return CurationSchedule(
        ledger=TurnLedger(root / "turns.sqlite3"),
        passes=(PASS,),
        host_for=host.bound_to,
        clock=lambda: 0.0,
        now_ms=lambda: 1_000,
    )


def test_a_pass_runs_at_its_interval_and_again_at_the_next(
    host: InMemoryHost, tmp_path: Path
) -> None:
    """Its id carries the run that made it due, so that no two passes are the same."""
    schedule, model = _schedule(host, tmp_path), ScriptedModel([NOTHING_TO_DO] * 2)
    ran: list[str] = []

    for number in range(1, 6):
        schedule.complete_turn(ALICE, f"r{number}")
        ran += [report.pass_id for report in schedule.run_due(ALICE, model, run_id=f"r{number}")]

    assert ran == ["curation@r2", "curation@r4"]


def test_owners_are_counted_apart(host: InMemoryHost, tmp_path: Path) -> None:
    """Two turns of two users are one turn each."""
    schedule, model = _schedule(host, tmp_path), ScriptedModel([])
    bob = Scope(tenant="acme", user="bob")

    assert schedule.complete_turn(ALICE, "r1") == schedule.complete_turn(bob, "r1") == 1
    assert schedule.run_due(ALICE, model, run_id="r1") == ()


def test_a_skipped_or_failed_pass_waits_for_the_next_interval(
    host: InMemoryHost, tmp_path: Path
) -> None:
    """A broken model is not called after every turn."""
    schedule, model = _schedule(host, tmp_path), ScriptedModel([RuntimeError("down")])
    schedule.complete_turn(ALICE, "r1")
    schedule.complete_turn(ALICE, "r2")

    first = schedule.run_due(ALICE, model, run_id="r2")

    assert [report.status for report in first] == [CurationStatus.FAILED]
    assert schedule.run_due(ALICE, model, run_id="r2") == ()


def test_a_pass_that_a_person_asks_for_runs_at_once(host: InMemoryHost, tmp_path: Path) -> None:
    """Due or not, and each time under an id of its own."""
    schedule, model = _schedule(host, tmp_path), ScriptedModel([NOTHING_TO_DO] * 2)

    reports = [*schedule.run_now(ALICE, model), *schedule.run_now(ALICE, model, dry_run=True)]

    assert [report.status for report in reports] == ["done", "done"]
    assert len({report.pass_id for report in reports}) == 2


def test_two_hosts_that_reach_the_interval_together_run_one_pass(
    host: InMemoryHost, tmp_path: Path
) -> None:
    """The other one finds the claim taken, also while the pass is still running."""
    schedules = [_schedule(host, tmp_path), _schedule(host, tmp_path)]
    schedules[0].complete_turn(ALICE, "r1")
    schedules[1].complete_turn(ALICE, "r2")
    start = Barrier(2, timeout=60)
    reports: list[CurationReport] = []

    def run(schedule: CurationSchedule) -> None:
        start.wait()
        reports.extend(schedule.run_due(ALICE, ScriptedModel([NOTHING_TO_DO]), run_id="r2"))

    threads = [Thread(target=run, args=(schedule,)) for schedule in schedules]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert len(reports) == 1


def test_a_pass_in_progress_is_not_run_a_second_time(host: InMemoryHost, tmp_path: Path) -> None:
    """The claim is taken before the first model call."""
    schedule = _schedule(host, tmp_path)
    inside: list[tuple[CurationReport, ...]] = []

    def meanwhile(_: ModelCall) -> ModelReply:
        inside.append(schedule.run_due(ALICE, ScriptedModel([]), run_id="r2"))
        return NOTHING_TO_DO

    schedule.complete_turn(ALICE, "r1")
    schedule.complete_turn(ALICE, "r2")

    assert len(schedule.run_due(ALICE, ScriptedModel([meanwhile]), run_id="r2")) == 1
    assert inside == [()]


@pytest.mark.parametrize("model", [None, "gpt-5-mini", ModelReply])
def test_what_is_no_model_is_refused_before_a_pass_is_claimed(
    host: InMemoryHost, tmp_path: Path, model: Any
) -> None:
    """The pass stays due for one that is."""
    schedule = _schedule(host, tmp_path)
    for run in ("r1", "r2"):
        schedule.complete_turn(ALICE, run)
    with pytest.raises(InvalidArguments) as refused:
        schedule.run_due(ALICE, model, run_id="r2")
    assert refused.value.field == "model"
    assert len(schedule.run_due(ALICE, ScriptedModel([NOTHING_TO_DO]), run_id="r2")) == 1
