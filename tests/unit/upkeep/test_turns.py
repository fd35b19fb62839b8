"""Counting turns and giving out claims, among threads, processes and restarts."""

import multiprocessing
import sqlite3
from collections.abc import Callable
from pathlib import Path
from threading import Barrier, Thread

import pytest

from ironclaw_memory.errors import HostFault
from ironclaw_memory.upkeep.turns import KEPT_RUNS, Claim, TurnLedger


ALICE, BOB = "tenant:acme:user:alice:project:_none", "tenant:acme:user:bob:project:_none"
CURATION = "prompts/memory_curation.md"
LEASE_MS = 180_000


@pytest.fixture(name="ledger")
def _ledger(tmp_path: Path) -> TurnLedger:
    return TurnLedger(tmp_path / "host" / "turns.sqlite3")


def _claim(ledger: TurnLedger, *, interval: int = 2, now_ms: int = 1_000) -> Claim | None:
    return ledger.claim(ALICE, CURATION, interval_turns=interval, now_ms=now_ms, lease_ms=LEASE_MS)


def _complete(ledger: TurnLedger, *runs: str) -> None:
    for run in runs:
        ledger.complete(ALICE, run)


def test_turns_are_counted_per_owner_and_survive_a_restart(tmp_path: Path) -> None:
    """A second ledger on the same file goes on where the first one stopped."""
    path = tmp_path / "turns.sqlite3"

    assert TurnLedger(path).complete(ALICE, "r1") == 1
    assert TurnLedger(path).complete(BOB, "r1") == 1
    assert TurnLedger(path).complete(ALICE, "r2") == 2


def test_a_replayed_run_is_one_turn(ledger: TurnLedger) -> None:
    """Telling it twice, as after a crash, counts once."""
    _complete(ledger, "r1", "r1", "r2")

    assert ledger.complete(ALICE, "r1") == 2


def test_old_runs_are_forgotten_and_the_count_is_not(ledger: TurnLedger) -> None:
    """The file does not grow with every turn for ever."""
    for number in range(KEPT_RUNS + 10):
        ledger.complete(ALICE, f"r{number}")

    with sqlite3.connect(ledger._path) as db:
        kept = db.execute("SELECT count(*) FROM runs").fetchone()[0]
    db.close()

    assert kept == KEPT_RUNS
    assert ledger.complete(ALICE, "next") == KEPT_RUNS + 11


def test_a_pass_is_due_after_its_interval_and_not_before(ledger: TurnLedger) -> None:
    """Due means that so many turns were completed since the last one."""
    _complete(ledger, "r1")
    assert _claim(ledger) is None

    _complete(ledger, "r2")
    assert _claim(ledger) is not None


def test_a_claimed_pass_is_given_to_nobody_else(ledger: TurnLedger) -> None:
    """One host runs it; the claim of another pass or owner is its own."""
    _complete(ledger, "r1", "r2")
    _claim(ledger)

    assert _claim(ledger) is None
    assert ledger.claim(ALICE, "other", interval_turns=2, now_ms=0, lease_ms=1) is not None


def test_a_settled_pass_is_due_again_an_interval_later(ledger: TurnLedger) -> None:
    """Turns completed while it ran belong to the next interval."""
    _complete(ledger, "r1", "r2")
    claim = _claim(ledger)
    assert claim is not None
    _complete(ledger, "r3")
    ledger.settle(claim)

    assert _claim(ledger) is None
    _complete(ledger, "r4")
    assert _claim(ledger) is not None


def test_an_abandoned_claim_runs_out_and_its_holder_knows(ledger: TurnLedger) -> None:
    """A host that died does not stop curation; one that was slow may not act any more."""
    _complete(ledger, "r1", "r2")
    slow = _claim(ledger, now_ms=1_000)
    assert slow is not None
    assert ledger.holds(slow, now_ms=1_000 + LEASE_MS - 1)
    assert not ledger.holds(slow, now_ms=1_000 + LEASE_MS)

    second = _claim(ledger, now_ms=1_000 + LEASE_MS)

    assert second is not None
    assert not ledger.holds(slow, now_ms=1_000 + LEASE_MS)
    ledger.settle(slow)
    assert ledger.holds(second, now_ms=1_000 + LEASE_MS)


def test_a_claim_from_a_wrong_clock_does_not_block_for_ever(ledger: TurnLedger) -> None:
    """A claim that ends later than any could was made by a clock that ran ahead."""
    _complete(ledger, "r1", "r2")
    _claim(ledger, now_ms=10**15)

    assert _claim(ledger, now_ms=1_000) is not None


def test_files_are_the_owners_alone(ledger: TurnLedger) -> None:
    """Owner keys name people."""
    ledger.complete(ALICE, "r1")

    assert ledger._path.stat().st_mode & 0o777 == 0o600
    assert ledger._path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("damage", ["garbage", "directory", "link"])
def test_a_file_that_does_not_hold_is_a_host_fault(tmp_path: Path, damage: str) -> None:
    """The count is never guessed and no link is followed."""
    path = tmp_path / "turns.sqlite3"
    match damage:
        case "garbage":
            path.write_bytes(b"not a database, but long enough to look like one" * 100)
        case "directory":
            path.mkdir()
        case _:
            path.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(HostFault) as caught:
        TurnLedger(path).complete(ALICE, "r1")

    assert caught.value.code == "turns-unusable"
    assert str(tmp_path) not in str(caught.value)


def _together(count: int, work: Callable[[int], None]) -> None:
    barrier = Barrier(count, timeout=60)

    def start(number: int) -> None:
        barrier.wait()
        work(number)

    threads = [Thread(target=start, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)


def test_threads_lose_no_turn_and_share_no_claim(ledger: TurnLedger) -> None:
    """Eight threads at once: forty turns, one claim."""
    claims: list[Claim] = []

    def work(number: int) -> None:
        for turn in range(5):
            ledger.complete(ALICE, f"r{number}-{turn}")
        claim = ledger.claim(ALICE, CURATION, interval_turns=1, now_ms=1, lease_ms=LEASE_MS)
        if claim is not None:
            claims.append(claim)

    _together(8, work)

    assert ledger.complete(ALICE, "last") == 41
    assert len(claims) == 1


def _host_process(path: Path, name: str, start: "multiprocessing.synchronize.Barrier") -> int:
    ledger = TurnLedger(path)
    start.wait(60)
    for turn in range(20):
        ledger.complete(ALICE, f"{name}-{turn}")
    claim = ledger.claim(ALICE, CURATION, interval_turns=10, now_ms=1, lease_ms=LEASE_MS)
    return 0 if claim is None else 1


def _report(path: Path, name: str, start: object, results: object) -> None:
    results.put(_host_process(path, name, start))  # type: ignore[attr-defined,arg-type]


def test_two_processes_lose_no_turn_and_share_no_claim(tmp_path: Path) -> None:
    """Two hosts reach the interval together: one runs the pass."""
    path = tmp_path / "turns.sqlite3"
    spawn = multiprocessing.get_context("spawn")
    start, results = spawn.Barrier(2), spawn.Queue()
    hosts = [
        spawn.Process(target=_report, args=(path, name, start, results)) for name in ("a", "b")
    ]
    for host in hosts:
        host.start()
    claims = sorted(results.get(timeout=120) for _ in hosts)
    for host in hosts:
        host.join(60)

    assert claims == [0, 1]
    assert TurnLedger(path).complete(ALICE, "last") == 41
