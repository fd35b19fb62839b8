"""Second pass: the passages that matched, scored in their context, best first."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from memory_native.search.analysis import Cue, analyse, is_date_term
from memory_native.search.lookup import Statistics
from memory_native.search.matching import Matches, Term
from memory_native.search.postings import LEVEL_BITS, SLOTS, span
from memory_native.search.query import Query
from memory_native.search.rows import Mark, StoredSection
from memory_native.search.scoring import (
    AFTER,
    BEFORE,
    CARRY,
    HEADER,
    HEADER_DATE,
    HEADING_PENALTY,
    PERSON,
    QUESTION_PENALTY,
    SECTION,
    SPEAKER,
    TIME,
    TWO_AWAY,
    Parts,
    idf,
    length_bonus,
    section_saturation,
    units_with,
)


MOST_HEADER_SECTIONS = 50  # sections that match by path or headings alone
_BASES = -SLOTS

SectionOf = Callable[[int], StoredSection]


class Ranked(NamedTuple):
    """A passage with its score and where it stands."""

    score: float
    section: StoredSection
    place: int  # inside the section
    coverage: float  # share of the query's idf that the passage itself and its header match
    parts: Parts

    @property
    def mark(self) -> Mark:
        """What is stored of the passage."""
        return self.section.marks[self.place]


def rank(
    query: Query,
    terms: Sequence[Term],
    matches: Matches,
    statistics: Statistics,
    section_of: SectionOf,
) -> list[Ranked]:
    """Return every passage with a score, best first; equal scores are in no promised order."""
    headers = _header_scores(terms, statistics)
    sections = _touched(matches.base, headers, section_of)
    section_scores = _section_scores(terms, sections, statistics)
    cues = _Asked(query)
    ranked: list[Ranked] = []
    for section in sections:
        header, header_idf = headers.get(section.first, (0.0, 0.0))
        whole = section_scores[section.first]
        for place, (base, carry, nearby) in _in_context(
            section, matches.base, by_header=header > 0
        ):
            mark = section.marks[place]
            parts = Parts(
                base, carry, nearby, whole, header, cues.speaker(section, mark), cues.time(mark),
                PERSON if mark.cues & Cue.FIRST_PERSON else 0.0, length_bonus(mark.length),
            )  # fmt: skip
            coverage = matches.coverage.get(section.first + place, 0.0) + header_idf
            ranked.append(Ranked(sum(parts), section, place, coverage, parts))
    ranked.sort(key=lambda passage: -passage.score)
    return ranked


class _Asked:
    """What the query asks of a passage beside its words."""

    def __init__(self, query: Query) -> None:
        self._terms = query.weights.keys()
        self._time = TIME if query.asks_time else 0.0
        self._named: dict[str, bool] = {}

    def speaker(self, section: StoredSection, mark: Mark) -> float:
        if not mark.speaker:
            return 0.0
        name = section.speakers[mark.speaker - 1]
        if name not in self._named:
            self._named[name] = not self._terms.isdisjoint(analyse(name).terms)
        return SPEAKER if self._named[name] else 0.0

    def time(self, mark: Mark) -> float:
        return self._time if mark.cues & Cue.TEMPORAL else 0.0


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
    base: dict[int, float], headers: dict[int, tuple[float, float]], section_of: SectionOf
) -> list[StoredSection]:
    """Return the sections of passages that matched, and the best of those whose header did."""
    sections: list[StoredSection] = []
    end = -1
    for number in sorted(base):
        if number >= end:
            section = section_of(number)
            sections.append(section)
            end = section.first + len(section.marks)
    seen = {section.first for section in sections}
    only = sorted((-score, first) for first, (score, _) in headers.items() if first not in seen)
    sections.extend(section_of(first) for _, first in only[:MOST_HEADER_SECTIONS])
    return sections


def _section_scores(
    terms: Sequence[Term], sections: Iterable[StoredSection], statistics: Statistics
) -> dict[int, float]:
    """Return first passage of a section -> BM25 of the section."""
    by_block: defaultdict[int, list[StoredSection]] = defaultdict(list)
    for section in sections:
        by_block[section.first & _BASES].append(section)
    scores = {section.first: 0.0 for found in by_block.values() for section in found}
    for term in terms:
        frequency = units_with(term.postings.frequency, statistics.sections)
        worth = SECTION * term.weight * idf(statistics.sections, frequency)
        for base, records in term.postings.passages.items():
            for section in by_block.get(base, ()):
                slot = section.first - base
                low, high = span(records, slot, slot + len(section.marks))
                if high > low:
                    scores[section.first] += worth * section_saturation(
                        high - low, len(section.marks)
                    )
    return scores


def _in_context(
    section: StoredSection, base: dict[int, float], *, by_header: bool
) -> Iterable[tuple[int, tuple[float, float, float]]]:
    """Yield place -> (base, carry, nearby) of each passage that its section's matches reach."""
    count = len(section.marks)
    own = [base.get(section.first + place, 0.0) for place in range(count)]
    carried = [
        CARRY * own[place - 1] if place and section.marks[place - 1].cues & Cue.QUESTION else 0.0
        for place in range(count)
    ]
    factors = [_factor(mark) for mark in section.marks]
    effect = [0.0, 0.0, *((own[i] + carried[i]) * factors[i] for i in range(count)), 0.0, 0.0]
    for place in range(count):
        nearby = (
            TWO_AWAY * (effect[place] + effect[place + 4])
            + BEFORE * effect[place + 1]
            + AFTER * effect[place + 3]
        )
        if effect[place + 2] > 0 or nearby > 0 or (by_header and place == 0):
            yield place, (own[place] * factors[place], carried[place] * factors[place], nearby)


def _factor(mark: Mark) -> float:
    if mark.cues & Cue.HEADING:
        return 1 - HEADING_PENALTY
    return 1 - QUESTION_PENALTY if mark.cues & Cue.QUESTION else 1.0
