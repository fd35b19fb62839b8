"""Words that mean something alike, for a word that the index does not know.

A question is often put in other words than the note that answers it. A word that stands in no
document is replaced by the related ones that do: its few nearest, at less than half its weight. A
known word is never replaced, so a query whose words are all found costs and finds what it did; nor is
a query replaced whole: what no document says is not found.

The table is derived from the vectors of all-MiniLM-L6-v2 (Apache-2.0) by
``tests/bench/retrieval/thesaurus.py``: English, a line a term, the nearest first, people and places
left out. Measured on the
project's own set, a third of which are paraphrases: turn R@10 +3.4 points [+1.7, +5.4], session R@5
+5.1 [+2.8, +7.6], budget hit +7.9 [+5.1, +10.7]; LoCoMo
stays within a point, Chinese as it is.
"""

from collections.abc import Iterable
from importlib.resources import files
from typing import Final


MOST_USED: Final = 4  # related terms of one word, of those that are in the index
MOST_REPLACED: Final = 4  # unknown words of one query that are replaced
WEIGHT: Final = 0.4

# Read when the component is built; its lines are in order, so it is searched as it is: a dictionary of
# it would hold ten times as much.
_TABLE: Final = files(__package__).joinpath("thesaurus.txt").read_text("ascii")


def related(term: str) -> list[str]:
    """Return the terms most like *term*, the nearest first; none for a word it does not list."""
    if not term.isalpha() or not term.isascii():
        return []
    low, high = 0, len(_TABLE)
    while low < high:
        start = max(low, _TABLE.rfind("\n", low, (low + high) // 2) + 1)
        end = _TABLE.index("\n", start)
        listed, _, near = _TABLE[start:end].partition(" ")
        if listed == term:
            return near.split(" ")
        low, high = (end + 1, high) if listed < term else (low, start)
    return []


def replacements(unknown: Iterable[str]) -> dict[str, list[str]]:
    """Return unknown term -> related terms, for those of *unknown* that the table lists."""
    found = {term: near for term in unknown if (near := related(term))}
    return dict(list(found.items())[:MOST_REPLACED])
