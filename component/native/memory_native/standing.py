"""The standing document ``MEMORY.md`` as the unconditional beginning of the long-term lane.

Lines are packed into at most four chunks of at most 400 bytes (reference.md section
3). Where the document does not fit, the newest lines win and keep their order, and
the last chunk is marked (section 0). Only the end of a large document is read.
"""

from collections.abc import Iterable
from typing import Final

from memory_native import files
from memory_native.failures import MemoryFailure


PATH: Final = "MEMORY.md"
CHUNKS: Final = 4
CHUNK_BYTES: Final = 400
MARK: Final = " (truncated)"
SEPARATOR: Final = "; "

_WINDOW: Final = 64 << 10
"""Bytes read from the end: forty times the budget, room for blank lines and indentation."""

_CONTINUATION: Final = bytes(range(0x80, 0xC0))  # UTF-8 bytes that begin no character


def chunks(root: str, *, budget: int) -> list[str]:
    """Return the standing document as at most *budget* chunks, oldest first.

    A document that is absent, unreadable or not text gives none (reference.md section 3): the
    other documents are recalled without it. `upkeep.check` names it.
    """
    try:
        found = files.tail(root, PATH, _WINDOW)
    except MemoryFailure:
        return []
    if found is None:
        return []
    end, is_whole = found
    text = _decoded(end, is_whole=is_whole)
    return [] if text is None else pack(_lines(text), budget=budget, is_whole=is_whole)


def pack(lines: list[str], *, budget: int, is_whole: bool) -> list[str]:
    """Pack *lines*, none blank, into at most *budget* chunks; the last ones win.

    If a line is left out, or the lines are not the whole document, the last
    chunk ends in `MARK`.
    """
    newest_first = [_clip(line, CHUNK_BYTES) for line in reversed(lines)]
    packed, left = _greedy(newest_first, budget=budget, newest=CHUNK_BYTES)
    if not packed or (is_whole and not left) or packed[-1].endswith(MARK):
        return packed
    room = CHUNK_BYTES - len(MARK)
    newest_first[0] = _clip(newest_first[0], room)
    packed, _ = _greedy(newest_first, budget=budget, newest=room)
    return [*packed[:-1], packed[-1].removesuffix(MARK) + MARK]


def _greedy(newest_first: Iterable[str], *, budget: int, newest: int) -> tuple[list[str], bool]:
    """Fill chunks from the end; the last one holds *newest* bytes. Tell whether lines are left."""
    chunks: list[list[str]] = []
    room = 0
    for line in newest_first:
        size = len(line.encode())
        if chunks and size + len(SEPARATOR) <= room:
            chunks[-1].append(line)
            room -= size + len(SEPARATOR)
            continue
        if len(chunks) == budget:
            return _joined(chunks), True
        room = (CHUNK_BYTES if chunks else newest) - size
        chunks.append([line])
    return _joined(chunks), False


def _joined(chunks: list[list[str]]) -> list[str]:
    return [SEPARATOR.join(reversed(chunk)) for chunk in reversed(chunks)]


def _clip(line: str, limit: int) -> str:
    """Cut a line of more than *limit* bytes so that it fills a chunk with its mark."""
    raw = line.encode()
    if len(raw) <= limit:
        return line
    return raw[: CHUNK_BYTES - len(MARK)].decode(errors="ignore") + MARK


def _decoded(end: bytes, *, is_whole: bool) -> str | None:
    """Return the text, without the line that a window cuts in two unless it is the only one."""
    if not is_whole:
        _, _, after = end.partition(b"\n")
        end = after if after.strip() else end.lstrip(_CONTINUATION)
    try:
        return end.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip()]
