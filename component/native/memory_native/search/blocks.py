"""Blocks: where passage numbers come from and where their records are written.

A block holds the records of 2,048 passage numbers, all of one kind (`shelves.kind_of`). Rows are
keyed by block before term, so writing or removing a section touches the pages of one block whatever
the size of the scope. Records are gathered in memory and written together; records of a removed
section are cut out at once, and a term without records loses its row: nothing of a removed text
stays.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from memory_native.search.postings import SLOT_BITS, SLOTS, without


_STORED = (
    "SELECT term, records FROM json_each(?) CROSS JOIN posting"
    " WHERE block = ? AND term = json_each.value"
)
_REPLACE = "REPLACE INTO posting VALUES (?, ?, ?)"  # takes three quarters of an UPDATE's time
_DELETE = "DELETE FROM posting WHERE block = ? AND term = ?"
_APPEND = (
    "INSERT INTO posting VALUES (?, ?, ?) ON CONFLICT (block, term)"
    " DO UPDATE SET records = CAST(records || excluded.records AS BLOB)"
)
_COUNT = (
    "INSERT INTO block VALUES (?, ?, ?, ?) ON CONFLICT (id)"
    " DO UPDATE SET passages = passages + excluded.passages, sections = sections + excluded.sections"
)
_SPARSE = SLOTS // 2


@dataclass
class _Change:
    """What is to be written to one block."""

    kind: int
    passages: int = 0
    sections: int = 0
    cut: dict[str, bytes] = field(default_factory=dict)  # what is left of stored records
    added: defaultdict[str, bytes] = field(default_factory=partial(defaultdict, bytes))


class Blocks:
    """The posting rows of one open index."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        rows = connection.execute("SELECT number FROM next_passage ORDER BY kind")
        self._next: list[int] = [row[0] for row in rows]
        self._changes: dict[int, _Change] = {}

    def allocate(self, passages: int, kind: int) -> int:
        """Return the first of *passages* consecutive numbers, all in one block of *kind*."""
        first = self._next[kind]
        if first % SLOTS + passages > SLOTS:
            self.flush()
            first = (max(self._next) // SLOTS + 1) * SLOTS
        end = first + passages  # a full block is left: the next number may be of the other kind
        self._next[kind] = end if end % SLOTS else (max(self._next) // SLOTS + 1) * SLOTS
        change = self._change(first >> SLOT_BITS, kind)
        change.passages += passages
        change.sections += 1
        return first

    def gather(self, first: int, kind: int, passages: Iterable[Mapping[str, bytes]]) -> None:
        """Add the records of *passages*, in their order, to the newest block of *kind*.

        *first* is a passage number in it.
        """
        added = self._change(first >> SLOT_BITS, kind).added
        for records in passages:
            for term, record in records.items():
                added[term] += record

    def remove(self, first: int, passages: int, kind: int, terms: Iterable[str]) -> None:
        """Cut the records of a section out of the rows of *terms*, its own and its header's."""
        block, start = first >> SLOT_BITS, first % SLOTS
        change = self._change(block, kind)
        if change.added:
            self.flush()
            change = self._change(block, kind)
        stored = self._stored(block, terms, change.cut)
        change.cut |= without(stored, start, start + passages)
        change.passages -= passages
        change.sections -= 1

    def flush(self) -> None:
        """Write what was cut, gathered and counted."""
        for block, change in sorted(self._changes.items()):
            self._write(block, change)
        self._connection.executemany(
            "UPDATE next_passage SET number = ?, writes = writes + 1 WHERE kind = ?",
            [(number, kind) for kind, number in enumerate(self._next)],
        )
        self._changes.clear()

    def sparse(self) -> range | None:
        """Return the passage numbers of a finished block that is at most half full, if any."""
        self.flush()
        newest = [number >> SLOT_BITS for number in self._next]
        finished = f"id NOT IN ({','.join(map(str, newest))})"
        execute = self._connection.execute
        execute(f"DELETE FROM block WHERE passages = 0 AND {finished}")  # noqa: S608 - whole numbers
        found = execute(
            f"SELECT id FROM block WHERE {finished} AND passages <= ? ORDER BY id LIMIT 1",  # noqa: S608
            (_SPARSE,),
        ).fetchone()
        return range(found[0] << SLOT_BITS, (found[0] + 1) << SLOT_BITS) if found else None

    def _change(self, block: int, kind: int) -> _Change:
        found = self._changes.get(block)
        if found is None:
            found = self._changes[block] = _Change(kind)
        return found

    def _stored(
        self, block: int, terms: Iterable[str], known: dict[str, bytes]
    ) -> dict[str, bytes]:
        """Return the records of *terms*, as they are *known* or stored."""
        wanted = set(terms)
        missing = json.dumps(sorted(wanted - known.keys()))
        found = dict(self._connection.execute(_STORED, (missing, block)).fetchall())
        return found | {term: known[term] for term in wanted & known.keys()}

    def _write(self, block: int, change: _Change) -> None:
        added = change.added
        replaced = [
            (block, term, left + added.pop(term, b"")) for term, left in sorted(change.cut.items())
        ]
        execute = self._connection.executemany
        execute(_REPLACE, [row for row in replaced if row[2]])
        execute(_DELETE, [row[:2] for row in replaced if not row[2]])
        execute(_APPEND, [(block, term, records) for term, records in sorted(added.items())])
        counts = (block, change.kind, change.passages, change.sections)
        self._connection.execute(_COUNT, counts)
