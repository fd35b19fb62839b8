"""Second pass: the passages that matched, scored in their context, best first."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from memory_native.search.analysis import (
    HEADING_CUE,
    PERSON_CUE,
    QUESTION_CUE,
    TEMPORAL_CUE,
    analyse,
    is_date_term,
)
from memory_native.search.catalogue import Touched
from memory_native.search.lookup import Statistics
from memory_native.search.matching import Matches, Term
from memory_native.search.postings import LEVEL_BITS, SLOTS
from memory_native.search.query import Query
from memory_native.search.rows import StoredSection
from memory_native.search.scoring import (
    AFTER,
    BEFORE,
    CARRY,
    HEADER,
    HEADER_DATE,
    HEADING_PENALTY,
    LENGTH_BONUS,
    PERSON,
    QUESTION_PENALTY,
    SECTION,
    SECTION_SATURATION,
    SPEAKER,
    TIME,
    TWO_AWAY,
    idf,
    units_with,
)


MOST_HEADER_SECTIONS = 50  # sections that match by path or headings alone

SectionsOf = Callable[[Iterable[int]], list[Touched]]


class Ranked(NamedTuple):
    """A passage with its score and where it stands."""

    score: float
    section: StoredSection
    place: int  # inside the section
    header_idf: float  # idf of the query's terms in the section's header
    parts: tuple[float, ...]  # `scoring.Parts`, unnamed because there are hundreds a query


Scored = tuple[float, StoredSection, int, float, tuple[float, ...]]
"""`Ranked` before it is named: only the few that are shown are worth the cost."""


def rank(
    query: Query,
    terms: Sequence[Term],
    matches: Matches,
    statistics: Statistics,
    sections_of: SectionsOf,
) -> list[Scored]:
    """Return `Ranked` tuples of every passage with a score, best first, ties in no promised order."""
    headers = _header_scores(terms, statistics)
    touched = _touched(matches.base, headers, sections_of)
    section_scores = _section_scores(terms, touched, statistics)
    named = _Named(query)
    time_worth = TIME if query.asks_time else 0.0
    scored: list[Scored] = []
    for section, places in touched:
        first, _, speakers, all_cues, lengths, said_by, _ = section
        header, header_idf = headers.get(first, _NO_HEADER)
        whole = section_scores[first]
        named_here = named.among(speakers)
        for place, base, carry, nearby in _in_context(section, places, matches.base):
            cues = all_cues[place]
            parts = (
                base,
                carry,
                nearby,
                whole,
                header,
                SPEAKER if said_by[place] in named_here else 0.0,
                time_worth if cues & TEMPORAL_CUE else 0.0,
                PERSON if cues & PERSON_CUE else 0.0,
                LENGTH_BONUS[lengths[place]],
            )
            scored.append((sum(parts), section, place, header_idf, parts))
    scored.sort(key=_SCORE, reverse=True)
    return scored


class _Named:
    """Which speakers the query names; remembered, because sections repeat them."""

    def __init__(self, query: Query) -> None:
        self._terms = query.weights.keys()
        self._known: dict[str, frozenset[int]] = {"": frozenset()}

    def among(self, speakers: str) -> frozenset[int]:
        """Return the 1-based places of the named ones among *speakers*, one a line."""
        places = self._known.get(speakers)
        if places is None:
            places = self._known[speakers] = frozenset(
                place
                for place, name in enumerate(speakers.split("\n"), 1)
                if not self._terms.isdisjoint(analyse(name).terms)
            )
        return places


def _header_scores(terms: Sequence[Term], statistics: Statistics) -> dict[int, tuple[float, float]]:
    """Return first passage of a section -> (header score, idf of the terms its header has)."""
    scores: dict[int, tuple[float, float]] = {}
    for term in terms:
        frequency = term.postings.header_frequency
        if not frequency:
            continue
        weight = HEADER_DATE if is_date_term(term.postings.term) else HEADER
        worth = weight * idf(statistics.sections, min(frequency, statistics.sections))
        for base, records in term.postings.headers.items():
            for record in records:
                first = base + (record >> LEVEL_BITS)
                score, matched = scores.get(first, (0.0, 0.0))
                scores[first] = (score + worth, matched + term.idf * term.weight)
    return scores


def _touched(
    base: dict[int, float], headers: dict[int, tuple[float, float]], sections_of: SectionsOf
) -> list[Touched]:
    """Return the sections of passages that matched, and the best of those whose header did."""
    touched = sections_of(base)
    seen = {section.first for section, _ in touched}
    only = sorted((-score, first) for first, (score, _) in headers.items() if first not in seen)
    by_header = [first for _, first in only[:MOST_HEADER_SECTIONS]]
    return touched + [(section, []) for section, _ in sections_of(by_header)]


def _section_scores(
    terms: Sequence[Term], touched: Iterable[Touched], statistics: Statistics
) -> dict[int, float]:
    """Return first passage of a section -> BM25 of the section."""
    by_block: defaultdict[int, list[tuple[int, int, int, tuple[float, ...]]]] = defaultdict(list)
    scores: dict[int, float] = {}
    for section, _ in touched:
        first, size = section.first, section.size
        slot = first % SLOTS
        start, stop = slot << LEVEL_BITS, (slot + size) << LEVEL_BITS
        by_block[first - slot].append((start, stop, first, SECTION_SATURATION[size]))
        scores[first] = 0.0
    for term in terms:
        frequency = units_with(term.postings.frequency, statistics.sections)
        worth = SECTION * term.weight * idf(statistics.sections, frequency)
        for base, records in term.postings.passages.items():
            for start, stop, first, saturation in by_block.get(base, ()):
                low = bisect_left(records, start)
                high = bisect_left(records, stop, low)
                if high > low:
                    scores[first] += worth * saturation[high - low]
    return scores


def _in_context(
    section: StoredSection, places: list[int], base: dict[int, float]
) -> Iterator[tuple[int, float, float, float]]:
    """Yield (place, base, carry, nearby) of the passages that matched and of their neighbours.

    A section that matched by its header alone yields its first passage.
    """
    first, cues = section.first, section.cues
    count = len(cues)
    own = [0.0] * (count + 1)
    carried = [0.0] * (count + 1)
    effect = [0.0] * (count + 5)  # two empty places before, and one more after for the carry
    reached = {0} if not places else set()
    for place in places:
        value = base[first + place]
        cue = cues[place] & (QUESTION_CUE | HEADING_CUE)
        if cue:
            if cue & QUESTION_CUE:
                carried[place + 1] = value * CARRY
                effect[place + 3] += value * CARRY
            value *= _FACTOR[cue]
        own[place] = value
        effect[place + 2] += value
        reached.update((place - 1, place, place + 1))
    reached.discard(-1)
    reached.discard(count)
    for place in reached:
        two_before, before, _, after, two_after = effect[place : place + 5]
        nearby = BEFORE * before + AFTER * after + TWO_AWAY * (two_before + two_after)
        yield place, own[place], carried[place], nearby


# What is left of the own score of a question, of a heading, and of a heading that asks
_FACTOR = {
    QUESTION_CUE: 1 - QUESTION_PENALTY,
    HEADING_CUE: 1 - HEADING_PENALTY,
    HEADING_CUE | QUESTION_CUE: 1 - HEADING_PENALTY,
}
_SCORE = itemgetter(0)
_NO_HEADER = (0.0, 0.0)
