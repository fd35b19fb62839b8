"""The log of one document's versions, as text.

The first line is a header that names the document. Every further line is a
version: one sign for its state, then its facts as JSON. Lines are only ever
added at the end, and a state is changed by overwriting its one byte, so a kill
leaves at most an unfinished last line, which is ignored.
"""

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from memory_native import strict_json


NO_HASH: Final = "0" * 64
"""In the place of a damaged hash. No body has it, so that this version is damaged and no other."""

_HASH: Final = re.compile("[0-9a-f]{64}")


class State(Enum):
    """What became of a version, as the first byte of its line."""

    STAGED = "?"
    PUBLISHED = "+"
    ERASED = "x"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One version: what it was, when and by whom it was replaced.

    *hash* is the hexadecimal SHA-256 of the body, or `NO_HASH`. *tail* is what the
    body adds to the version numbered one less; None where it is stored in full.
    *base* is the size of the newest body stored in full, this one included.
    """

    number: int
    hash: str
    size: int
    unix_ms: int
    changed_by: str
    base: int
    tail: str | None = None
    state: State = State.STAGED
    offset: int = field(default=-1, compare=False)

    @property
    def erased(self) -> bool:
        """Whether the body was erased."""
        return self.state is State.ERASED


@dataclass(frozen=True, kw_only=True)
class Log:
    """A parsed log."""

    path: str
    rows: tuple[Row, ...]


_FIELDS: Final = (
    "number",
    "hash",
    "size",
    "unix_ms",
    "changed_by",
    "base",
    "tail",
)


def header(path: str) -> bytes:
    """Return the first line of the log of *path*."""
    return f"{strict_json.compact({'path': path})}\n".encode()


def line(row: Row) -> bytes:
    """Return the line of *row*."""
    facts = [getattr(row, name) for name in _FIELDS]
    return f"{row.state.value}{strict_json.compact(facts)}\n".encode()


def path_of(content: bytes) -> str:
    """Return the document that a log speaks of, given its beginning; ``""`` if that is damaged."""
    return _path(content.partition(b"\n")[0])


def parse(content: bytes) -> Log:
    """Read a log; lines that make no sense are left out."""
    first, end, _ = content.partition(b"\n")
    return Log(path=_path(first), rows=finished(content, len(first) + len(end)))


def finished(content: bytes, offset: int) -> tuple[Row, ...]:
    """Return the rows of a log from *offset* on, where a line begins."""
    rows = []
    for text in content[offset : content.rfind(b"\n") + 1].splitlines(keepends=True):
        row = _row(text, offset)
        if row is not None:
            rows.append(row)
        offset += len(text)
    return tuple(rows)


def last(content: bytes, start: int) -> Row | None:
    """Return the last row of the end of a log; *start* is where *content* begins in it.

    The first line of *content* is the header, or a line that is cut; neither is a row.
    """
    end = content.rfind(b"\n") + 1
    while (begin := content.rfind(b"\n", 0, end - 1) + 1) > 0:
        row = _row(content[begin:end], start + begin)
        if row is not None:
            return row
        end = begin
    return None


def _path(first: bytes) -> str:
    try:
        path = strict_json.parse_object(first.decode()).get("path")
        return path if isinstance(path, str) and path.encode() else ""
    except ValueError:  # half a character is one too
        return ""


def _row(text: bytes, offset: int) -> Row | None:
    try:
        state = State(text[:1].decode())
        facts = strict_json.parse(text[1:].decode())
    except ValueError:
        return None
    match facts:
        case [
            int(number),
            str(digest),
            int(size),
            int(unix_ms),
            str(by),
            int(base),
            str() | None as tail,
        ]:
            return Row(
                number=number,
                hash=digest if _HASH.fullmatch(digest) else NO_HASH,
                size=size,
                unix_ms=unix_ms,
                changed_by=by,
                base=base,
                tail=tail,
                state=state,
                offset=offset,
            )
        case _:
            return None
