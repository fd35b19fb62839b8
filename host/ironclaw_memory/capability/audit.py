"""Writing to the audit log: what must be recorded, and what may wait.

A record that is *required* is on disk when `AuditLog.require` returns. One that
is *noted* (the decision about a read) waits in memory until a few have come
together and nobody else is writing; noting never waits and never fails. Notes
that still wait when a process is killed are lost.
"""

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from ironclaw_memory.capability.audit_files import (
    LOCK_WAIT_S,
    MAX_FILE_BYTES,
    MAX_FILES,
    AuditFiles,
)
from ironclaw_memory.capability.records import Kind, Outcome, Record, asserted
from ironclaw_memory.capability.state import ScopeAxes
from ironclaw_memory.errors import AuditUnavailable
from ironclaw_memory.model import ProviderEvent


MAX_ASSERTIONS: Final = 32  # events of a provider in one call (wit/audit.wit)
NOTED_LINES: Final = 64  # so many notes are written together ...
NOTED_AGE_MS: Final = 2_000  # ... or those of which the oldest has waited so long
MAX_NOTED: Final = 4_096  # a log that stays locked costs the oldest notes, never the memory


class AuditLog:
    """Writes to the log of one root. Safe under many threads and processes."""

    def __init__(
        self, directory: Path, *, max_file_bytes: int = MAX_FILE_BYTES, max_files: int = MAX_FILES
    ) -> None:
        """Write to files in *directory*, which must lie outside every mount."""
        self.files = AuditFiles(
            directory=directory, max_file_bytes=max_file_bytes, max_files=max_files
        )
        self._noted: deque[bytes] = deque()
        self._lost = 0
        self._untried = 0  # notes since somebody last tried to write them
        self._untried_since_ms = 0
        self._noting = threading.Lock()  # held for moments, never while writing
        self._writing = threading.Lock()

    def require(self, record: Record) -> None:
        """Put *record* on disk. Raises `AuditUnavailable` where that is not possible.

        Notes that wait go first, so that lines are in the order of events.
        """
        with self._writing:
            written = self._write(
                record.line(), now_ms=record.at_ms, durable=True, lock_wait_s=LOCK_WAIT_S
            )
        if not written:
            raise AuditUnavailable(
                "The audit log cannot be written, so the call was refused.",
                hint="Run `ironclaw-memory doctor`; the disk may be full.",
            )

    @contextmanager
    def around(self, intent: Record) -> Iterator[None]:
        """Require the *intent* of what the block does, and note whether the block succeeded.

        Where the log is lost in the middle, what is there claims nothing that was not so.
        """
        self.require(intent)
        outcome = Outcome.FAILED
        try:
            yield
            outcome = Outcome.SUCCEEDED
        finally:
            self.note(replace(intent, outcome=outcome))

    def note(self, record: Record) -> None:
        """Keep *record* for later; never waits for a writer and never raises.

        A look at what is not there makes no data directory, however long it took.
        """
        line = record.line()
        with self._noting:
            self._keep([line])
            if not self._untried:
                self._untried_since_ms = record.at_ms
            self._untried += 1
            age_ms = record.at_ms - self._untried_since_ms
            due = self._untried >= NOTED_LINES or age_ms >= NOTED_AGE_MS
        if due and self._has_a_root() and self._writing.acquire(blocking=False):
            try:
                self._write(b"", now_ms=record.at_ms, durable=False, lock_wait_s=0)
            finally:
                self._writing.release()

    def close(self) -> None:
        """Write the notes that wait, if the log can be written.

        Where the data directory does not exist nothing was ever stored, and having looked
        is no reason to make one: the notes are dropped.
        """
        if not self._has_a_root():
            self._take()
            return
        with self._writing:
            now_ms = self._untried_since_ms
            self._write(b"", now_ms=now_ms, durable=False, lock_wait_s=LOCK_WAIT_S)

    def _has_a_root(self) -> bool:
        return self.files.directory.parent.exists()

    def _keep(self, lines: Iterable[bytes]) -> None:
        self._noted.extend(lines)
        while len(self._noted) > MAX_NOTED:
            self._noted.popleft()
            self._lost += 1

    def _write(self, line: bytes, *, now_ms: int, durable: bool, lock_wait_s: float) -> bool:
        """Write the notes and *line*; where that fails the notes go on waiting."""
        notes, lost = self._take()
        told = Record(at_ms=now_ms, kind=Kind.LOST, count=lost).line() if lost else b""
        block = b"".join((told, *notes, line))
        try:
            if block:
                self.files.append(block, durable=durable, lock_wait_s=lock_wait_s)
        except OSError:
            self._put_back(notes, lost)
            return False
        return True

    def _take(self) -> tuple[list[bytes], int]:
        with self._noting:
            notes, lost = list(self._noted), self._lost
            self._noted.clear()
            self._lost = self._untried = 0
        return notes, lost

    def _put_back(self, notes: list[bytes], lost: int) -> None:
        with self._noting:
            newer = list(self._noted)
            self._noted.clear()
            self._lost += lost
            self._keep((*notes, *newer))


class Assertions:
    """Takes what a provider says it did, for one call: 32 events at most.

    The host's side of the import ``audit.emit``; it never raises, because an
    exception there would end the instance.
    """

    def __init__(
        self, log: AuditLog, *, call: str, tool: str, scope: ScopeAxes, limit: int = MAX_ASSERTIONS
    ) -> None:
        """Take events of the call with the id *call*."""
        self._log = log
        self._call = call
        self._tool = tool
        self._scope = scope
        self._left = limit

    def emit(self, event: ProviderEvent, *, now_ms: int) -> bool:
        """Record *event*; false where it is malformed, one too many or cannot be.

        A safety event is on disk on return, because a provider must not act before. The
        others say what happened already and are noted (wit/audit.wit).
        """
        if self._left <= 0:
            return False
        self._left -= 1
        record = asserted(event, at_ms=now_ms, call=self._call, tool=self._tool, scope=self._scope)
        if record is None:
            return False
        if not event.kind.startswith("safety-"):
            self._log.note(record)
            return True
        try:
            self._log.require(record)
        except AuditUnavailable:
            return False
        return True
