"""Reading the audit log: all of it, a selection, or as it grows."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from ironclaw_memory.capability.audit_files import AuditFiles
from ironclaw_memory.capability.records import Kind, Outcome


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line that was read back; ``fields`` is all of it, for printing."""

    at_ms: int
    kind: Kind
    tool: str | None
    outcome: Outcome | None
    fields: Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which entries are wanted. Whatever is ``None`` does not narrow."""

    tool: str | None = None
    kind: Kind | None = None
    outcome: Outcome | None = None
    since_ms: int | None = None

    def wants(self, entry: Entry) -> bool:
        """Say whether *entry* is one of them."""
        return (
            self.tool in (None, entry.tool)
            and self.kind in (None, entry.kind)
            and self.outcome in (None, entry.outcome)
            and (self.since_ms is None or entry.at_ms >= self.since_ms)
        )


def read(files: AuditFiles, selection: Selection) -> Iterator[Entry]:
    """Yield the wanted entries, oldest first. Lines that are damaged are passed over.

    Raises `OSError` where the log cannot be read.
    """
    return follow(files, selection, wait=lambda: False)


def follow(files: AuditFiles, selection: Selection, *, wait: Callable[[], bool]) -> Iterator[Entry]:
    """Yield the wanted entries, then those that are added, across rotations.

    *wait* is called whenever there is nothing new; it sleeps, or returns false to stop.
    """
    for line in _lines(files, wait):
        entry = _entry(line)
        if entry is not None and selection.wants(entry):
            yield entry


def _lines(files: AuditFiles, wait: Callable[[], bool]) -> Iterator[bytes]:
    waiting: list[BinaryIO] = [os.fdopen(fd, "rb") for fd in files.open_all()]
    try:
        while True:
            while len(waiting) > 1:
                yield from _rest(waiting[0])
                waiting.pop(0).close()
            if waiting:
                yield from _rest(waiting[0])
            if not wait():
                return
            waiting = _with_newer(files, waiting)
    finally:
        for file in waiting:
            file.close()


def _rest(file: BinaryIO) -> Iterator[bytes]:
    """Yield the whole lines that have come since; a line without an end waits."""
    while True:
        start = file.tell()
        line = file.readline()
        if not line.endswith(b"\n"):
            file.seek(start)
            return
        yield line


def _with_newer(files: AuditFiles, reading: list[BinaryIO]) -> list[BinaryIO]:
    """Return *reading* and the files that have begun since it was opened."""
    inode = os.fstat(reading[0].fileno()).st_ino if reading else None
    if inode == files.current_inode():
        return reading
    opened: list[BinaryIO] = [os.fdopen(fd, "rb") for fd in files.open_all()]
    inodes = [os.fstat(file.fileno()).st_ino for file in opened]
    known = inodes.index(inode) + 1 if inode in inodes else 0
    for file in opened[:known]:
        file.close()
    return [*reading, *opened[known:]]


def _entry(line: bytes) -> Entry | None:
    try:
        fields = json.loads(line)
        outcome = fields.get("outcome")
        return Entry(
            at_ms=int(fields["at_ms"]),
            kind=Kind(fields["kind"]),
            tool=fields.get("tool"),
            outcome=Outcome(outcome) if outcome else None,
            fields=fields,
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
