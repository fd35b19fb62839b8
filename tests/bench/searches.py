"""What a search costs by the size of the scope, beside the same guest code run natively.

What the sandbox makes of the same code is in the lines "in the guest": the component is entered and
left once, calls of WASI and of the host's imports included. The host's rules, its lock on the scope
and its checks of the answer come on top in the whole call: the same for each search, whatever it
finds, as for any other warm call (`boundary`), so that the ratio of whole calls falls with the size.
"""

import random
import time
from collections.abc import Callable, Sequence
from itertools import cycle

from tests.bench.boundary import CORPUS, QUESTION
from tests.bench.measure import Step, Timing, in_turn, table
from tests.bench.retrieval.protocol import Document
from tests.bench.retrieval.sandboxed import timed_entries
from tests.bench.retrieval.speed import documents_of, query_of
from tests.bench.subjects import native, sandboxed


RUNS = 60
LINES = (1_000, 10_000, 100_000)

Rows = list[tuple[str, Timing, float | None]]


def run() -> str:
    """Return the table: our own memories, then transcripts of more and more lines."""
    rows = _searched("67 files", _own(), [QUESTION])
    for lines in LINES:
        source = random.Random(1)
        documents = documents_of(lines, source)
        rows += _searched(f"{lines:,} lines", documents, [query_of(source) for _ in range(RUNS)])
    return table("Searching, by the size of the scope", rows)


def _own() -> list[Document]:
    return [
        Document(file.relative_to(CORPUS).as_posix(), file.read_text(encoding="utf-8"))
        for file in sorted(CORPUS.rglob("*.md"))
    ]


def _searched(name: str, documents: Sequence[Document], questions: Sequence[str]) -> Rows:
    with native() as inside, sandboxed() as guest:
        for subject in (inside, guest):
            subject.drop_in(documents)
            for question in questions:
                subject.search(question)
        steps = {
            "native": _asked(inside.search, questions),
            "whole": _asked(guest.search, questions),
        }
        with timed_entries(time.perf_counter) as in_guest:
            taken = in_turn(steps, runs=RUNS, warm_up=0)
    base, inner = taken["native"].median, Timing.of(in_guest)
    return [
        (f"search {name}, native", taken["native"], None),
        ("  of the call: in the guest", inner, inner.median / base),
        (f"search {name}, sandboxed", taken["whole"], taken["whole"].median / base),
    ]


def _asked(search: Callable[[str], object], questions: Sequence[str]) -> Step:
    following = cycle(questions)
    return lambda: search(next(following))
