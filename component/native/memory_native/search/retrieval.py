"""One query over an open index: looked up, ranked, and walked in its final order."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple

from memory_native.search.catalogue import Catalogue
from memory_native.search.fuzzy import REPLACEMENT_WEIGHT, replacements
from memory_native.search.lookup import Postings, postings, statistics
from memory_native.search.matching import Matches, Term, match, scored_terms
from memory_native.search.query import Query, parse
from memory_native.search.ranking import Ranked, Scored, rank
from memory_native.search.scoring import idf


Keep = Callable[[str], bool]

CANDIDATES = (200, 1_600, 12_800)  # passages looked at in context: more only when too few remain
FLOOR = 0.2
"""Least share of a query's idf that the best of its passages must match, words the index does not
know included, for any passage to be quoted to a reader who did not ask.

Measured on LoCoMo: it costs 0.5 to 0.8 points of budget hit, and 39 % of the questions of another
conversation's kind get nothing instead of 20 lines that share a common word. A floor for each
passage was tried and dropped: at 0.1 it costs 4 to 10 points, because the answer to a question often
shares no word with it and is found by the line before.
"""
_MOST_PROBES = (
    6_000  # rows looked up, terms times blocks; a long query on a large index drops terms
)
_FEWEST_TERMS = 24
_TOGETHER = 80  # passages whose documents are read together


@dataclass(frozen=True)
class Asked:
    """A query looked up: the terms that count, and the idf of all that was asked for."""

    query: Query
    terms: tuple[Term, ...]
    total_idf: float
    replaced: dict[str, list[str]]  # unknown term -> indexed terms one slip away


class Found(NamedTuple):
    """A passage in its place: where it is, and why it is there."""

    path: str
    line: int
    said: int  # print of its text
    ranked: Ranked
    matches: Matches

    @property
    def coverage(self) -> float:
        """Share of the query's idf that the passage itself and its header match."""
        number = self.ranked.section.first + self.ranked.place
        return self.matches.coverage(number, self.ranked.header_idf)


@dataclass(frozen=True)
class Walk:
    """Passages in final order, each text once; ``cut`` when more matched than were looked at."""

    found: Iterator[Found]
    cut: bool


class Retrieval:
    """Everything a query needs of an open index; raises ValueError where the file is damaged."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.statistics = statistics(connection)
        self.catalogue = Catalogue(connection)

    def ask(self, text: str) -> Asked:
        """Look up the terms of *text*."""
        self.catalogue.trim()
        query = parse(text)
        most = max(_FEWEST_TERMS, _MOST_PROBES // max(1, len(self.statistics.blocks)))
        weights = dict(list(query.weights.items())[:most])
        known = postings(self._connection, weights)
        unknown = [term for term in weights if not known[term].known]
        replaced = replacements(self._connection, unknown)
        found = [(known[term], weight) for term, weight in weights.items()]
        found += self._replacements(replaced, weights)
        terms = scored_terms(found, self.statistics)
        missing = sum(weights[term] for term in unknown if term not in replaced)
        total = sum(term.idf * term.weight for term in terms)
        return Asked(
            query, tuple(terms), total + missing * idf(self.statistics.passages, 0), replaced
        )

    def walk(self, asked: Asked, count: int, keep: Keep | None = None) -> Walk:
        """Return what the best *count* passages and their neighbours come to, best first."""
        if not asked.terms:
            return Walk(iter(()), cut=False)
        matches = match(asked.terms, asked.total_idf, count)
        sections_of = self.catalogue.sections_of
        scored = rank(asked.query, asked.terms, matches, self.statistics, sections_of)
        return Walk(_first_of_each(self._in_order(scored, matches, keep)), cut=matches.cut)

    def matched(self, asked: Asked, passage: Ranked) -> tuple[str, ...]:
        """Return the scored terms that *passage* has, the rarest first."""
        number = passage.section.first + passage.place
        return tuple(term.postings.term for term in asked.terms if term.postings.has(number))

    def _replacements(
        self, replaced: dict[str, list[str]], weights: dict[str, float]
    ) -> list[tuple[Postings, float]]:
        wanted = {near for terms in replaced.values() for near in terms} - weights.keys()
        known = postings(self._connection, sorted(wanted)) if wanted else {}
        return [
            (known[near], REPLACEMENT_WEIGHT * weights[term])
            for term, terms in replaced.items()
            for near in terms
            if near in known
        ]

    def _in_order(
        self, scored: list[Scored], matches: Matches, keep: Keep | None
    ) -> Iterator[Found]:
        shares = (scored[start : start + _TOGETHER] for start in range(0, len(scored), _TOGETHER))
        ready = chain.from_iterable(map(self._with_documents, shares))
        for _, tied in groupby(ready, key=_SCORE):
            group = [self._placed(passage, matches) for passage in tied]
            if len(group) > 1:
                group.sort(key=lambda found: (found.path, found.line, found.ranked.place))
            for found in group:
                if keep is None or keep(found.path):
                    yield found

    def _with_documents(self, scored: list[Scored]) -> list[Scored]:
        self.catalogue.load_documents(map(_SECTION, scored))
        return scored

    def _placed(self, scored: Scored, matches: Matches) -> Found:
        ranked = Ranked._make(scored)
        path, start, lines = self.catalogue.spot(ranked.section)
        line, said = lines[ranked.place]
        return Found(path, start + line, said, ranked, matches)


def _first_of_each(found: Iterable[Found]) -> Iterator[Found]:
    """Drop passages that say what a better one said already."""
    seen: set[int] = set()
    for passage in found:
        if passage.said not in seen:
            seen.add(passage.said)
            yield passage


_SCORE, _SECTION = itemgetter(0), itemgetter(1)
