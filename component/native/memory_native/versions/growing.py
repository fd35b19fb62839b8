"""A log that is read again and again while it grows is parsed once."""

from dataclasses import replace
from typing import Final

from memory_native.versions import rows
from memory_native.versions.rows import Log


_MOST_BYTES: Final = 4 << 20  # a full history has half a megabyte, unless much was added in place
_NOTHING: Final = Log(path="", rows=())


class GrowingLog:
    """Parses as `rows.parse` does, but only what a log has more than the last one it was given.

    The log is compared with the last one byte for byte, never taken for it by its size or
    time: one that a person edited, or that belongs to another document, is parsed in full.
    """

    def __init__(self, *, most_bytes: int = _MOST_BYTES) -> None:
        """Remember no log yet, and never one of more than *most_bytes*."""
        self._most_bytes = most_bytes
        self._seen = b""
        self._log = _NOTHING

    def parse(self, content: bytes) -> Log:
        """Read a log; lines that make no sense are left out."""
        if self._seen and content.startswith(self._seen):
            added = rows.finished(content, len(self._seen))
            log = replace(self._log, rows=(*self._log.rows, *added))
        else:
            log = rows.parse(content)
        self._remember(content[: content.rfind(b"\n") + 1], log)
        return log

    def _remember(self, seen: bytes, log: Log) -> None:
        """Keep what was read up to its last finished line, if that is not too much to keep."""
        is_kept = len(seen) <= self._most_bytes
        self._seen, self._log = (seen, log) if is_kept else (b"", _NOTHING)
