"""A fallback for a word the index does not know: indexed words one slip away.

Measured in retrieval.md section 1.2: with one typo per question recall at 10 rises by 3 to 4 points,
clean questions do not change.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable


SHORTEST = 4  # letters; shorter words have too many neighbours
MOST_REPLACEMENTS = 3
REPLACEMENT_WEIGHT = 0.8
MOST_REPAIRED = 4  # unknown words of one query that are looked at
_MOST_BLOCKS = 32  # newest blocks whose vocabulary is read

_SAME_LETTER = (
    "SELECT term, length(records) FROM posting"
    " WHERE block = ? AND term >= ? AND term < ? AND length(term) BETWEEN ? AND ?"
)


def repairable(term: str) -> bool:
    """Return whether *term* is a word that may be a slip."""
    return len(term) >= SHORTEST and term.isalpha()


def replacements(
    connection: sqlite3.Connection, blocks: tuple[int, ...], unknown: Iterable[str]
) -> dict[str, list[str]]:
    """Return unknown term -> up to three indexed terms one edit away, the most frequent first."""
    words = [term for term in unknown if repairable(term)][:MOST_REPAIRED]
    found = {word: _neighbours(connection, blocks[-_MOST_BLOCKS:], word) for word in words}
    return {word: near for word, near in found.items() if near}


def one_edit_apart(one: str, other: str) -> bool:
    """Return whether one insertion, deletion, substitution or swap of neighbours makes them equal."""
    if len(one) > len(other):
        one, other = other, one
    if len(other) - len(one) > 1 or one == other:
        return False
    start = _common_prefix(one, other)
    if len(one) < len(other):
        return one[start:] == other[start + 1 :]
    swapped = one[start + 1 : start + 2] + one[start : start + 1]
    return one[start + 1 :] == other[start + 1 :] or (
        swapped == other[start : start + 2] and one[start + 2 :] == other[start + 2 :]
    )


def _neighbours(connection: sqlite3.Connection, blocks: tuple[int, ...], word: str) -> list[str]:
    letter = word[0]
    counted: Counter[str] = Counter()
    for block in blocks:
        bounds = (block, letter, chr(ord(letter) + 1), len(word) - 1, len(word) + 1)
        for term, size in connection.execute(_SAME_LETTER, bounds):
            if term in counted or one_edit_apart(word, term):
                counted[term] += size
    ranked = sorted(counted, key=lambda term: (-counted[term], term))
    return ranked[:MOST_REPLACEMENTS]


def _common_prefix(one: str, other: str) -> int:
    for place, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if mine != theirs:
            return place
    return min(len(one), len(other))
