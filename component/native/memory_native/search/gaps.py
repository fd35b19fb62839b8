"""What SQLite leaves in its pages beside what is stored, overwritten with nothing.

``secure_delete`` overwrites what is deleted where it lies. Where pages are split and joined, SQLite
writes their cells anew and leaves the old bytes between the list of cells and the first of them: a
word can stand there long after its row is gone. (sqlite.org/fileformat2.html, section 1.6)
"""

import os
import struct
from typing import Final


_HEAD: Final = struct.Struct(">BHHHB")  # kind, first free block, cells, where they begin, fragments
_HEAD_BYTES: Final = {2: 12, 5: 12, 10: 8, 13: 8}  # of the kinds of page that have cells
_FILE_HEADER: Final = 100  # on the first page
_TOGETHER: Final = 128  # pages read at once


def clear_gaps(path: str, *, page_bytes: int) -> None:
    """Overwrite what lies between the cells' list and the cells, in every page of the file *path*.

    No connection may have pages of it in memory: it would write them back as they were.
    """
    handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        at = 0
        while piece := os.pread(handle, page_bytes * _TOGETHER, at):
            for start in range(0, len(piece), page_bytes):
                low, high = _gap(piece, start, page_bytes, is_first=at + start == 0)
                if piece.count(0, low, high) < high - low:
                    os.pwrite(handle, bytes(high - low), at + low)
            at += len(piece)
    finally:
        os.close(handle)


def _gap(piece: bytes, start: int, page_bytes: int, *, is_first: bool) -> tuple[int, int]:
    """Return where the gap of the page at *start* begins and ends, the same twice for none."""
    head = start + _FILE_HEADER * is_first
    kind, _, cells, content, _ = _HEAD.unpack_from(piece, head)
    if kind not in _HEAD_BYTES:
        return start, start
    low, high = head + _HEAD_BYTES[kind] + 2 * cells, start + content
    return (low, high) if low <= high <= start + page_bytes else (start, start)
