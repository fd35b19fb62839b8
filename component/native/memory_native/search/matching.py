"""First pass over the records: the best passages by their own words.

Cheap and over everything that matches; the second pass (`ranking`) looks at the context of the
few that this one keeps. Terms go from the rarest to the most common. Once enough records were read,
common terms are only looked up for the passages that are still in the running
(retrieval.md section 1.5).
"""

import heapq
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from memory_native.search.analysis import is_cjk_character, is_cjk_pair
from memory_native.search.lookup import Postings, Statistics
from memory_native.search.postings import LEVEL_BITS, LEVEL_MASK, LEVEL_VALUES, SLOTS
from memory_native.search.scoring import COORDINATION, idf


MOST_SCORED_TERMS = 32
RECORD_BUDGET = 3_000
# A character in more passages than this is common (retrieval.md section 3, last lines)
_COMMON, _COMMON_IN_LARGE, _LARGE = 0.10, 0.05, 3_000
_ENOUGH_PAIRS = 2
_MOST_TIED = 4  # times the passages asked for, kept when their scores are equal
# Two sums travel in one integer: the score above, the idf of what matched below.
_SHIFT = 32
_LOW = (1 << _SHIFT) - 1
_SCALE = 1_000
_BASES = -SLOTS  # masks a passage number down to the first of its block


@dataclass(frozen=True)
class Term:
    """One scored term: its records and what a match is worth."""

    postings: Postings
    weight: float  # times it was asked for
    idf: float


@dataclass(frozen=True)
class Matches:
    """The passages that matched best by their own words."""

    base: dict[int, float]  # passage number -> base score
    matched_idf: dict[int, float]  # passage number -> idf of the query's terms it has
    total_idf: float
    cut: bool  # whether some matching passages were left out

    def coverage(self, number: int, header_idf: float) -> float:
        """Return the share of the query that a passage and its header match, at most 1."""
        return min(1.0, (self.matched_idf.get(number, 0.0) + header_idf) / self.total_idf)


def scored_terms(found: list[tuple[Postings, float]], statistics: Statistics) -> list[Term]:
    """Return the known terms worth scoring, the rarest first."""
    terms = [
        Term(
            postings, weight, idf(statistics.passages, min(postings.frequency, statistics.passages))
        )
        for postings, weight in found
        if postings.known
    ]
    terms.sort(key=lambda term: (term.postings.frequency, term.postings.term))
    return _without_common_characters(terms, statistics.passages)[:MOST_SCORED_TERMS]


def _without_common_characters(terms: list[Term], passages: int) -> list[Term]:
    """Drop common single Han characters when pairs of them match: they cost most and say least."""
    pairs = sum(1 for term in terms if is_cjk_pair(term.postings.term))
    if pairs < _ENOUGH_PAIRS:
        return terms
    most = passages * (_COMMON_IN_LARGE if passages > _LARGE else _COMMON)
    return [
        term
        for term in terms
        if not (is_cjk_character(term.postings.term) and term.postings.frequency > most)
    ]


def match(terms: Sequence[Term], total_idf: float, keep: int) -> Matches:
    """Return the *keep* best passages by their own words."""
    sums: dict[int, int] = {}
    read = 0
    cut = False
    for term in terms:
        frequency = term.postings.frequency
        if sums and read + frequency > max(RECORD_BUDGET, 15 * keep):
            sums, dropped = _best(sums, 2 * keep)
            cut = cut or dropped
            _add_where_present(sums, term)
        else:
            _add(sums, term)
            read += frequency
    sums, dropped = _best(sums, keep)
    matched = {number: (both & _LOW) / _SCALE for number, both in sums.items()}
    share = COORDINATION / total_idf
    base = {
        number: (both >> _SHIFT) / _SCALE * (1 - COORDINATION + share * matched[number])
        for number, both in sums.items()
    }
    return Matches(base, matched, total_idf, cut or dropped)


def _worth(term: Term) -> list[int]:
    """Return the two sums that one record adds, by its level.

    Never nothing: a word that stands in every passage is worth little, and is still found.
    """
    value = max(term.idf * term.weight * _SCALE, 1.0)
    matched = round(value)
    return [((round(value * level) or 1) << _SHIFT) + matched for level in LEVEL_VALUES]


def _add(sums: dict[int, int], term: Term) -> None:
    worth = _worth(term)
    known = sums.get
    for base, records in term.postings.passages.items():
        for record in records:
            number = base + (record >> LEVEL_BITS)
            sums[number] = known(number, 0) + worth[record & LEVEL_MASK]


def _add_where_present(sums: dict[int, int], term: Term) -> None:
    worth = _worth(term)
    by_block: defaultdict[int, list[int]] = defaultdict(list)
    for number in sums:
        by_block[number & _BASES].append(number)
    for base, numbers in by_block.items():
        records = term.postings.passages.get(base)
        if records is None:
            continue
        end = len(records)
        for number in numbers:
            slot = number - base
            place = bisect_left(records, slot << LEVEL_BITS)
            if place < end and (record := records[place]) >> LEVEL_BITS == slot:
                sums[number] += worth[record & LEVEL_MASK]


def _best(sums: dict[int, int], keep: int) -> tuple[dict[int, int], bool]:
    """Return the *keep* best and what ties with the last of them; whether any were dropped."""
    if len(sums) <= keep:
        return sums, False
    least = heapq.nlargest(keep, sums.values())[-1]
    best = {number: both for number, both in sums.items() if both >= least}
    if len(best) > _MOST_TIED * keep:
        best = dict(heapq.nlargest(_MOST_TIED * keep, best.items(), key=lambda item: item[1]))
    return best, len(best) < len(sums)
