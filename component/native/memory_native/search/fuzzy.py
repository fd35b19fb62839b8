"""A fallback for a word the index does not know: indexed words one slip away.

Measured in retrieval.md section 1.2: with one typo per question recall at 10 rises by 3 to 4 points,
clean questions do not change.
"""

import json
import sqlite3
from collections.abc import Iterable

from memory_native.search.lookup import Postings, Statistics


SHORTEST = 4  # letters; shorter words have too many neighbours
MOST_REPLACEMENTS = 3
REPLACEMENT_WEIGHT = 0.8
MOST_REPAIRED = 4  # unknown words of one query that are looked at
_HIGHEST = "\U0010ffff"
_MOST_BLOCKS = 128  # newest blocks whose vocabulary is read: a quarter of a million passages

# One statement for all blocks: in the guest each execution costs more than the row it finds. A word
# one slip away keeps one half of the word as it is, and of the other half the end that is not
# mistyped: SQLite compares faster than Python does.
_SIMILAR = (
    "SELECT term FROM"
    " json_each(:blocks) CROSS JOIN posting WHERE block = json_each.value AND term >= :letter AND term < :next"
    " AND (term BETWEEN :head AND :above"
    " AND (substr(term, -1) = :last OR term BETWEEN :most AND :above_most)"
    " OR substr(term, -:rest) = :tail"
    " AND (substr(term, 2, 1) = :second OR substr(term, -:longer) = :after OR substr(term, 2, 2) = :swapped))"
    " AND length(term) BETWEEN :length - 1 AND :length + 1"
)


def repairable(term: str) -> bool:
    """Return whether *term* is a word that may be a slip."""
    return len(term) >= SHORTEST and term.isalpha()


def neighbours(
    connection: sqlite3.Connection, statistics: Statistics, unknown: Iterable[str]
) -> dict[str, list[str]]:
    """Return unknown term -> the terms one edit away, of what is indexed and what only was."""
    words = [term for term in unknown if repairable(term)][:MOST_REPAIRED]
    blocks = json.dumps(statistics.blocks[-_MOST_BLOCKS:])
    return {word: _neighbours(connection, blocks, word) for word in words}


def most_frequent(found: Iterable[Postings]) -> list[Postings]:
    """Return those of *found* that may stand for a word, three at most, the most frequent first."""
    indexed = [one for one in found if one.passages]
    return sorted(indexed, key=lambda one: (-one.frequency, one.term))[:MOST_REPLACEMENTS]


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


def _neighbours(connection: sqlite3.Connection, blocks: str, word: str) -> list[str]:
    half = len(word) // 2
    bounds = {
        "blocks": blocks,
        "letter": word[0],
        "next": chr(ord(word[0]) + 1),
        "length": len(word),
        "rest": len(word) - half - 1,
        "head": word[:half],
        "above": word[:half] + _HIGHEST,
        "last": word[-1],
        "most": word[:-2],
        "above_most": word[:-2] + _HIGHEST,
        "tail": word[half + 1 :],
        "second": word[1],
        "after": word[2:],
        "longer": len(word) - 2,
        "swapped": word[2] + word[1],
    }
    rows = connection.execute(_SIMILAR, bounds)
    return [term for term in dict.fromkeys(row[0] for row in rows) if one_edit_apart(word, term)]


def _common_prefix(one: str, other: str) -> int:
    for place, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if mine != theirs:
            return place
    return min(len(one), len(other))
