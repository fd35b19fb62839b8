"""From the terms of a query to their records in the index."""

import sqlite3
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

from memory_native.search.postings import HEADER, SLOT_BITS, SLOTS, decode, span


Records = dict[int, "array[int]"]  # first passage number of a block -> the records in it


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

    @property
    def frequency(self) -> int:
        """In how many passages the term occurs."""
        return sum(map(len, self.passages.values()))

    @property
    def header_frequency(self) -> int:
        """In how many headers the term occurs."""
        return sum(map(len, self.headers.values()))

    def has(self, number: int) -> bool:
        """Return whether the term occurs in the passage *number*."""
        slot = number % SLOTS
        records = self.passages.get(number - slot)
        if records is None:
            return False
        low, high = span(records, slot, slot + 1)
        return high > low

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


def postings(
    connection: sqlite3.Connection, blocks: Iterable[int], terms: Iterable[str]
) -> dict[str, Postings]:
    """Return the records of *terms*, each with an entry even when it is unknown.

    Raises ValueError when a row is damaged.
    """
    found = {term: Postings(term) for term in terms}
    keys = [*found, *(HEADER + term for term in found)]
    places = ",".join("?" * len(keys))
    statement = f"SELECT term, records FROM posting WHERE block = ? AND term IN ({places})"  # noqa: S608 - only question marks are formatted in
    for block in blocks:
        base = block << SLOT_BITS
        for key, stored in connection.execute(statement, (block, *keys)):
            if key.startswith(HEADER):
                found[key[len(HEADER) :]].headers[base] = decode(stored)
            else:
                found[key].passages[base] = decode(stored)
    return found
