"""One small file that many processes read often and change seldom.

Why a JSON file and not SQLite: what the gate keeps is tens of entries, so the
whole of it fits in one validated, frozen value; one ``lstat`` tells a reader
that nothing changed, a person can read what is granted, and there is no
connection to carry across a fork. A change takes an exclusive ``flock``, reads
the file again, writes a new one beside it and renames it into place.

Every new file gets a later ``mtime`` than the one it replaces, so the reader's
stamp (time, inode, size) never repeats, also where inodes are reused at once.
"""

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Generic, TypeVar

from ironclaw_memory.capability.frozen_json import from_json, to_json
from ironclaw_memory.errors import SettingsUnreadable
from ironclaw_memory.private import (
    clear_unfinished,
    make_private,
    sync_directory,
    write_private,
)


T = TypeVar("T")
R = TypeVar("R")

MAX_BYTES: Final = 8 * 1024 * 1024  # far above 10,000 grants; a bound for whoever reads
LOCK_WAIT_S: Final = 5.0  # the deadline of a tool call (design.md section 5)
_POLL_S: Final = 0.002

_Stamp = tuple[int, int, int, int]


class StateFile(Generic[T]):
    """A frozen value of one type in one file.

    The file has a directory of its own (mode 0700, files 0600), which appears at once
    with the file in it. Without that directory nothing was ever decided, and the value is
    the initial one. Everything else that is wrong, a missing file in its directory
    included, raises `SettingsUnreadable`; nothing is ever guessed.
    """

    def __init__(self, path: Path, *, initial: T) -> None:
        """Name the file; *initial* is the value where its directory is absent."""
        self._path = path
        self._initial = initial
        self._cached: tuple[_Stamp, T] | None = None

    def create(self) -> None:
        """Make the directory with the initial value in it, unless it exists."""
        directory = self._path.parent
        if os.path.lexists(directory):
            return
        try:
            make_private(directory.parent)
            fresh = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
            try:
                initial = to_json(self._initial)
                write_private(fresh / self._path.name, initial, durable=True, at_ns=1)
                fresh.rename(directory)
            except OSError:
                shutil.rmtree(fresh, ignore_errors=True)
                if not os.path.lexists(directory):  # else another process was first
                    raise
            sync_directory(directory.parent)
        except OSError:
            raise _unreadable("cannot be written") from None

    def snapshot(self) -> T:
        """Return the value as it is now; one ``lstat`` where nothing has changed."""
        if self._cached is None and _is_absent(self._path.parent):
            return self._initial
        stamp = self._stamp()
        cached = self._cached
        if cached is not None and cached[0] == stamp:
            return cached[1]
        stamp, value = self._read()
        self._cached = (stamp, value)
        return value

    def update(self, change: Callable[[T], tuple[T, R]], *, durable: bool = True) -> R:
        """Replace the value by what *change* makes of it and return its second result.

        No other process changes the file in between. Where *change* returns the very
        value it was given, nothing is written; nor is what could not be read again, for which
        `SettingsUnreadable` is raised. ``durable=False`` leaves the moment of
        the write to the system, for changes that are safe to lose.
        """
        self._require_not_lost()
        self.create()
        with self._exclusive():
            stamp, value = self._read()
            changed, result = change(value)
            if changed is not value:
                self._replace(changed, after_ns=stamp[0], durable=durable)
            return result

    def _require_not_lost(self) -> None:
        """Refuse to begin anew where a value was read before: what was decided is missing then."""
        if self._cached is not None:
            self._stamp()

    def _stamp(self) -> _Stamp:
        try:
            return _checked_stamp(os.lstat(self._path))
        except OSError:
            raise _unreadable("is missing or cannot be read") from None

    def _read(self) -> tuple[_Stamp, T]:
        self._stamp()  # a pipe or a directory is not even opened
        try:
            fd = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
            with os.fdopen(fd, "rb") as file:
                stamp = _checked_stamp(os.fstat(fd))
                raw = file.read(MAX_BYTES + 1)
        except OSError:
            raise _unreadable("is missing or cannot be read") from None
        if len(raw) > MAX_BYTES:
            raise _unreadable("is too large")
        try:
            return stamp, from_json(type(self._initial), raw)
        except ValueError:
            raise _unreadable("is damaged or from a newer version") from None

    def _replace(self, value: T, *, after_ns: int, durable: bool) -> None:
        at_ns = max(time.time_ns(), after_ns + 1)
        raw = self._readable(value)
        try:
            clear_unfinished(self._path)
            write_private(self._path, raw, durable=durable, at_ns=at_ns)
        except OSError:
            raise _unreadable("cannot be written") from None

    def _readable(self, value: T) -> bytes:
        """Return what *value* is written as; one that could not be read back would deny for good."""
        with suppress(TypeError, ValueError, RecursionError):
            raw = to_json(value)
            from_json(type(self._initial), raw)
            if len(raw) <= MAX_BYTES:
                return raw
        raise SettingsUnreadable(
            "The host could not read its own state again after this change; the old one stays.",
            hint="Check the values that it was given, and revoke grants that nobody needs.",
        )

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        try:
            lock = self._path.with_name(f"{self._path.name}.lock")
            fd = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError:
            raise _unreadable("cannot be locked") from None
        try:
            wait_for_lock(fd, seconds=LOCK_WAIT_S, busy=_unreadable("is held by another process"))
            yield
        finally:
            fcntl.flock(fd, fcntl.LOCK_UN)  # closing alone would not do if a fork has a copy
            os.close(fd)


def _is_absent(directory: Path) -> bool:
    """Say whether nothing stands there; where nobody may look, that is not known."""
    try:
        os.lstat(directory)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def wait_for_lock(fd: int, *, seconds: float, busy: Exception) -> None:
    """Take the exclusive ``flock`` of *fd*, or raise *busy* after *seconds*.

    A process that was stopped while it held the lock must not stop everyone else.
    """
    give_up = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= give_up:
                raise busy from None
            time.sleep(_POLL_S)
        else:
            return


def _checked_stamp(status: os.stat_result) -> _Stamp:
    if not stat.S_ISREG(status.st_mode):
        raise _unreadable("is not a plain file")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _unreadable("can be written by others")
    return (status.st_mtime_ns, status.st_ino, status.st_size, status.st_dev)


def _unreadable(problem: str) -> SettingsUnreadable:
    return SettingsUnreadable(
        f"The host's own state {problem}; until then everything is denied.",
        hint="Run `ironclaw-memory doctor` and mend what it names.",
    )
