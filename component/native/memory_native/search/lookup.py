"""From the terms of a query to their records in the index."""

import json
import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from memory_native.search.postings import HEADER, LEVEL_BITS, SLOT_BITS, SLOTS, decode


Records = dict[int, "array[int]"]  # first passage number of a block -> the records in it

# One statement for all blocks; block by block, because that is how the rows lie in the file.
_POSTINGS = (
    "SELECT block.id, term, records FROM block CROSS JOIN json_each(?) CROSS JOIN posting"
    " WHERE passages > 0 AND posting.block = block.id AND term = json_each.value"
)


@dataclass(frozen=True)
class Statistics:
    """How much is indexed."""

    blocks: tuple[int, ...]
    passages: int
    sections: int


@dataclass
class Postings:
    """The records of one term, in passages and in headers."""

    term: str
    passages: Records = field(default_factory=dict)
    headers: Records = field(default_factory=dict)

    @cached_property
    def frequency(self) -> int:
        """In how many passages the term occurs."""
        return sum(map(len, self.passages.values()))

    @cached_property
    def header_frequency(self) -> int:
        """In how many headers the term occurs."""
        return sum(map(len, self.headers.values()))

    def has(self, number: int) -> bool:
        """Return whether the term occurs in the passage *number*."""
        slot = number % SLOTS
        records = self.passages.get(number - slot)
        if records is None:
            return False
        place = bisect_left(records, slot << LEVEL_BITS)
        return place < len(records) and records[place] >> LEVEL_BITS == slot

    @property
    def known(self) -> bool:
        """Whether the term occurs at all."""
        return bool(self.passages or self.headers)


def statistics(connection: sqlite3.Connection) -> Statistics:
    """Return how much is indexed."""
    rows = connection.execute(
        "SELECT id, passages, sections FROM block WHERE passages > 0 ORDER BY id"
    ).fetchall()
    return Statistics(
        tuple(row[0] for row in rows), sum(row[1] for row in rows), sum(row[2] for row in rows)
    )


def postings(connection: sqlite3.Connection, terms: Iterable[str]) -> dict[str, Postings]:
    """Return the records of *terms*, each with an entry even when it is unknown.

    Raises ValueError when a row is damaged.
    """
    found = {term: Postings(term) for term in terms}
    keys = json.dumps([*found, *(HEADER + term for term in found)])
    for block, key, stored in connection.execute(_POSTINGS, (keys,)):
        base = block << SLOT_BITS
        if key.startswith(HEADER):
            found[key[len(HEADER) :]].headers[base] = decode(stored)
        else:
            found[key].passages[base] = decode(stored)
    return found
