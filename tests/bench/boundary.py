"""What the host and the boundary cost: each operation beside the same guest code run natively."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.measure import Step, Timing, in_turn, table, timed
from tests.bench.subjects import Native, Sandboxed, native, sandboxed

from ironclaw_memory.sandbox.request import GuestCall, GuestReply
from memory_native.requests import TreeRequest


RUNS = 60
CORPUS = Path(__file__).parents[1] / "corpora" / "memory"
QUESTION = "Which editor theme and font does the user prefer for reviews?"
LINE = "The user moved the weekly review to Thursday morning."
DOCUMENT = "\n".join(f"{number}. {LINE}" for number in range(70))


def run() -> str:
    """Return the table of warm calls, of what comes before one, and of a cold one."""
    with native() as inside, sandboxed() as guest:
        for subject in (inside, guest):
            _fill(subject)
        pairs: dict[str, tuple[Step, Step]] = {
            "list nothing": (
                lambda: inside.provider.tree(TreeRequest(path="none", depth=1)),
                lambda: guest.call("tree", path="none"),
            ),
            "read 4 KB": (lambda: inside.read("notes/a.md"), lambda: guest.read("notes/a.md")),
            "append a line": (
                lambda: inside.write("log.md", LINE, append=True),
                lambda: guest.write("log.md", LINE, append=True),
            ),
        }
        rows: list[tuple[str, Timing, float | None]] = []
        for name, (natively, in_guest) in pairs.items():
            taken = in_turn({"native": natively, "guest": in_guest}, runs=RUNS)
            ratio = taken["guest"].median / taken["native"].median
            rows += [
                (f"{name}, native", taken["native"], None),
                (f"{name}, sandboxed", taken["guest"], ratio),
            ]
    rows += [
        ("instantiate a guest", _instantiation(), None),
        ("cold command line: read", _cold(), None),
    ]
    return table("Host and boundary", rows)


def _fill(subject: Native | Sandboxed) -> None:
    """Give *subject* a small memory of the kinds that agents keep."""
    for path in sorted(CORPUS.rglob("*.md")):
        name = path.relative_to(CORPUS).as_posix()
        if not name.startswith("threads/"):
            subject.write(name, path.read_text(encoding="utf-8"), append=False)
    subject.write("notes/a.md", DOCUMENT, append=False)
    subject.search(QUESTION)


def _instantiation() -> Timing:
    """Ask the runner what making an instance took, for calls that each get a fresh one."""
    with sandboxed(isolation="call") as guest:
        guest.write("notes/a.md", DOCUMENT, append=False)
        runner, started = guest.host._wiring.runner, list[float]()
        run_call = runner.run

        def noted(call: GuestCall) -> GuestReply:
            reply = run_call(call)
            started.append(reply.started_ms)
            return reply

        vars(runner)["run"] = noted
        for _ in range(RUNS):
            guest.read("notes/a.md")
        return Timing.of(started)


def _cold() -> Timing:
    """Time whole processes of the installed command."""
    with TemporaryDirectory() as root:
        command = [str(Path(sys.executable).with_name("ironclaw-memory")), "--root", root]

        def call(*words: str) -> None:
            subprocess.run([*command, *words], check=True, capture_output=True)

        call("write", "--target", "memory", LINE)
        return Timing.of([timed(lambda: call("read", "MEMORY.md")) for _ in range(9)])
