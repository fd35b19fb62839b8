"""First pass over the records: the best passages by their own words.

Cheap and over everything that matches; the second pass (`ranking`) looks at the context of the
few that this one keeps. Terms go from the rarest to the most common. Once enough records were read,
common terms are only looked up for the passages that are still in the running
(retrieval.md section 1.5).
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from memory_native.search.analysis import is_cjk_character, is_cjk_pair
from memory_native.search.lookup import Postings, Ranges, Statistics
from memory_native.search.postings import LEVEL_BITS, LEVEL_MASK, LEVEL_VALUES, SLOTS
from memory_native.search.scoring import COORDINATION, idf


MOST_SCORED_TERMS = 32
RECORD_BUDGET = 1_500  # records read before terms count as common; 3,000 find no more (merged sets)
# A character in more passages than this is common (retrieval.md section 3, last lines)
_COMMON, _COMMON_IN_LARGE, _LARGE = 0.10, 0.05, 3_000
_ENOUGH_PAIRS = 2
_MOST_TIED = 4  # times the passages asked for, kept when their scores are equal
# Two sums travel in one float, both whole numbers of thousandths: the score above, the idf of what
# matched below. A float adds in a third of the time of an integer of this size, and is exact: 32
# terms, each worth 12 and asked for 8 times at most, stay below 2**23 and 2**22.
_UNIT = float(1 << 24)
_SCALE = 1_000
_BASES = -SLOTS  # masks a passage number down to the first of its block

FirstOf = Callable[[Sequence[int], int], list[int]]
"""Which so many of some passage numbers come first by path and line (`Catalogue.first_of`)."""


@dataclass(frozen=True)
class Term:
    """One scored term: its records and what a match is worth.

    The frequencies are those in all that is searched, the records may be those of one shelf.
    """

    postings: Postings
    weight: float  # times it was asked for
    idf: float
    frequency: int  # passages that have it
    header_frequency: int  # sections whose header has it


@dataclass(frozen=True)
class Matches:
    """The passages that matched, by their own words."""

    best: tuple[int, ...]  # passage numbers
    sums: dict[int, float]  # passage number -> the two sums, of all that are still known of
    total_idf: float
    cut: bool  # whether some matching passages are not among the best

    def around(self, numbers: range) -> list[float]:
        """Return the base scores of *numbers*, 0 for no match.

        A passage that has few of the query's terms loses up to half.
        """
        share = COORDINATION / self.total_idf / _SCALE
        sums = self.sums
        return [
            (both := sums[number]) // _UNIT / _SCALE * (1 - COORDINATION + share * (both % _UNIT))
            if number in sums
            else 0.0
            for number in numbers
        ]

    def coverage(self, number: int, header_idf: float) -> float:
        """Return the share of the query that a passage and its header match, at most 1."""
        matched_idf = self.sums.get(number, 0.0) % _UNIT / _SCALE
        return min(1.0, (matched_idf + header_idf) / self.total_idf)


def scored_terms(found: list[tuple[Postings, float]], statistics: Statistics) -> list[Term]:
    """Return the known terms worth scoring, the rarest first."""
    terms = [
        Term(
            postings,
            weight,
            idf(statistics.passages, min(postings.frequency, statistics.passages)),
            postings.frequency,
            postings.header_frequency,
        )
        for postings, weight in found
        if postings.known
    ]
    terms.sort(key=lambda term: (term.frequency, term.postings.term))
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
        if not (is_cjk_character(term.postings.term) and term.frequency > most)
    ]


def only(terms: Iterable[Term], ranges: Ranges) -> list[Term]:
    """Return *terms* with no records outside *ranges*."""
    return [replace(term, postings=term.postings.only(ranges)) for term in terms]


def match(terms: Sequence[Term], total_idf: float, keep: int, first_of: FirstOf) -> Matches:
    """Return the *keep* best passages by their own words, with what ties with the last of them.

    Of too many ties those are kept that *first_of* names.
    """
    sums: dict[int, float] = {}
    read = 0
    cut = False
    common = len(terms)  # the first of the terms that are too common to be read
    for place, term in enumerate(terms):
        frequency = term.postings.frequency
        if sums and read + frequency > max(RECORD_BUDGET, 15 * keep):
            common = place
            break
        _add(sums, term)
        read += frequency
    if common < len(terms):
        sums, cut = _best(sums, 2 * keep, first_of)
        _add_where_present(sums, terms[common:])
    best, dropped = _best(sums, keep, first_of)
    return Matches(tuple(best), sums, total_idf, cut or dropped)


def _worth(term: Term) -> list[float]:
    """Return the two sums that one record adds, by its level.

    Never nothing: a word that stands in every passage is worth little, and is still found.
    """
    value = max(term.idf * term.weight * _SCALE, 1.0)
    matched = (value + 0.5) // 1.0  # `round` is a call, and this is done 32 times a term
    return [((value * level + 0.5) // 1.0 or 1.0) * _UNIT + matched for level in LEVEL_VALUES]


def _add(sums: dict[int, float], term: Term) -> None:
    worth = _worth(term)
    for base, records in term.postings.passages.items():
        for record in records:
            number = base + (record >> LEVEL_BITS)
            if number in sums:  # faster in the guest than a call of `get`
                sums[number] += worth[record & LEVEL_MASK]
            else:
                sums[number] = worth[record & LEVEL_MASK]


def _add_where_present(sums: dict[int, float], terms: Sequence[Term]) -> None:
    by_block: defaultdict[int, list[int]] = defaultdict(list)
    for number in sums:
        by_block[number & _BASES].append(number)
    for term in terms:
        worth = _worth(term)
        for base, numbers in by_block.items():
            records = term.postings.passages.get(base)
            if records is None:
                continue
            end = len(records)
            for number in numbers:
                wanted = (number - base) << LEVEL_BITS
                place = bisect_left(records, wanted)
                if place < end and (level := records[place] - wanted) <= LEVEL_MASK:
                    sums[number] += worth[level]


def _best(sums: dict[int, float], keep: int, first_of: FirstOf) -> tuple[dict[int, float], bool]:
    """Return the *keep* best and what ties with the last of them; whether any were dropped."""
    if len(sums) <= keep:
        return sums, False
    least = sorted(sums.values())[-keep]
    best = {number: both for number, both in sums.items() if both >= least}
    if len(best) > _MOST_TIED * keep:
        tied = [number for number, both in best.items() if both == least]
        best = {number: both for number, both in best.items() if both > least}
        room = _MOST_TIED * keep - len(best)
        best |= dict.fromkeys(first_of(tied, room), least)
    return best, len(best) < len(sums)
