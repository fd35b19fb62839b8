"""One query over an open index: looked up, ranked, and walked in its final order."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from memory_native.search.catalogue import Catalogue
from memory_native.search.fuzzy import REPLACEMENT_WEIGHT, replacements
from memory_native.search.lookup import Postings, Statistics, postings, ranges_of, statistics
from memory_native.search.matching import Term, match, only, scored_terms
from memory_native.search.query import Query, parse
from memory_native.search.ranking import Context, Scored
from memory_native.search.scoring import idf
from memory_native.search.shelves import KINDS, kind_of


T = TypeVar("T")
Keep = Callable[[str], bool]
Take = Callable[[Iterator[Scored]], list[T]]

CANDIDATES = (200, 1_600, 12_800)  # passages looked at in context: more only when too few remain
DOCUMENT_CANDIDATES = (128, *CANDIDATES[1:])
"""The same where only documents are told apart: it costs no recall there (LoCoMo, sessions at 5),
and two points of budget hit where lines are quoted."""
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
    statistics: Statistics  # of what is searched


@dataclass(frozen=True)
class Walk:
    """Passages in final order, each text once; ``cut`` when more matched than were looked at."""

    found: Iterator[Scored]
    context: Context
    cut: bool


class Retrieval:
    """Everything a query needs of an open index; raises ValueError where the file is damaged."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._statistics: dict[tuple[int, ...], Statistics] = {}
        self.catalogue = Catalogue(connection)

    def ask(self, text: str, shelf: str | None = None) -> Asked:
        """Look up the terms of *text*, in the documents on *shelf* or, for None, in all."""
        self.catalogue.trim()
        query = parse(text)
        counted = self.statistics(KINDS if shelf is None else (kind_of(shelf),))
        most = max(_FEWEST_TERMS, _MOST_PROBES // max(1, len(counted.blocks)))
        weights = dict(list(query.weights.items())[:most])
        known = postings(self._connection, counted, weights)
        unknown = [term for term in weights if not known[term].known]
        replaced = replacements(self._connection, counted, unknown)
        found = [(known[term], weight) for term, weight in weights.items()]
        found += self._replacements(counted, replaced, weights)
        terms = scored_terms(found, counted)
        missing = sum(weights[term] for term in unknown if term not in replaced)
        total = sum(term.idf * term.weight for term in terms)
        if shelf:
            terms = only(terms, ranges_of(self.catalogue.shelved(shelf)))
        total += missing * idf(counted.passages, 0)
        return Asked(query, tuple(terms), total, replaced, counted)

    def statistics(self, kinds: tuple[int, ...]) -> Statistics:
        """Return how much is indexed in blocks of *kinds*."""
        if kinds not in self._statistics:
            self._statistics[kinds] = statistics(self._connection, kinds)
        return self._statistics[kinds]

    def taken(
        self,
        asked: Asked,
        take: Take[T],
        *,
        enough: int,
        keep: Keep | None = None,
        candidates: tuple[int, ...] = CANDIDATES,
    ) -> tuple[list[T], Context]:
        """Return what *take* makes of passages in final order, and what they were scored in.

        Walks over more and more *candidates*, for when fewer than *enough* come out of one.
        """
        *fewer, most = candidates
        for count in fewer:
            walk = self._walk(asked, count, keep)
            taken = take(walk.found)
            if len(taken) >= enough or not walk.cut:
                return taken, walk.context
        walk = self._walk(asked, most, keep)
        return take(walk.found), walk.context

    def _walk(self, asked: Asked, count: int, keep: Keep | None) -> Walk:
        """Return what the best *count* passages and their neighbours come to, best first."""
        matches = match(asked.terms, asked.total_idf, count)
        sections_of = self.catalogue.sections_of
        context = Context(asked.query, asked.terms, matches, asked.statistics, sections_of)
        return Walk(self._in_order(context.ranked(), keep), context, matches.cut)

    def matched(self, asked: Asked, passage: Scored) -> tuple[str, ...]:
        """Return the scored terms that *passage* has, the rarest first."""
        _, section, place, _, _, _ = passage
        number = section.first + place
        return tuple(term.postings.term for term in asked.terms if term.postings.has(number))

    def _replacements(
        self, counted: Statistics, replaced: dict[str, list[str]], weights: dict[str, float]
    ) -> list[tuple[Postings, float]]:
        wanted = {near for terms in replaced.values() for near in terms} - weights.keys()
        known = postings(self._connection, counted, sorted(wanted)) if wanted else {}
        return [
            (known[near], REPLACEMENT_WEIGHT * weights[term])
            for term, terms in replaced.items()
            for near in terms
            if near in known
        ]

    def _in_order(self, ranked: list[Scored], keep: Keep | None) -> Iterator[Scored]:
        """Yield what *keep* accepts, each text once, equal scores by path and line.

        Passages are taken apart by index: this is done some hundred times a query.
        """
        catalogue = self.catalogue
        seen: set[bytes] = set()
        start, end, looked_up = 0, len(ranked), 0
        while start < end:
            stop = _tied(ranked, start, end)
            if (keep is not None or stop - start > 1) and stop > looked_up:
                looked_up = stop + _TOGETHER
                catalogue.load_documents([passage[1] for passage in ranked[start:looked_up]])
            tied = ranked[start:stop]
            if stop - start > 1:
                tied.sort(key=self._position)
            for passage in tied:
                section = passage[1]
                said = section.said(passage[2])
                if said in seen or not (keep is None or keep(catalogue.path(section))):
                    continue
                seen.add(said)
                yield passage
            start = stop

    def _position(self, passage: Scored) -> tuple[str, int, int]:
        _, section, place, _, _, _ = passage
        return (*self.catalogue.spot(section, place), place)


def _tied(ranked: list[Scored], start: int, end: int) -> int:
    """Return where the run of equal scores ends that begins at *start*."""
    score = ranked[start][0]
    stop = start + 1
    while stop < end and ranked[stop][0] == score:
        stop += 1
    return stop
