"""The records of the inverted index.

A record is 16 bits: the slot of a passage inside its block, and the impact of the term on that
passage, in 32 levels. Records of a term are appended as passages come, so they stay sorted by slot
and can be cut with a bisection. Passage numbers never repeat: ``number = block * SLOTS + slot``.

A term with the prefix ``#`` is a header term: it occurs in the path or the headings of a section,
and its records name the section's first slot.
"""

import sys
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence


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


def records_of(terms: list[str], slot: int) -> dict[str, int]:
    """Return term -> record for the passage at *slot*."""
    length = min(len(terms), LENGTH_CAP)
    base = slot << LEVEL_BITS
    once = base | _LEVEL_OF[1][length]
    records = dict.fromkeys(terms, once)
    if len(records) < len(terms):
        for term, times in Counter(terms).items():
            records[term] = base | _LEVEL_OF[min(times, FREQUENCY_CAP)][length]
    return records


def header_record(slot: int) -> int:
    """Return the record of a header term for the section that begins at *slot*."""
    return slot << LEVEL_BITS


def decode(stored: bytes) -> "array[int]":
    """Return the records in *stored*; raises ValueError when the bytes are not whole records."""
    records = array("H")
    records.frombytes(stored)
    if sys.byteorder == "big":
        records.byteswap()
    return records


def encode(records: Sequence[int]) -> bytes:
    """Return *records* as stored bytes, little-endian."""
    if len(records) == 1:
        return records[0].to_bytes(_RECORD_BYTES, "little")
    packed = array("H", records)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def span(records: "array[int]", start: int, stop: int) -> tuple[int, int]:
    """Return the indexes of the records whose slot is in ``start <= slot < stop``."""
    low = bisect_left(records, start << LEVEL_BITS)
    return low, bisect_left(records, stop << LEVEL_BITS, low)


def without(stored: bytes, start: int, stop: int) -> bytes:
    """Return *stored* without the records of slots ``start <= slot < stop``."""
    if len(stored) == _RECORD_BYTES:
        record = int.from_bytes(stored, "little")
        return b"" if start <= record >> LEVEL_BITS < stop else stored
    low, high = span(decode(stored), start, stop)
    return stored[: low * _RECORD_BYTES] + stored[high * _RECORD_BYTES :]


def within(records: "array[int]", start: int, stop: int) -> "array[int]":
    """Return those of *records* whose slot is in ``start <= slot < stop``."""
    low, high = span(records, start, stop)
    return records[low:high]
