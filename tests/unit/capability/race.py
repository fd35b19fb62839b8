"""One process of a race: says that it is ready, waits for the start, acts, says how it went.

Run as ``python race.py ACT DIRECTORY NUMBER``; see `test_processes`.
"""

import sys
from pathlib import Path

from ironclaw_memory.capability.audit import AuditLog
from ironclaw_memory.capability.gate import Gate, GateRequest, Permit
from ironclaw_memory.capability.question import Permission, ToolRules
from ironclaw_memory.capability.records import Kind, Record
from ironclaw_memory.model import Cell, Effect, Origin, Scope


LINES = 100
REQUEST = GateRequest(
    rules=ToolRules(
        tool="ironclaw.memory.write",
        matrix={Origin.LOOP_RUN: Cell.GATED_UNLESS_GRANTED},
        effects=frozenset({Effect.DISPATCH_CAPABILITY, Effect.WRITE_FILESYSTEM}),
        permission=Permission.ALLOW,
    ),
    origin=Origin.LOOP_RUN,
    scope=Scope(tenant="acme", user="alice", project="p1"),
    fingerprint="sha256:" + "a" * 64,
    argument_bytes=1,
    now_ms=1_000_000,
)


def authorise(directory: Path, number: int) -> str:
    """Ask once."""
    return str(isinstance(Gate(directory).authorise(REQUEST), Permit))


def spend(directory: Path, number: int) -> str:
    """Ask ten times; every second permit is given back."""
    gate, ran = Gate(directory), 0
    for attempt in range(10):
        answer = gate.authorise(REQUEST)
        if isinstance(answer, Permit):
            gate.settle(answer, ran=attempt % 2 == 0)
            ran += attempt % 2 == 0
    return str(ran)


def write(directory: Path, number: int) -> str:
    """Write lines to a log that rotates all the time, some noted and some required."""
    log = AuditLog(directory, max_file_bytes=20_000, max_files=1_000)
    for line in range(LINES):
        record = Record(at_ms=line, kind=Kind.CALL, call=f"p{number}", count=line)
        (log.require if line % 10 == 0 else log.note)(record)
    log.close()
    return "done"


def ask_for_ever(directory: Path, number: int) -> str:
    """Ask with a warm gate each time a line comes in, and answer on a line."""
    gate = Gate(directory)
    for _ in sys.stdin:
        print(isinstance(gate.authorise(REQUEST), Permit), flush=True)  # noqa: T201
    return "end"


if __name__ == "__main__":
    print("ready", flush=True)  # noqa: T201
    sys.stdin.readline()
    act = globals()[sys.argv[1]]
    print(act(Path(sys.argv[2]), int(sys.argv[3])), flush=True)  # noqa: T201
