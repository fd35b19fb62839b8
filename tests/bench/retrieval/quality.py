"""How well systems find: the data sets one by one, and the summary over all of them."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tests.bench.retrieval import datasets
from tests.bench.retrieval.baselines import Bm25s, Fts5, MiniLmVectors, NaiveFrequency
from tests.bench.retrieval.metrics import Scored, score
from tests.bench.retrieval.protocol import Question, Store, System, Unavailable, merged
from tests.bench.retrieval.report import Measured, kinds, summary, table


Systems = Sequence[Callable[[], System]]

PEERS: Systems = (
    NaiveFrequency,
    lambda: Fts5("OR"),
    lambda: Fts5("AND"),
    Bm25s,
    MiniLmVectors,
)
CHINESE_PEERS: Systems = (
    lambda: Fts5("OR", "unicode61"),
    lambda: Fts5("OR", "trigram"),
)
_SEED = 1


@dataclass(frozen=True)
class DataSet:
    """A data set: what it is called, where it comes from, and who else is put to it."""

    title: str
    load: Callable[[], Sequence[Store]]
    peers: Systems
    by_kind: bool = False
    quick: bool = False


SETS = (
    DataSet("Our own set", lambda: [datasets.own()], PEERS, by_kind=True, quick=True),
    DataSet("LoCoMo 5, held out", lambda: datasets.locomo()[4:], PEERS, quick=True),
    DataSet("LoCoMo 4-5, held out", lambda: datasets.locomo()[3:], PEERS),
    DataSet("CMRC 2018 trial", lambda: [datasets.cmrc()], CHINESE_PEERS),
    DataSet("MemoryBank, days named", datasets.memory_bank, CHINESE_PEERS),
    DataSet("LoCoMo 1-3, tuned on", lambda: datasets.locomo()[:3], PEERS),
    DataSet("LoCoMo 1-5 merged", lambda: [merged("all", datasets.locomo())], PEERS),
)


def chosen(*, quick: bool) -> tuple[DataSet, ...]:
    """Return the sets of a run: the two *quick* ones, or all that do not contain each other."""
    return tuple(data for data in SETS if data.quick == quick or data.by_kind)


def quality(
    system: Callable[[], System],
    sets: Sequence[DataSet],
    *,
    peers: bool = True,
    questions: int | None = None,
) -> Iterator[str]:
    """Yield a table for each data set that is here, a line for each that is not, and the summary.

    *questions* limits those of each set to a sample, which is the same in every run.
    """
    measured: list[Measured] = []
    for data in sets:
        try:
            stores = sampled(data.load(), questions)
        except Unavailable as reason:
            yield f"### {data.title}: skipped, {reason}\n"
            continue
        scored = [score(system(), stores)]
        for peer in data.peers if peers else ():
            try:
                scored.append(score(peer(), stores))
            except Unavailable as reason:
                yield f"(peer skipped: {reason})\n"
        measured.append(Measured(data.title, tuple(scored)))
        yield table(data.title, scored)
        if data.by_kind:
            yield _by_kind(scored[0], stores)
    yield summary(measured)


def sampled(stores: Sequence[Store], count: int | None) -> list[Store]:
    """Return *stores* with *count* of their questions in all, each store with its share."""
    asked = [(at, question) for at, store in enumerate(stores) for question in store.questions]
    if count is None or count >= len(asked):
        return list(stores)
    kept = sorted(random.Random(_SEED).sample(range(len(asked)), count))
    questions: list[list[Question]] = [[] for _ in stores]
    for number in kept:
        at, question = asked[number]
        questions[at].append(question)
    return [
        replace(store, questions=tuple(own))
        for store, own in zip(stores, questions, strict=True)
        if own
    ]


def _by_kind(scored: Scored, stores: Sequence[Store]) -> str:
    return kinds(scored, [question.kind for store in stores for question in store.questions])
