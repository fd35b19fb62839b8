"""Whether an index file holds together, read from its first row to its last.

A reader looks at what it reads. This is for whoever was told that something is wrong, or asks
whether anything is: 100,000 lines take a second in the guest.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from memory_native.search.model import IndexUnusable
from memory_native.search.postings import SLOT_BITS, SLOTS
from memory_native.search.rows import stored_content, stored_section, unpack_entries, unpack_spans
from memory_native.search.schema import noticing_damage


_ODD_POSTING = (
    "SELECT 1 FROM posting WHERE typeof(records) <> 'blob' OR length(records) % 2"
    " OR length(records) = 0 OR NOT EXISTS (SELECT 1 FROM block WHERE id = block) LIMIT 1"
)
_LONELY_SECTION = (
    "SELECT 1 FROM section LEFT JOIN content USING (first) LEFT JOIN document"
    " ON document.id = section.document WHERE text IS NULL OR path IS NULL LIMIT 1"
)
_SECTIONS = (
    "SELECT first, document, speakers, columns, headings, text"
    " FROM section JOIN content USING (first)"
)
_DOCUMENTS = "SELECT id, sections FROM document"
_BLOCKS = "SELECT id, passages, sections, used, retired FROM block"


class _Place(NamedTuple):
    """A section by its passage numbers."""

    first: int
    size: int

    @property
    def block(self) -> int:
        return self.first >> SLOT_BITS

    @property
    def end(self) -> int:
        return self.first % SLOTS + self.size


class _Block(NamedTuple):
    """What a block says of itself."""

    id: int
    passages: int
    sections: int
    used: int
    retired: bytes

    def waiting(self) -> list[_Place]:
        """Return the sections that wait to be cut."""
        base = self.id << SLOT_BITS
        return [_Place(base + span.slot, span.size) for span in unpack_spans(self.retired)]


def is_sound(connection: sqlite3.Connection) -> bool:
    """Tell whether every page and row is as SQLite, our checksums and our counts have it."""
    try:
        with noticing_damage():
            return _holds_together(connection)
    except IndexUnusable:
        return False


def _holds_together(connection: sqlite3.Connection) -> bool:
    execute = connection.execute
    if execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        return False
    if execute(_ODD_POSTING).fetchone() or execute(_LONELY_SECTION).fetchone():
        return False
    blocks = [_Block(*row) for row in execute(_BLOCKS)]
    stored = {}
    for row in execute(_SECTIONS):
        section = stored_section(row[:4])
        stored_content(row[4:], section.size)
        stored[_Place(section.first, section.size)] = section.document
    listed = [
        (_Place(entry.first, entry.size), document)
        for document, packed in execute(_DOCUMENTS)
        for entry in unpack_entries(packed)
    ]
    waiting = [place for block in blocks for place in block.waiting()]
    return (
        sorted([place for place, _ in listed] + waiting) == sorted(stored)
        and all(stored[place] == document for place, document in listed)
        and _are_apart(stored)
        and _are_counted(blocks, [place for place, _ in listed], stored)
    )


def _are_apart(places: Iterable[_Place]) -> bool:
    """Tell whether no two sections share a passage number, and none reaches over two blocks."""
    ordered = sorted(places)
    return all(place.end <= SLOTS for place in ordered) and all(
        place.first + place.size <= following.first for place, following in pairwise(ordered)
    )


def _are_counted(
    blocks: Iterable[_Block], living: Iterable[_Place], stored: Iterable[_Place]
) -> bool:
    """Tell whether each block counts what is searched in it, and what was given out."""
    passages: Counter[int] = Counter()
    sections: Counter[int] = Counter()
    ends: dict[int, int] = {}
    for place in living:
        passages[place.block] += place.size
        sections[place.block] += 1
    for place in stored:
        ends[place.block] = max(ends.get(place.block, 0), place.end)
    return ends.keys() <= {block.id for block in blocks} and all(
        (block.passages, block.sections) == (passages[block.id], sections[block.id])
        and ends.get(block.id, 0) <= block.used <= SLOTS
        for block in blocks
    )
