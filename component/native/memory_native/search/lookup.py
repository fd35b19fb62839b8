"""From the terms of a query to their records in the index."""

import json
import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from memory_native.search.postings import (
    HEADER,
    LEVEL_BITS,
    SLOT_BITS,
    SLOTS,
    bounds_of,
    decode,
    outside,
    within,
)
from memory_native.search.rows import unpack_spans


Records = dict[int, "array[int]"]  # first passage number of a block -> the records in it

Retired = dict[int, list[int]]
"""First passage number of a block -> where in its records the retired sections begin and end, in turn."""

Ranges = dict[int, list[tuple[int, int]]]  # the same -> stretches of slots, each without its end

# One statement for all blocks; block by block, because that is how the rows lie in the file.
_POSTINGS = (
    "SELECT block.id, posting.term, records FROM block CROSS JOIN json_each(?) AS wanted"
    " CROSS JOIN posting WHERE passages > 0 AND kind IN (SELECT value FROM json_each(?))"
    " AND posting.block = block.id AND posting.term = wanted.value"
)
_BLOCKS = (
    "SELECT id, passages, sections, retired FROM block"
    " WHERE passages > 0 AND kind IN (SELECT value FROM json_each(?)) ORDER BY id"
)


@dataclass(frozen=True)
class Statistics:
    """How much is indexed, in blocks of some kinds."""

    kinds: tuple[int, ...]
    blocks: tuple[int, ...]
    passages: int
    sections: int
    retired: Retired


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
        return _has(self.passages, number)

    def heads(self, first: int) -> bool:
        """Return whether the term is in the path or the headings of the section *first*."""
        return _has(self.headers, first)

    def only(self, ranges: Ranges) -> "Postings":
        """Return these postings without what is outside *ranges*."""
        return Postings(self.term, _only(self.passages, ranges), _only(self.headers, ranges))

    @property
    def known(self) -> bool:
        """Whether the term occurs at all."""
        return bool(self.passages or self.headers)


def statistics(connection: sqlite3.Connection, kinds: tuple[int, ...]) -> Statistics:
    """Return how much is indexed in blocks of *kinds*."""
    rows = connection.execute(_BLOCKS, (json.dumps(kinds),)).fetchall()
    return Statistics(
        kinds,
        tuple(row[0] for row in rows),
        sum(row[1] for row in rows),
        sum(row[2] for row in rows),
        {row[0] << SLOT_BITS: bounds_of(unpack_spans(row[3])) for row in rows if row[3]},
    )


def postings(
    connection: sqlite3.Connection, statistics: Statistics, terms: Iterable[str]
) -> dict[str, Postings]:
    """Return the records of *terms*, each with an entry even when it is unknown.

    Those of retired sections are left out. Raises ValueError when a row is damaged.
    """
    found = {term: Postings(term) for term in terms}
    keys = json.dumps([*found, *(HEADER + term for term in found)])
    for block, key, stored in connection.execute(_POSTINGS, (keys, json.dumps(statistics.kinds))):
        base = block << SLOT_BITS
        records = decode(stored)
        if base in statistics.retired:
            records = outside(records, statistics.retired[base])
        if not records:
            continue
        if key.startswith(HEADER):
            found[key[len(HEADER) :]].headers[base] = records
        else:
            found[key].passages[base] = records
    return found


def _has(records: Records, number: int) -> bool:
    slot = number % SLOTS
    found = records.get(number - slot)
    if found is None:
        return False
    place = bisect_left(found, slot << LEVEL_BITS)
    return place < len(found) and found[place] >> LEVEL_BITS == slot


def _only(records: Records, ranges: Ranges) -> Records:
    kept: Records = {}
    for base, stretches in ranges.items():
        found = records.get(base)
        if found is None:
            continue
        inside = array("H")
        for start, stop in stretches:
            inside += within(found, start, stop)
        if inside:
            kept[base] = inside
    return kept


def ranges_of(spans: Iterable[tuple[int, int]]) -> Ranges:
    """Return the slots of *spans*, (first passage number, how many), neighbours joined."""
    ranges: Ranges = {}
    for first, size in sorted(spans):
        slot = first % SLOTS
        stretches = ranges.setdefault(first - slot, [])
        if stretches and stretches[-1][1] == slot:
            stretches[-1] = (stretches[-1][0], slot + size)
        else:
            stretches.append((slot, slot + size))
    return ranges
