"""Blocks: where passage numbers come from and where their records are written.

A block holds the records of 2,048 passage numbers, all of one kind (`shelves.kind_of`). Rows are
keyed by block before term, so writing or removing a section touches the pages of one block whatever
the size of the scope. Records are gathered in memory and written together. A retired section is
noted with its block, so that readers leave its records out, until they are cut; a term without
records then loses its row: nothing of a removed text stays.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from memory_native.search.postings import SLOT_BITS, SLOTS, without
from memory_native.search.rows import Span, pack_spans, unpack_spans


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
_NEWEST = "SELECT kind, max(id), used FROM block GROUP BY kind"
_RETIRED = "SELECT id, retired FROM block WHERE retired <> x''"
_COUNT = (
    "INSERT INTO block VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id)"
    " DO UPDATE SET passages = passages + excluded.passages, sections = sections + excluded.sections,"
    " used = used + excluded.used, retired = excluded.retired"
)
_SPARSE = SLOTS // 2


@dataclass
class _Change:
    """What is to be written to one block."""

    kind: int
    passages: int = 0
    sections: int = 0
    used: int = 0
    cut: dict[str, bytes] = field(default_factory=dict)  # what is left of stored records
    added: defaultdict[str, bytes] = field(default_factory=partial(defaultdict, bytes))


class Blocks:
    """The posting rows of one open index."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        newest = connection.execute(_NEWEST).fetchall()
        self._ends: dict[int, int] = {
            kind: (block << SLOT_BITS) + _checked_used(used) for kind, block, used in newest
        }
        rows = connection.execute(_RETIRED)
        self._retired = {block: unpack_spans(packed) for block, packed in rows}
        self._changes: dict[int, _Change] = {}

    def allocate(self, passages: int, kind: int) -> int:
        """Return the first of *passages* consecutive numbers, all in one block of *kind*."""
        first = self._ends.get(kind, 0)
        if first % SLOTS + passages > SLOTS or not first % SLOTS:
            self.flush()
            first = self._after_all()
        self._ends[kind] = first + passages
        change = self._change(first >> SLOT_BITS, kind)
        change.passages += passages
        change.used += passages
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

    def retire(self, first: int, passages: int, kind: int) -> None:
        """Have the section at *first* searched no longer; its records wait to be `cut`."""
        block, slot = first >> SLOT_BITS, first % SLOTS
        change = self._change(block, kind)
        change.passages -= passages
        change.sections -= 1
        self._retired.setdefault(block, []).append(Span(slot, passages))

    def retired(self) -> list[int]:
        """Return the first passage numbers of the sections that wait to be `cut`."""
        return [
            (block << SLOT_BITS) + span.slot
            for block, spans in self._retired.items()
            for span in spans
        ]

    def cut(self, first: int, passages: int, kind: int, terms: Iterable[str]) -> None:
        """Cut the records of a retired section out of the rows of *terms*, its own and its header's."""
        block, slot = first >> SLOT_BITS, first % SLOTS
        change = self._change(block, kind)
        if change.added:
            self.flush()
            change = self._change(block, kind)
        stored = self._stored(block, terms, change.cut)
        change.cut |= without(stored, slot, slot + passages)
        self._retired[block].remove(Span(slot, passages))

    def flush(self) -> None:
        """Write what was cut, gathered and counted."""
        for block, change in sorted(self._changes.items()):
            self._write(block, change)
        self._changes.clear()

    def sparse(self) -> range | None:
        """Return the passage numbers of a finished block that is at most half full, if any."""
        self.flush()
        newest = [(end - 1) >> SLOT_BITS for end in self._ends.values()]
        finished = f"id NOT IN ({','.join(map(str, newest))})"
        execute = self._connection.execute
        execute(f"DELETE FROM block WHERE passages = 0 AND retired = x'' AND {finished}")  # noqa: S608 - whole numbers
        found = execute(
            f"SELECT id FROM block WHERE {finished} AND passages <= ? ORDER BY id LIMIT 1",  # noqa: S608
            (_SPARSE,),
        ).fetchone()
        return range(found[0] << SLOT_BITS, (found[0] + 1) << SLOT_BITS) if found else None

    def _after_all(self) -> int:
        """Return the first number of a block beyond all others."""
        return max(((end - 1) // SLOTS + 1 for end in self._ends.values()), default=0) * SLOTS

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
        counts = (change.passages, change.sections, change.used)
        retired = pack_spans(self._retired.get(block, ()))
        self._connection.execute(_COUNT, (block, change.kind, *counts, retired))


def _checked_used(used: int) -> int:
    """Return how many slots of a block are *used*; raises ValueError for a number that cannot be."""
    if not 0 < used <= SLOTS:
        raise ValueError("slots")
    return used
