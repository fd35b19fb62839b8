"""The files of the audit log: appending, rotating and opening them in order.

``audit.jsonl`` is being written; ``audit.1.jsonl`` is the one before, and so on.
Appending and rotating happen under one ``flock``, so that lines of many processes
stay whole and none goes to a file that is about to be removed.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ironclaw_memory.capability.statefile import wait_for_lock
from ironclaw_memory.private import make_private


MAX_FILE_BYTES: Final = 8 * 1024 * 1024  # about 30,000 lines
MAX_FILES: Final = 8  # the one being written and seven before it
LOCK_WAIT_S: Final = 5.0  # the deadline of a tool call (design.md section 5)


@dataclass(frozen=True, kw_only=True)
class AuditFiles:
    """Where the log is and how far it may grow.

    ``directory`` lies outside every mount. Methods raise `OSError`, also where the
    lock stays taken.
    """

    directory: Path
    max_file_bytes: int = MAX_FILE_BYTES
    max_files: int = MAX_FILES

    def append(self, block: bytes, *, durable: bool, lock_wait_s: float = LOCK_WAIT_S) -> None:
        """Append whole lines; with ``durable`` they are on disk on return."""
        make_private(self.directory)
        with self._locked(lock_wait_s):
            self._rotate_for(len(block))
            fd = _open(self._path(0), os.O_RDWR | os.O_APPEND | os.O_CREAT)
            with _closing(fd):
                _write_whole(fd, block)
                # The flush may take long and needs no lock: this file's bytes are its own.
                syncing = os.dup(fd) if durable else None
        if syncing is not None:
            with _closing(syncing):
                os.fsync(syncing)

    def open_all(self) -> list[int]:
        """Return descriptors of all files, oldest first; the caller closes them."""
        opened = []
        with suppress(FileNotFoundError), self._locked(LOCK_WAIT_S):
            for number in range(self.max_files - 1, -1, -1):
                with suppress(FileNotFoundError):
                    opened.append(_open(self._path(number), os.O_RDONLY))
        return opened

    def current_inode(self) -> int | None:
        """Return the inode that is being written, if there is one."""
        try:
            return os.lstat(self._path(0)).st_ino
        except FileNotFoundError:
            return None

    def _path(self, number: int) -> Path:
        return self.directory / (f"audit.{number}.jsonl" if number else "audit.jsonl")

    def _rotate_for(self, size: int) -> None:
        try:
            full = os.lstat(self._path(0)).st_size + size > self.max_file_bytes
        except FileNotFoundError:
            return
        if full:
            for number in range(self.max_files - 1, 0, -1):
                with suppress(FileNotFoundError):
                    self._path(number - 1).replace(self._path(number))

    @contextmanager
    def _locked(self, seconds: float) -> Iterator[None]:
        fd = _open(self.directory / "audit.lock", os.O_RDWR | os.O_CREAT)
        with _closing(fd):
            wait_for_lock(fd, seconds=seconds, busy=OSError("the audit log is locked"))
            try:
                yield
            finally:
                fcntl.flock(fd, fcntl.LOCK_UN)  # closing alone would not do if a fork has a copy


@contextmanager
def _closing(fd: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(fd)


def _open(path: Path, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)


def _write_whole(fd: int, block: bytes) -> None:
    """Append *block* in one write, or leave the file as it was and raise `OSError`."""
    size = os.fstat(fd).st_size
    if size and os.pread(fd, 1, size - 1) != b"\n":
        block = b"\n" + block  # a line that a crash tore apart spoils itself alone
    if os.write(fd, block) != len(block):
        os.ftruncate(fd, size)
        raise OSError("the disk is full")
