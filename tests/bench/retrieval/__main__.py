"""``python -m tests.bench.retrieval``: quality, and with ``--speed`` the times, as Markdown.

The systems are the native index and its peers; `quality` and `speed.measure` take any other, such as
one that records and recalls through the sandboxed component.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence

from tests.bench.retrieval import datasets, speed
from tests.bench.retrieval.baselines import Bm25s, Fts5, NaiveFrequency
from tests.bench.retrieval.metrics import score
from tests.bench.retrieval.native import NativeIndex
from tests.bench.retrieval.protocol import Store, System, Unavailable, merged
from tests.bench.retrieval.report import kinds, table


PEERS: tuple[Callable[[], System], ...] = (
    NaiveFrequency,
    lambda: Fts5("OR"),
    lambda: Fts5("AND"),
    Bm25s,
)
CHINESE_PEERS: tuple[Callable[[], System], ...] = (
    lambda: Fts5("OR", "unicode61"),
    lambda: Fts5("OR", "trigram"),
)
LINES = (1_000, 10_000, 100_000)


def quality(system: Callable[[], System], *, peers: bool = True) -> Iterator[str]:
    """Yield a table for each data set that is here, and a line for each that is not."""
    yield from _one(
        "LoCoMo 1-3, tuned on", lambda: datasets.locomo()[:3], system, PEERS if peers else ()
    )
    yield from _one(
        "LoCoMo 4-5, held out", lambda: datasets.locomo()[3:], system, PEERS if peers else ()
    )
    yield from _one(
        "LoCoMo 1-5 merged",
        lambda: [merged("all", datasets.locomo())],
        system,
        PEERS if peers else (),
    )
    chinese = CHINESE_PEERS if peers else ()
    yield from _one("CMRC 2018 trial", lambda: [datasets.cmrc()], system, chinese)
    yield from _one("MemoryBank, days named", datasets.memory_bank, system, chinese)
    yield from _one("Our own set", lambda: [datasets.own()], system, PEERS if peers else ())
    yield _own_kinds(system())


def _one(
    title: str,
    stores: Callable[[], Sequence[Store]],
    system: Callable[[], System],
    peers: Sequence[Callable[[], System]],
) -> Iterator[str]:
    try:
        loaded = stores()
    except Unavailable as reason:
        yield f"### {title}: skipped, {reason}\n"
        return
    scored = [score(system(), loaded)]
    for peer in peers:
        try:
            scored.append(score(peer(), loaded))
        except Unavailable as reason:
            yield f"(peer skipped: {reason})\n"
    yield table(title, scored)


def _own_kinds(system: System) -> str:
    store = datasets.own()
    return kinds(score(system, [store]), [question.kind for question in store.questions])


def _speed(lines: Sequence[int]) -> Iterator[str]:
    yield speed.HEAD
    for count in lines:
        yield speed.measure(speed.NativeOperations(), count).row()
        low, high = speed.fts5_query(count)
        yield f"| FTS5 OR | {count:,} | {low:.1f} / {high:.1f} | | | | |"


def main(arguments: Sequence[str]) -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.retrieval", description=__doc__)
    parser.add_argument("--no-peers", action="store_true", help="only our own index")
    parser.add_argument("--speed", action="store_true", help="times instead of quality")
    parser.add_argument("--lines", type=int, nargs="+", default=LINES, help="sizes for --speed")
    options = parser.parse_args(arguments)
    parts = (
        _speed(options.lines) if options.speed else quality(NativeIndex, peers=not options.no_peers)
    )
    for part in parts:
        print(part, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
