"""What writing costs: by the size of the document, by the size of the scope, beside one fsync."""

import os
from pathlib import Path

from tests.bench.measure import Step, Timing, in_turn, table, timed
from tests.bench.subjects import SCOPE, Native, Sandboxed, native, sandboxed

from ironclaw_memory.scopes import directory_of


RUNS = 25
SIZES = {"1 KB": 1_000, "100 KB": 100_000, "1 MB": 1_000_000}
SCOPES = (10, 1_000, 10_000)
LINE = "The user moved the weekly review to Thursday morning.\n"


def run() -> str:
    """Return both tables."""
    return f"{by_size()}\n\n{by_scope()}"


def text_of(size: int) -> str:
    """Return *size* bytes of lines."""
    return (LINE * (size // len(LINE) + 1))[:size]


def by_size() -> str:
    """Replace, and append to, documents of several sizes."""
    rows: list[tuple[str, Timing, float | None]] = [
        ("one fsync of 4 KB on this disk", fsync(), None)
    ]
    with native() as inside, sandboxed() as guest:
        for name, size in SIZES.items():
            taken = in_turn(_steps(inside, guest, size), runs=RUNS, warm_up=2)
            for verb in ("replace", "append"):
                base = taken[f"{verb}, native"]
                held = taken[f"{verb}, sandboxed"]
                rows.append((f"{verb} at {name}, native", base, None))
                rows.append((f"{verb} at {name}, sandboxed", held, held.median / base.median))
    return table("Writing, by the size of the document", rows)


def _steps(inside: Native, guest: Sandboxed, size: int) -> dict[str, Step]:
    bodies = [text_of(size), text_of(size - 1) + "!"]
    turn = {"native": 0, "sandboxed": 0}

    def replace(name: str, subject: Native | Sandboxed) -> object:
        turn[name] += 1  # a different body each time: an identical one is not written
        return subject.write(f"r{size}.md", bodies[turn[name] % 2], append=False)

    for subject in (inside, guest):
        subject.write(f"a{size}.md", text_of(max(size - 4_000, size // 2)), append=False)
    return {
        "replace, native": lambda: replace("native", inside),
        "replace, sandboxed": lambda: replace("sandboxed", guest),
        "append, native": lambda: inside.write(f"a{size}.md", LINE.strip(), append=True),
        "append, sandboxed": lambda: guest.write(f"a{size}.md", LINE.strip(), append=True),
    }


def by_scope() -> str:
    """Append in scopes of several sizes, their documents dropped in by hand and indexed."""
    rows: list[tuple[str, Timing, float | None]] = []
    first: Timing | None = None
    for count in SCOPES:
        with sandboxed() as guest:
            fill(guest.host._opened.root, count)
            indexing = timed(lambda: guest.host.refresh(SCOPE, everything=True))
            rows.append((f"index {count} documents, once", Timing.of([indexing]), None))
            taken = in_turn(
                {"append": lambda: guest.write("log.md", LINE.strip(), append=True)}, runs=RUNS
            )["append"]
            first = first or taken
            rows.append((f"append among {count} documents", taken, taken.median / first.median))
    return table("Writing, by the size of the scope", rows, ratio_to="10 documents")


def fill(root: Path, count: int) -> None:
    """Put *count* small documents into the scope, as a person would."""
    documents = root.joinpath(*directory_of(SCOPE))
    for number in range(count):
        path = documents / "notes" / f"{number // 100:03}" / f"{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"# Note {number}\n\nThe user filed item {number} under topic {number % 37}.\n"
        )


def fsync() -> Timing:
    """Time a write of 4 KB that is forced to disk."""
    with native() as inside:
        path = Path(inside.provider._documents.root) / "probe"

        def step() -> None:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
            try:
                os.write(descriptor, b"x" * 4096)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

        return in_turn({"fsync": step}, runs=RUNS)["fsync"]
