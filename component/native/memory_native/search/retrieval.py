"""One query over an open index: looked up, ranked, and walked in its final order."""

import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import itemgetter, neg
from typing import TypeVar

from memory_native.search.asking import Asked, ask
from memory_native.search.catalogue import Catalogue
from memory_native.search.lookup import Statistics, ranges_of, statistics
from memory_native.search.matching import match, only
from memory_native.search.ranking import REACH, Context, Scored
from memory_native.search.shelves import KINDS, kind_of


T = TypeVar("T")
Keep = Callable[[str], bool]
Take = Callable[[Iterator[Scored]], list[T]]

CANDIDATES = (60, 1_600, 12_800)  # passages looked at in context: more only when too few remain
FLOOR = 0.35
"""Least score of the best passage, for each unit of idf that was asked for, for any passage to be
quoted to a reader who did not ask (`asking.Asked.expected_idf`, `Context.evidence`).

What its neighbours, its section, its headings and its speaker say counts, because what answers often
shares no word with the question. Measured on LoCoMo 1-3 / 4-5: it costs 0.3 / 0.0 points of budget
hit, and half of the questions about other conversations get nothing instead of 20 lines that share a
common word. (A share of 0.2 of the idf that the passage itself matches costs 1.0 / 0.5 for 28 %.)
"""
_TOGETHER = 80  # passages whose documents are read together


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
        counted = self.statistics(KINDS if shelf is None else (kind_of(shelf),))
        asked = ask(self._connection, counted, text)
        if not shelf:
            return asked
        ranges = ranges_of(self.catalogue.shelved(shelf))
        return replace(asked, terms=tuple(only(asked.terms, ranges)))

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
        reach: int = REACH,
    ) -> tuple[list[T], Context]:
        """Return what *take* makes of passages in final order, and what they were scored in.

        Walks over more and more `CANDIDATES`, for when fewer than *enough* come out of one.
        """
        *fewer, most = CANDIDATES
        for count in fewer:
            walk = self._walk(asked, count, keep, reach)
            taken = take(walk.found)
            if len(taken) >= enough or not walk.cut:
                return taken, walk.context
        walk = self._walk(asked, most, keep, reach)
        return take(walk.found), walk.context

    def _walk(self, asked: Asked, count: int, keep: Keep | None, reach: int) -> Walk:
        """Return what the best *count* passages and their neighbours come to, best first."""
        matches = match(asked.terms, asked.total_idf, count, self.catalogue.first_of)
        context = Context(asked.query, asked.terms, matches, asked.statistics, self.catalogue)
        return Walk(self._in_order(context.ranked(reach), keep), context, matches.cut)

    def matched(self, asked: Asked, passage: Scored) -> tuple[str, ...]:
        """Return the scored terms that *passage* has, the rarest first."""
        _, section, place = passage
        number = section.first + place
        return tuple(term.postings.term for term in asked.terms if term.postings.has(number))

    def matched_above(self, asked: Asked, passage: Scored) -> tuple[str, ...]:
        """Return the scored terms in the path of *passage* and the headings it stands under."""
        first = passage[1].first
        return tuple(term.postings.term for term in asked.terms if term.postings.heads(first))

    def _in_order(self, ranked: list[Scored], keep: Keep | None) -> Iterator[Scored]:
        """Yield what *keep* accepts, each text once, equal scores by path and line."""
        path_of = self.catalogue.path
        seen: set[bytes] = set()
        for stretch in self._stretches(ranked, with_documents=keep is not None):
            for passage in stretch:
                _, section, place = passage
                said = section.said(place)
                if said in seen or not (keep is None or keep(path_of(section))):
                    continue
                seen.add(said)
                yield passage

    def _stretches(self, ranked: list[Scored], *, with_documents: bool) -> Iterator[list[Scored]]:
        """Yield *ranked* in pieces, equal scores in order; *with_documents*, theirs have been read."""
        known = 0  # passages whose documents have been read
        for start, stop, tied in _runs(ranked):
            stretch = ranked[start:stop]
            if (tied or with_documents) and stop > known:
                known = stop + _TOGETHER
                self.catalogue.load_documents([section for _, section, _ in ranked[start:known]])
            yield self._by_place(stretch) if tied else stretch

    def _by_place(self, passages: list[Scored]) -> list[Scored]:
        """Return *passages* by path and line."""
        starts: dict[int, tuple[str, int]] = {}
        placed = []
        for passage in passages:
            _, section, place = passage
            if section.first not in starts:
                starts[section.first] = self.catalogue.spot(section, 0)
            path, line = starts[section.first]
            placed.append((path, line, place, passage))
        placed.sort(key=_PLACE)
        return [passage for _, _, _, passage in placed]


_PLACE = itemgetter(0, 1, 2)


def _runs(ranked: list[Scored]) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, stop, tied): the runs of equal scores, and what is between them in pieces."""
    scores = [score for score, _, _ in ranked]
    equal = [at for at, (one, following) in enumerate(pairwise(scores)) if one == following]
    end = 0
    for at in (*equal, len(scores)):
        for start in range(end, at, _TOGETHER):
            yield start, min(start + _TOGETHER, at), False
        if end <= at < len(scores):
            end = bisect_right(scores, -scores[at], lo=at, key=neg)
            yield at, end, True
