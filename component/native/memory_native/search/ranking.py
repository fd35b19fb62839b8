"""Second pass: the passages that matched, scored in their context, best first."""

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import itemgetter

from memory_native.search.analysis import (
    ALL_CUES,
    HEADING_CUE,
    PERSON_CUE,
    QUESTION_CUE,
    TEMPORAL_CUE,
    analyse,
    is_date_term,
)
from memory_native.search.catalogue import Catalogue, Touched
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
    Parts,
    idf,
    units_with,
)


REACH = 4
"""Lines around a passage that matched best which are scored too.

Fewer candidates with a longer reach find more than many with a short one: what answers often shares
no more than a name with the question, and stands near what was found. Measured on LoCoMo 1-5 merged:
60 candidates and 4 lines against 200 and 1 give +0.9 points of turn R@10 and +1.3 of budget hit.
"""
DOCUMENT_REACH = (
    1  # the same where documents are told apart: it takes half as long and finds no fewer
)
MOST_HEADER_SECTIONS = 50  # sections that match by path or headings alone

Scored = tuple[float, StoredSection, int]
"""A passage: score, section, place inside the section.

Unnamed, because there are hundreds a query and few are shown. What the score is the sum of is worked
out again by `Context.parts` for what is explained.
"""


class Context:
    """What the passages of one query are scored in."""

    def __init__(
        self,
        query: Query,
        terms: Sequence[Term],
        matches: Matches,
        statistics: Statistics,
        catalogue: Catalogue,
    ) -> None:
        """Look up the sections of *matches* and what they are worth as a whole."""
        self._matches = matches
        self._headers = _header_scores(terms, statistics)
        self._touched = _touched(matches.best, self._headers, catalogue)
        self._wholes = _section_scores(terms, self._touched, statistics)
        self._named = _Named(query)
        self._cue_worth = _TIMED if query.asks_time else _UNTIMED

    def ranked(self, reach: int) -> list[Scored]:
        """Return the passages at most *reach* lines from the best matches, best first.

        Ties come in no promised order.
        """
        ranked: list[Scored] = []
        cue_worth = self._cue_worth
        for section, places in self._touched:
            first, _, speakers, cues, lengths, said_by, _ = section
            whole = self._wholes[first] + self._headers.get(first, _NO_HEADER)[0]
            named = self._named.among(speakers)
            reached = _reached(places, reach, len(cues))
            start = max(reached[0] - _AROUND, 0)
            effect = _effect(section, start, reached[-1] + _AROUND, self._matches)
            for place in reached:
                at = place - start
                two_before, before, own, after, two_after = effect[at : at + 5]
                score = whole + LENGTH_BONUS[lengths[place]] + cue_worth[cues[place]] + own
                score += BEFORE * before + AFTER * after + TWO_AWAY * (two_before + two_after)
                if named and said_by[place] in named:
                    score += SPEAKER
                ranked.append((score, section, place))
        ranked.sort(key=_SCORE, reverse=True)
        return ranked

    def parts(self, scored: Scored) -> Parts:
        """Return what the score of a passage is the sum of."""
        _, section, place = scored
        cues = section.cues[place]
        start = max(place - _AROUND, 0)
        effect = _effect(section, start, place + _AROUND, self._matches)
        two_before, before, _, after, two_after = effect[place - start : place - start + 5]
        number = section.first + place
        asked_before, own = self._matches.around(range(number - 1, number + 1))
        carries = place > 0 and section.cues[place - 1] & QUESTION_CUE
        timed = cues & TEMPORAL_CUE and self._cue_worth is _TIMED
        return Parts(
            base=own * _FACTOR[cues & _ASKS_OR_LEADS],
            carry=asked_before * CARRY if carries else 0,
            nearby=BEFORE * before + AFTER * after + TWO_AWAY * (two_before + two_after),
            section=self._wholes[section.first],
            header=self._headers.get(section.first, _NO_HEADER)[0],
            speaker=SPEAKER if section.said_by[place] in self._named.among(section.speakers) else 0,
            time=TIME if timed else 0,
            person=PERSON if cues & PERSON_CUE else 0,
            length=LENGTH_BONUS[section.lengths[place]],
        )

    def evidence(self, scored: Scored) -> float:
        """Return what of the score of a passage comes from words of the query."""
        parts = self.parts(scored)
        return sum(parts) - parts.time - parts.person - parts.length

    def coverage(self, scored: Scored) -> float:
        """Return the share of the query's idf that a passage itself and its header match."""
        _, section, place = scored
        header_idf = self._headers.get(section.first, _NO_HEADER)[1]
        return self._matches.coverage(section.first + place, header_idf)


class _Named:
    """Which speakers the query names; remembered, because sections repeat them."""

    def __init__(self, query: Query) -> None:
        self._asked = query.weights.keys()
        self._known: dict[str, frozenset[int]] = {"": frozenset()}

    def among(self, speakers: str) -> frozenset[int]:
        """Return the 1-based places of the named ones among *speakers*, one a line."""
        places = self._known.get(speakers)
        if places is None:
            places = self._known[speakers] = frozenset(
                place
                for place, name in enumerate(speakers.split("\n"), 1)
                if not self._asked.isdisjoint(_terms_of(name))
            )
        return places


@lru_cache(maxsize=1_024)
def _terms_of(name: str) -> frozenset[str]:
    return frozenset(analyse(name).terms)


def _header_scores(terms: Sequence[Term], statistics: Statistics) -> dict[int, tuple[float, float]]:
    """Return first passage of a section -> (header score, idf of the terms its header has)."""
    scores: dict[int, tuple[float, float]] = {}
    for term in terms:
        frequency = term.header_frequency
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
    best: Iterable[int], headers: dict[int, tuple[float, float]], catalogue: Catalogue
) -> list[Touched]:
    """Return the sections of passages that matched, and the best of those whose header did."""
    touched = catalogue.sections_of(best)
    seen = {section.first for section, _ in touched}
    only = {first: score for first, (score, _) in headers.items() if first not in seen}
    by_header = _best_of(only, MOST_HEADER_SECTIONS, catalogue)
    return touched + [(section, []) for section, _ in catalogue.sections_of(by_header)]


def _best_of(scores: dict[int, float], most: int, catalogue: Catalogue) -> list[int]:
    """Return the *most* best sections, of equals the first ones by path and line."""
    if len(scores) <= most:
        return list(scores)
    least = sorted(scores.values())[-most]
    better = [first for first, score in scores.items() if score > least]
    tied = [first for first, score in scores.items() if score == least]
    return better + catalogue.first_of(tied, most - len(better))


def _section_scores(
    terms: Sequence[Term], touched: Iterable[Touched], statistics: Statistics
) -> dict[int, float]:
    """Return first passage of a section -> BM25 of the section."""
    blocks = _in_blocks(touched)
    scores = {section.first: 0.0 for section, _ in touched}
    for term in terms:
        frequency = units_with(term.frequency, statistics.sections)
        worth = SECTION * term.weight * idf(statistics.sections, frequency)
        if worth < _LEAST_WORTH:
            continue
        for base, stretches in blocks.items():
            records = term.postings.passages.get(base)
            if records is not None:
                _add_section_scores(scores, records, stretches, worth)
    return scores


_Stretches = tuple[list[int], list[int], list[StoredSection]]
"""The sections of one block in order: the records they begin with, end before, themselves."""


def _in_blocks(touched: Iterable[Touched]) -> dict[int, _Stretches]:
    blocks: defaultdict[int, _Stretches] = defaultdict(lambda: ([], [], []))
    for section, _ in sorted(touched, key=_FIRST):
        slot = section.first % SLOTS
        starts, stops, sections = blocks[section.first - slot]
        starts.append(slot << LEVEL_BITS)
        stops.append((slot + len(section.cues)) << LEVEL_BITS)
        sections.append(section)
    return blocks


def _add_section_scores(
    scores: dict[int, float], records: "array[int]", stretches: _Stretches, worth: float
) -> None:
    """Add what *records* of one term are worth to the sections of one block.

    Of records and sections, each is looked up in the other, the fewer ones in the more.
    """
    starts, stops, sections = stretches
    counts: dict[int, int] = {}
    if len(records) < len(starts):
        for record in records:
            at = bisect_right(starts, record) - 1
            if at >= 0 and record < stops[at]:
                counts[at] = counts[at] + 1 if at in counts else 1
    else:
        end = len(records)
        for at, start in enumerate(starts):
            low = bisect_left(records, start)
            if low < end and records[low] < stops[at]:
                counts[at] = bisect_left(records, stops[at], low) - low
    for at, count in counts.items():
        section = sections[at]
        scores[section.first] += worth * SECTION_SATURATION[len(section.cues)][count]


def _effect(section: StoredSection, start: int, stop: int, matches: Matches) -> list[float]:
    """Return what passages score by themselves and by what a question before them carries on.

    The first two and the last three places are empty: that of the passage at *start* is the third.
    """
    first, cues = section.first, section.cues
    own = matches.around(range(first + start, first + min(stop, len(cues))))
    effect = [0.0, 0.0, *own, 0.0, 0.0, 0.0]
    for at, value in enumerate(own):
        if value and (cue := cues[start + at] & _ASKS_OR_LEADS):
            effect[at + 2] += value * (_FACTOR[cue] - 1)
            if cue & QUESTION_CUE:
                effect[at + 3] += value * CARRY
    return effect


def _reached(places: list[int], reach: int, count: int) -> Sequence[int]:
    """Return the places at most *reach* lines from *places*, each once.

    Of a section that matched by its header alone, this is the first passage.
    """
    if not places:
        return range(1)
    if len(places) == 1:  # most
        return range(max(places[0] - reach, 0), min(places[0] + reach + 1, count))
    reached: list[int] = []
    after_last = 0
    for place in places:
        reached += range(max(place - reach, after_last), min(place + reach + 1, count))
        after_last = place + reach + 1
    return reached


_AROUND = 3  # lines beyond what is reached: two neighbours count, and what a third carries to one
_LEAST_WORTH = 0.02  # of a term in a section; what is in nearly every section costs most to count
_ASKS_OR_LEADS = QUESTION_CUE | HEADING_CUE
# What is left of the own score of a question, of a heading, and of a heading that asks
_FACTOR = {
    0: 1.0,
    QUESTION_CUE: 1 - QUESTION_PENALTY,
    HEADING_CUE: 1 - HEADING_PENALTY,
    HEADING_CUE | QUESTION_CUE: 1 - HEADING_PENALTY,
}
_UNTIMED = tuple(PERSON if cues & PERSON_CUE else 0.0 for cues in range(ALL_CUES + 1))
_TIMED = tuple(
    worth + (TIME if cues & TEMPORAL_CUE else 0.0) for cues, worth in enumerate(_UNTIMED)
)
_SCORE = itemgetter(0)
_FIRST = itemgetter(0)  # of what is touched, its section; of a section, its first passage
_NO_HEADER = (0.0, 0.0)
