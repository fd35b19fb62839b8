"""What the host and the boundary cost: each operation beside the same guest code run natively."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.measure import Timing, in_turn, table, timed
from tests.bench.subjects import native, sandboxed


RUNS = 60
LINE = "The user prefers green tea without sugar and works from Berlin on Mondays."
DOCUMENT = "\n".join(f"{number}. {LINE}" for number in range(50))


def run() -> str:
    """Return the table of warm calls and the line about a cold one."""
    with native() as inside, sandboxed() as guest:
        for subject in (inside, guest):
            subject.write("notes/a.md", DOCUMENT, append=False)
            subject.search("green tea")
        steps = {
            "no-op (an empty listing), native": inside.provider.profile_read,
            "no-op, sandboxed": lambda: guest.call("tree", path="none"),
            "read 4 KB, native": lambda: inside.read("notes/a.md"),
            "read 4 KB, sandboxed": lambda: guest.read("notes/a.md"),
            "append a line, native": lambda: inside.write("log.md", LINE, append=True),
            "append a line, sandboxed": lambda: guest.write("log.md", LINE, append=True),
            "search, native": lambda: inside.search("green tea in Berlin"),
            "search, sandboxed": lambda: guest.search("green tea in Berlin"),
        }
        taken = in_turn(steps, runs=RUNS)
    fresh = _fresh_instance()
    names = list(taken)
    rows = [
        (
            name,
            taken[name],
            None if index % 2 == 0 else taken[name].median / taken[names[index - 1]].median,
        )
        for index, name in enumerate(names)
    ]
    rows.append(
        (
            "read 4 KB, fresh instance per call",
            fresh,
            fresh.median / taken["read 4 KB, native"].median,
        )
    )
    rows.append(("cold command line: read", _cold(), None))
    return table("Host and boundary", rows)


def _fresh_instance() -> Timing:
    with sandboxed(isolation="call") as guest:
        guest.write("notes/a.md", DOCUMENT, append=False)
        return in_turn({"read": lambda: guest.read("notes/a.md")}, runs=RUNS)["read"]


def _cold() -> Timing:
    """Time whole processes of the installed command."""
    with TemporaryDirectory() as root:
        command = [str(Path(sys.executable).with_name("ironclaw-memory")), "--root", root]

        def call(*words: str) -> None:
            subprocess.run([*command, *words], check=True, capture_output=True)

        call("write", "--target", "memory", LINE)
        return Timing.of([timed(lambda: call("read", "MEMORY.md")) for _ in range(9)])
