"""Walk the sections of a component without compiling it.

The layout is the component model's binary format: an eight-byte preamble, then
sections of one id byte, a LEB128 size and that many bytes. Everything here is
read from a file that nobody trusts, so every length is checked before it is used.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from ironclaw_memory.errors import ComponentUnreadable


PREAMBLE: Final = b"\0asm\x0d\0\x01\0"
"""A component, layer 1, version 13; a core module has ``\\x01\\0\\0\\0`` instead."""

CUSTOM: Final = 0
IMPORTS: Final = 10
EXPORTS: Final = 11

_LEB_BYTES: Final = 5  # a u32 needs at most five


class Section(NamedTuple):
    """One section: its id and the span of its payload in the file, in bytes."""

    id: int
    start: int
    end: int


class Cursor:
    """A reading position in untrusted bytes; raises `ComponentUnreadable` past *end*."""

    def __init__(self, data: bytes | memoryview, start: int, end: int) -> None:
        """Read *data* from *start* up to *end*."""
        self._data = data
        self.at = start
        self.end = end

    def byte(self) -> int:
        """Return the next byte."""
        if self.at >= self.end:
            raise damaged()
        self.at += 1
        return self._data[self.at - 1]

    def u32(self) -> int:
        """Return the next LEB128 number."""
        value = 0
        for step in range(_LEB_BYTES):
            byte = self.byte()
            value |= (byte & 0x7F) << (7 * step)
            if not byte & 0x80:
                return value
        raise damaged()

    def take(self, size: int) -> bytes:
        """Return the next *size* bytes."""
        if size > self.end - self.at:
            raise damaged()
        self.at += size
        return bytes(self._data[self.at - size : self.at])

    def name(self) -> str:
        """Return the next length-prefixed UTF-8 name."""
        try:
            return self.take(self.u32()).decode()
        except UnicodeDecodeError:
            raise damaged() from None


def damaged() -> ComponentUnreadable:
    """Return the error for bytes that are not a well-formed component."""
    return ComponentUnreadable(
        "The file is not a well-formed WebAssembly component.",
        hint="Build it again, or fetch it again from where it came.",
    )


def sections(data: bytes) -> Iterator[Section]:
    """Yield the top-level sections of the component in *data*, in file order.

    Raises `ComponentUnreadable` if *data* is no component or is cut short.
    """
    if data[: len(PREAMBLE)] != PREAMBLE:
        raise damaged()
    cursor = Cursor(data, len(PREAMBLE), len(data))
    while cursor.at < cursor.end:
        number = cursor.byte()
        size = cursor.u32()
        start = cursor.at
        if size > cursor.end - start:
            raise damaged()
        cursor.at = start + size
        yield Section(id=number, start=start, end=cursor.at)
