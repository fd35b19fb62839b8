"""One query over an open index: looked up, ranked, and walked in its final order."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
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
        matches = match(asked.terms, asked.total_idf, count)
        sections_of = self.catalogue.sections_of
        context = Context(asked.query, asked.terms, matches, asked.statistics, sections_of)
        return Walk(self._in_order(context.ranked(reach), keep), context, matches.cut)

    def matched(self, asked: Asked, passage: Scored) -> tuple[str, ...]:
        """Return the scored terms that *passage* has, the rarest first."""
        _, section, place, _, _, _ = passage
        number = section.first + place
        return tuple(term.postings.term for term in asked.terms if term.postings.has(number))

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
