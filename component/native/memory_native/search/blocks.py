"""Blocks: where passage numbers come from and where their records are written.

A block holds the records of 2,048 passage numbers. Rows are keyed by block before term, so writing
or removing a section touches the pages of one block whatever the size of the scope. Records of the
newest block are gathered in memory and written together; records of a removed section are cut out
at once, and a term without records loses its row: nothing of a removed text stays.
"""

import sqlite3
from array import array
from collections.abc import Iterable

from memory_native.search.postings import SLOT_BITS, SLOTS, encode, without


_APPEND = (
    "INSERT INTO posting VALUES (?, ?, ?) ON CONFLICT (block, term)"
    " DO UPDATE SET records = CAST(records || excluded.records AS BLOB)"
)
_COUNT = (
    "INSERT INTO block VALUES (?, ?, ?) ON CONFLICT (id)"
    " DO UPDATE SET passages = passages + excluded.passages, sections = sections + excluded.sections"
)
_SPARSE = SLOTS // 2


class Blocks:
    """The posting rows of one open index."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        row = connection.execute("SELECT number FROM next_passage").fetchone()
        self._next = int(row[0])
        self._newest = self._next >> SLOT_BITS
        self._gathered: dict[str, array[int]] = {}
        self._counts: dict[int, list[int]] = {}

    def allocate(self, passages: int) -> int:
        """Return the first of *passages* consecutive numbers, all in one block."""
        if self._next % SLOTS + passages > SLOTS:
            self._next = (self._next // SLOTS + 1) * SLOTS
        first = self._next
        self._next += passages
        if first >> SLOT_BITS != self._newest:
            self.flush()
            self._newest = first >> SLOT_BITS
        self._count(self._newest, passages, 1)
        return first

    def gather(self, records: Iterable[tuple[str, int]]) -> None:
        """Add records of the newest block, in the order of their slots."""
        gathered = self._gathered
        for term, record in records:
            found = gathered.get(term)
            if found is None:
                gathered[term] = array("H", (record,))
            else:
                found.append(record)

    def remove(self, first: int, passages: int, terms: Iterable[str]) -> None:
        """Cut the records of a section out of the rows of *terms*, its own and its header's."""
        block, start = first >> SLOT_BITS, first % SLOTS
        if block == self._newest:
            self.flush()
        shorter: list[tuple[bytes, int, str]] = []
        empty: list[tuple[int, str]] = []
        for term in sorted(terms):
            kept = without(self._records(block, term), start, start + passages)
            if kept:
                shorter.append((kept, block, term))
            else:
                empty.append((block, term))
        execute = self._connection.executemany
        execute("UPDATE posting SET records = ? WHERE block = ? AND term = ?", shorter)
        execute("DELETE FROM posting WHERE block = ? AND term = ?", empty)
        self._count(block, -passages, -1)

    def flush(self) -> None:
        """Write what was gathered and counted."""
        rows = [
            (self._newest, term, encode(found)) for term, found in sorted(self._gathered.items())
        ]
        self._connection.executemany(_APPEND, rows)
        counts = [(block, *change) for block, change in self._counts.items()]
        self._connection.executemany(_COUNT, counts)
        self._connection.execute("UPDATE next_passage SET number = ?", (self._next,))
        self._gathered.clear()
        self._counts.clear()

    def sparse(self) -> range | None:
        """Return the passage numbers of a finished block that is at most half full, if any."""
        self.flush()
        self._connection.execute(
            "DELETE FROM block WHERE passages = 0 AND id <> ?", (self._newest,)
        )
        found = self._connection.execute(
            "SELECT id FROM block WHERE id <> ? AND passages <= ? ORDER BY id LIMIT 1",
            (self._newest, _SPARSE),
        ).fetchone()
        return range(found[0] << SLOT_BITS, (found[0] + 1) << SLOT_BITS) if found else None

    def _records(self, block: int, term: str) -> bytes:
        row = self._connection.execute(
            "SELECT records FROM posting WHERE block = ? AND term = ?", (block, term)
        ).fetchone()
        return row[0] if row else b""

    def _count(self, block: int, passages: int, sections: int) -> None:
        change = self._counts.setdefault(block, [0, 0])
        change[0] += passages
        change[1] += sections
