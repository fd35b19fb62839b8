"""The bound on one search hit, applied to every provider's hits (reference.md section 2.4).

A text within the bound is left alone. A longer one becomes windows around the places
where the query stands literally, or its head where it stands nowhere. Lengths are
bytes of UTF-8, and no window ever splits a character.
"""

from collections.abc import Iterator
from typing import Final


HIT_BYTES: Final = 8192
BEFORE_BYTES: Final = 128
AFTER_BYTES: Final = 256
SEPARATOR: Final = "\n…\n".encode()

_CONTINUATION_MASK: Final = 0xC0
_CONTINUATION: Final = 0x80


def bounded(content: str, query: str, *, limit: int = HIT_BYTES) -> str:
    """Return *content* cut to at most *limit* bytes around the occurrences of *query*.

    Matching is byte-exact and case-sensitive. Deterministic.
    """
    text = content.encode()
    if len(text) <= limit:
        return content
    needle = query.encode()
    if not needle or len(needle) > limit:
        return _head(text, limit)
    return _windows(text, needle, limit) or _head(text, limit)


def _windows(text: bytes, needle: bytes, limit: int) -> str:
    """Return the joined windows; empty if the query stands nowhere in *text*."""
    out = bytearray()
    covered = -1  # the end of the last window; -1 before the first
    for hit in _occurrences(text, needle):
        hit_end = hit + len(needle)
        if hit_end <= covered:
            continue
        start = _round_up(text, max(hit - BEFORE_BYTES, 0))
        joins = covered >= 0 and start <= covered
        start = covered if joins else start
        lead = b"" if joins or covered < 0 else SEPARATOR
        room = limit - len(out) - len(lead)
        start, end = _fit(text, start, hit, hit_end, room, fixed_start=joins)
        if end < hit_end:
            break
        out += lead + text[start:end]
        covered = end
    return out.decode()


def _fit(
    text: bytes, start: int, hit: int, hit_end: int, room: int, *, fixed_start: bool
) -> tuple[int, int]:
    """Return the window's span within *room* bytes; its end is 0 if the hit cannot fit whole.

    What stands before the hit shrinks before the hit is given up, unless the window
    continues the one before it.
    """
    if hit_end - start > room and not fixed_start:
        start = min(_round_up(text, hit_end - room), hit) if hit_end - hit <= room else start
    if hit_end - start > room:
        return start, 0
    end = _round_down(text, min(hit_end + AFTER_BYTES, start + room, len(text)))
    return start, max(end, hit_end)


def _occurrences(text: bytes, needle: bytes) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + len(needle))


def _head(text: bytes, limit: int) -> str:
    return text[: _round_down(text, limit)].decode()


def _round_down(text: bytes, at: int) -> int:
    while 0 < at < len(text) and text[at] & _CONTINUATION_MASK == _CONTINUATION:
        at -= 1
    return at


def _round_up(text: bytes, at: int) -> int:
    while at < len(text) and text[at] & _CONTINUATION_MASK == _CONTINUATION:
        at += 1
    return at
