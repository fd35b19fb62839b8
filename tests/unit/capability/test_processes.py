"""The gate and the log among real processes that start at the same moment."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.unit.capability.race import LINES, REQUEST
from tests.unit.capability.walk import NOW, WRITE, grant, rules

from ironclaw_memory.capability.gate import Gate, Waiting
from ironclaw_memory.capability.pending import Once


RACE = Path(__file__).with_name("race.py")


def _started(act: str, directory: Path, number: int) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, str(RACE), act, str(directory), str(number)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def _raced(act: str, directory: Path, processes: int) -> list[str]:
    """Start so many processes, let them go together, return what each says."""
    running = [_started(act, directory, number) for number in range(processes)]
    for process in running:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    return [process.communicate(timeout=120)[0].strip() for process in running]


def test_exactly_one_of_eight_processes_claims_a_lease(tmp_path: Path) -> None:
    """A call approved once runs once, however many try."""
    gate = Gate(tmp_path)
    asked = gate.authorise(REQUEST)
    assert isinstance(asked, Waiting)
    gate.approve(asked.request_id, Once(), now_ms=NOW)

    assert Counter(_raced("authorise", tmp_path, 8)) == {"True": 1, "False": 7}


def test_a_counted_grant_is_never_overspent(tmp_path: Path) -> None:
    """Calls that ran are exactly the uses that are gone, with refunds in between."""
    gate = Gate(tmp_path)
    kept = gate.grant(grant(uses_left=12), rules(), now_ms=NOW)
    ran = sum(int(said) for said in _raced("spend", tmp_path, 4))
    left = next(g.uses_left for g in gate.state().grants if g.id == kept.id)

    assert left is not None
    assert ran + left == 12
    assert ran > 0


def test_revoking_stops_the_next_call_of_a_running_process(tmp_path: Path) -> None:
    """A process that has just been allowed is refused after the revocation, warm cache or not."""
    gate = Gate(tmp_path)
    gate.grant(grant(), rules(), now_ms=NOW)
    process = _started("ask_for_ever", tmp_path, 0)
    assert process.stdin
    assert process.stdout
    process.stdin.write("go\nask\n")
    process.stdin.flush()
    assert process.stdout.readline() == "True\n"

    gate.revoke(WRITE)
    assert process.communicate("ask\n", timeout=60)[0].splitlines() == ["False", "end"]


def test_lines_of_eight_processes_stay_whole_across_rotations(tmp_path: Path) -> None:
    """Every line of every process is there once, and each process's lines are in order."""
    assert _raced("write", tmp_path, 8) == ["done"] * 8
    files = sorted(tmp_path.glob("audit*.jsonl"), key=_age, reverse=True)
    lines = [json.loads(line) for file in files for line in file.read_bytes().splitlines()]

    assert len(files) > 2
    for number in range(8):
        own = [line.get("count", 0) for line in lines if line["call"] == f"p{number}"]
        assert own == list(range(LINES))


def _age(path: Path) -> int:
    middle = path.name.removeprefix("audit").removesuffix(".jsonl").strip(".")
    return int(middle or 0)
