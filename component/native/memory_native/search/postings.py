"""The records of the inverted index.

A record is 16 bits: the slot of a passage inside its block, and the impact of the term on that
passage, in 32 levels. Records of a term are appended as passages come, so they stay sorted by slot
and can be cut with a bisection. Passage numbers never repeat: ``number = block * SLOTS + slot``.

A term with the prefix ``#`` is a header term: it occurs in the path or the headings of a section,
and its records name the section's first slot.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping


SLOT_BITS = 11
SLOTS = 1 << SLOT_BITS
LEVEL_BITS = 5
LEVELS = 1 << LEVEL_BITS
LEVEL_MASK = LEVELS - 1
HEADER = "#"
_RECORD_BYTES = 2

# retrieval.md section 6, tuned there on LoCoMo conversations 1-5
K1 = 1.2
B = 0.4
AVERAGE_LENGTH = 16.0
FREQUENCY_CAP = 3
LENGTH_CAP = 255


def saturation(frequency: int, length: int) -> float:
    """Return BM25's term frequency part for a passage of *length* terms, 0 to ``K1 + 1``."""
    frequency = min(frequency, FREQUENCY_CAP)
    norm = K1 * (1 - B + B * length / AVERAGE_LENGTH)
    return frequency * (K1 + 1) / (frequency + norm)


_STEP = (K1 + 1) / LEVEL_MASK
LEVEL_VALUES = tuple(level * _STEP for level in range(LEVELS))
_LEVEL_OF = tuple(
    tuple(max(1, round(saturation(frequency, length) / _STEP)) for length in range(LENGTH_CAP + 1))
    for frequency in range(FREQUENCY_CAP + 1)
)


def records_of(terms: list[str], slot: int) -> dict[str, bytes]:
    """Return term -> record, as it is stored, for the passage at *slot*."""
    length = min(len(terms), LENGTH_CAP)
    base = slot << LEVEL_BITS
    records = dict.fromkeys(terms, _stored(base | _LEVEL_OF[1][length]))
    if len(records) < len(terms):
        for term, times in Counter(terms).items():
            if times > 1:
                level = _LEVEL_OF[min(times, FREQUENCY_CAP)][length]
                records[term] = _stored(base | level)
    return records


def header_record(slot: int) -> bytes:
    """Return the record of a header term for the section that begins at *slot*, as it is stored."""
    return _stored(slot << LEVEL_BITS)


def _stored(record: int) -> bytes:
    return record.to_bytes(_RECORD_BYTES, "little")


def decode(stored: bytes) -> "array[int]":
    """Return the records in *stored*; raises ValueError when the bytes are not whole records."""
    records = array("H", stored)
    if sys.byteorder == "big":
        records.byteswap()
    return records


def without(stored: Mapping[str, bytes], start: int, stop: int) -> dict[str, bytes]:
    """Return *stored*, by term, without the records of slots ``start <= slot < stop``."""
    low, high = start << LEVEL_BITS, stop << LEVEL_BITS
    left = {}
    for term, records in stored.items():
        if len(records) == _RECORD_BYTES:  # most rows
            cut = low <= int.from_bytes(records, "little") < high
            left[term] = b"" if cut else records
        else:
            numbers = decode(records)
            first = bisect_left(numbers, low)
            last = bisect_left(numbers, high, first)
            left[term] = records[: first * _RECORD_BYTES] + records[last * _RECORD_BYTES :]
    return left


def bounds_of(spans: Iterable[tuple[int, int]]) -> list[int]:
    """Return where the records of *spans*, (slot, how many slots), begin and end, in turn."""
    bounds: list[int] = []
    for slot, size in sorted(spans):
        start, stop = slot << LEVEL_BITS, (slot + size) << LEVEL_BITS
        if bounds and bounds[-1] == start:
            bounds[-1] = stop
        else:
            bounds += start, stop
    return bounds


def outside(records: "array[int]", bounds: list[int]) -> "array[int]":
    """Return those of *records* that are in none of the stretches that *bounds* are about."""
    if len(records) < len(bounds):
        return array("H", [one for one in records if not bisect_right(bounds, one) % 2])
    for start, stop in zip(bounds[-2::-2], bounds[::-2], strict=True):
        low = bisect_left(records, start)
        del records[low : bisect_left(records, stop, low)]
    return records


def within(records: "array[int]", start: int, stop: int) -> "array[int]":
    """Return those of *records* whose slot is in ``start <= slot < stop``."""
    low = bisect_left(records, start << LEVEL_BITS)
    return records[low : bisect_left(records, stop << LEVEL_BITS, low)]
