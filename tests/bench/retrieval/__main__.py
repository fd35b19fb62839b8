"""``python -m tests.bench.retrieval``: quality, and with ``--speed`` the times, as Markdown.

What is measured is the sandboxed component behind an open host; ``--native`` runs its index in this
process instead, which is quicker while tuning.
"""

import argparse
import platform
import sys
from collections.abc import Iterator, Sequence

from tests.bench.measure import stay_on_one_core
from tests.bench.retrieval import datasets, speed
from tests.bench.retrieval.native import NativeIndex
from tests.bench.retrieval.protocol import Unavailable
from tests.bench.retrieval.quality import chosen, quality
from tests.bench.retrieval.sandboxed import SandboxedMemory, SandboxedOperations


LINES = (1_000, 10_000)
_SPOKEN_LINES = 1_000


def _speed(lines: Sequence[int], *, native: bool) -> Iterator[str]:
    """Yield the rows of each size: ours, beside writes without an index, and host FTS5."""
    stay_on_one_core()
    yield speed.HEAD
    for count in lines:
        if native:
            yield speed.measure(speed.NativeOperations(), count).row()
        else:
            yield from _sandboxed_speed(count)
        yield speed.measure_fts5(count).row()
    with SandboxedOperations(indexed=True) as ours:
        yield f"\nindex / text of conversations between people: {_spoken(ours)}"


def _spoken(operations: SandboxedOperations) -> str:
    try:
        documents = datasets.spoken(_SPOKEN_LINES)
    except Unavailable as missing:
        return f"not measured, {missing}"
    ratio = speed.index_per_text(operations, documents)
    return f"{ratio:.2f} for {_SPOKEN_LINES:,} lines of LoCoMo"


def _sandboxed_speed(lines: int) -> Iterator[str]:
    with (
        SandboxedOperations(indexed=True) as ours,
        SandboxedOperations(indexed=False) as bare,
    ):
        yield speed.measure(ours, lines).row()
        yield speed.measure_writes(bare, lines).row()
        yield speed.measure_over(ours, bare, lines).row()


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.retrieval", description=__doc__)
    add = parser.add_argument
    add("--native", action="store_true", help="the index in this process, without the sandbox")
    add("--quick", action="store_true", help="only our own set and one conversation")
    add("--sample", type=int, metavar="N", help="at most N questions of each set")
    add("--no-peers", action="store_true", help="only our own index")
    add("--speed", action="store_true", help="times instead of quality")
    add("--lines", type=int, nargs="+", default=LINES, help="sizes for --speed, such as 100000")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> None:
    """Print what was asked for."""
    options = _options(arguments)
    sample = f", at most {options.sample} questions of each set" if options.sample else ""
    print(f"Python {platform.python_version()}, {platform.machine()}{sample}\n")
    parts = (
        _speed(options.lines, native=options.native)
        if options.speed
        else quality(
            NativeIndex if options.native else SandboxedMemory,
            chosen(quick=options.quick),
            peers=not options.no_peers,
            questions=options.sample,
        )
    )
    for part in parts:
        print(part, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
