"""One query over an open index: looked up, ranked, and walked in its final order."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from memory_native.search.analysis import analyse
from memory_native.search.catalogue import Catalogue
from memory_native.search.fuzzy import REPLACEMENT_WEIGHT, replacements
from memory_native.search.lookup import Postings, postings, statistics
from memory_native.search.matching import Term, match, scored_terms
from memory_native.search.query import Query, parse
from memory_native.search.ranking import Ranked, rank
from memory_native.search.scoring import idf


Keep = Callable[[str], bool]

CANDIDATES = (200, 1_600, 12_800)  # passages looked at in context: more only when too few remain
FLOOR = 0.2  # least coverage of a passage that is quoted unasked
_MOST_PROBES = (
    6_000  # rows looked up, terms times blocks; a long query on a large index drops terms
)
_FEWEST_TERMS = 24


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
    ranked: Ranked


class Retrieval:
    """Everything a query needs of an open index; raises ValueError where the file is damaged."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.statistics = statistics(connection)
        self.catalogue = Catalogue(connection)

    def ask(self, text: str) -> Asked:
        """Look up the terms of *text*."""
        query = parse(text)
        blocks = self.statistics.blocks
        most = max(_FEWEST_TERMS, _MOST_PROBES // max(1, len(blocks)))
        weights = dict(list(query.weights.items())[:most])
        known = postings(self._connection, blocks, weights)
        unknown = [term for term in weights if not known[term].known]
        replaced = replacements(self._connection, blocks, unknown)
        found = [(known[term], weight) for term, weight in weights.items()]
        found += self._replacements(replaced, weights)
        terms = scored_terms(found, self.statistics)
        missing = sum(weights[term] for term in unknown if term not in replaced)
        total = sum(term.idf * term.weight for term in terms)
        return Asked(
            query, tuple(terms), total + missing * idf(self.statistics.passages, 0), replaced
        )

    def ranked(self, asked: Asked, count: int) -> tuple[list[Ranked], bool]:
        """Return what *count* passages and their neighbours score; whether more matched."""
        if not asked.terms:
            return [], False
        matches = match(asked.terms, asked.total_idf, count)
        section_of = self.catalogue.section_of
        return rank(asked.query, asked.terms, matches, self.statistics, section_of), matches.cut

    def walk(self, asked: Asked, count: int, keep: Keep | None) -> tuple[Iterator[Found], bool]:
        """Return the passages in final order, each text once, and whether more matched."""
        ranked, cut = self.ranked(asked, count)
        return _first_of_each(self._in_order(ranked, keep)), cut

    def matched(self, asked: Asked, section_text: str) -> tuple[str, ...]:
        """Return the scored terms that occur in *section_text*, in the order of their weight."""
        present = set(analyse(section_text).terms)
        return tuple(t.postings.term for t in asked.terms if t.postings.term in present)

    def _replacements(
        self, replaced: dict[str, list[str]], weights: dict[str, float]
    ) -> list[tuple[Postings, float]]:
        wanted = {near for terms in replaced.values() for near in terms} - weights.keys()
        known = postings(self._connection, self.statistics.blocks, sorted(wanted)) if wanted else {}
        return [
            (known[near], REPLACEMENT_WEIGHT * weights[term])
            for term, terms in replaced.items()
            for near in terms
            if near in known
        ]

    def _in_order(self, ranked: Iterable[Ranked], keep: Keep | None) -> Iterator[Found]:
        for _, tied in groupby(ranked, key=lambda passage: passage.score):
            group = [self._placed(passage) for passage in tied]
            if len(group) > 1:
                group.sort(key=lambda found: (found.path, found.line, found.ranked.place))
            for found in group:
                if keep is None or keep(found.path):
                    yield found

    def _placed(self, ranked: Ranked) -> Found:
        catalogue = self.catalogue
        line = catalogue.line(ranked.section, ranked.place)
        return Found(catalogue.document(ranked.section).path, line, ranked)


def _first_of_each(found: Iterable[Found]) -> Iterator[Found]:
    """Drop passages that say what a better one said already."""
    seen: set[int] = set()
    for passage in found:
        said = passage.ranked.mark.fingerprint
        if said not in seen:
            seen.add(said)
            yield passage
