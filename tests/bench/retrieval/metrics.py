"""Recall, reciprocal rank and what fits into a context, with intervals (retrieval.md section 2)."""

import random
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from tests.bench.retrieval.protocol import (
    BUDGET_BYTES,
    SNIPPET_BYTES,
    Place,
    Question,
    Snippet,
    Store,
    System,
)


CUTS = (1, 5, 10, 20)
RANKED = 200
_COVERED_SHARE, _COVERED_BYTES = 0.6, 256
_RESAMPLES = 2_000

Row = dict[str, float]


@dataclass(frozen=True)
class Scored:
    """What a system reached: a row of figures for each question, in the order of the questions."""

    system: str
    rows: tuple[Row, ...]

    def mean(self, figure: str) -> float:
        """Return the mean of one figure over the questions."""
        return sum(row[figure] for row in self.rows) / len(self.rows)

    def figures(self) -> Row:
        """Return the mean of every figure."""
        return {figure: self.mean(figure) for figure in self.rows[0]}


def score(system: System, stores: Sequence[Store]) -> Scored:
    """Record each store in *system*, put its questions, and score the answers."""
    rows: list[Row] = []
    for store in stores:
        system.record(store.documents)
        lines = {
            Place(document.path, number): line
            for document in store.documents
            for number, line in enumerate(document.text.split("\n"), 1)
        }
        rows += [_row(system, question, lines) for question in store.questions]
    return Scored(system.name, tuple(rows))


def _row(system: System, question: Question, lines: dict[Place, str]) -> Row:
    places = _turns(system.ranked(question.text, RANKED), lines)
    sessions = list(dict.fromkeys(place.path for place in places))
    gold_sessions = {place.path for place in question.gold}
    row: Row = {}
    for cut in CUTS:
        row[f"turn R@{cut}"] = _recall(places[:cut], question.gold)
    row["turn MRR"] = _reciprocal(places, question.gold)
    for cut in CUTS[:3]:
        row[f"session R@{cut}"] = _recall(sessions[:cut], gold_sessions)
    row["session MRR"] = _reciprocal(sessions, gold_sessions)
    covered = _covered(system.budget(question.text), question.gold, lines)
    row["budget any"] = float(covered > 0)
    row["budget recall"] = covered / len(question.gold)
    return row


def _turns(places: Sequence[Place], lines: dict[Place, str]) -> list[Place]:
    """Return *places* without headings, which are not turns."""
    return [place for place in places if not lines.get(place, "#").startswith("#")]


def _recall(found: Sequence[Hashable], gold: AbstractSet[Hashable]) -> float:
    return len(gold & set(found)) / len(gold)


def _reciprocal(found: Sequence[Hashable], gold: AbstractSet[Hashable]) -> float:
    return next((1 / rank for rank, place in enumerate(found, 1) if place in gold), 0.0)


def _covered(snippets: Sequence[Snippet], gold: frozenset[Place], lines: dict[Place, str]) -> int:
    """Return how many gold lines the reader sees enough of before the budget is full."""
    seen: dict[Place, int] = {}
    spent = 0
    for snippet in snippets:
        size = min(len(snippet.text.encode()), SNIPPET_BYTES)
        if spent + size > BUDGET_BYTES:
            break
        spent += size
        for place, text in snippet.quotes:
            held = min(len(text.encode()), SNIPPET_BYTES)
            seen[place] = seen.get(place, 0) + held
    return sum(seen.get(place, 0) >= _enough(lines[place]) for place in gold)


def _enough(line: str) -> float:
    return min(_COVERED_SHARE * len(line.encode()), _COVERED_BYTES)


def interval(first: Scored, second: Scored, figure: str, seed: int = 1) -> tuple[float, float]:
    """Return the 95 % interval of ``first - second``, paired by question, by bootstrap."""
    differences = [a[figure] - b[figure] for a, b in zip(first.rows, second.rows, strict=True)]
    source = random.Random(seed)
    means = sorted(
        sum(source.choices(differences, k=len(differences))) / len(differences)
        for _ in range(_RESAMPLES)
    )
    return means[int(0.025 * _RESAMPLES)], means[int(0.975 * _RESAMPLES)]
