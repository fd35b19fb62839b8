"""Scope locks: shared for reads, exclusive for writes, never inside a mount.

A lock is two files under ``<root>/host/locks``, locked with ``flock``, which the kernel
gives back when their process ends. Everybody passes the turnstile ``.turn`` alone and
holds it until the ``.lock`` itself is theirs: a waiting writer keeps later readers out,
so writers do not starve. Each acquisition opens the files anew, so threads of one
process exclude one another as processes do. The process that runs the guest takes the
lock (design.md section 4).
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Final

from ironclaw_memory.errors import RootUnusable, ScopeBusy
from ironclaw_memory.scopes.mounts import HOST_DIRECTORY, open_beneath, open_root_ambient


FIRST_WAIT: Final = 0.000_2
LONGEST_WAIT: Final = 0.01
"""Seconds between attempts; short beside any call, long beside a system call."""

LOCKS: Final = (HOST_DIRECTORY, "locks")
_LOCKS: Final = "/".join(LOCKS)
_FILE: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class LockMode(Enum):
    """How a scope is held."""

    SHARED = "shared"
    EXCLUSIVE = "exclusive"


_FLOCK: Final = {LockMode.SHARED: fcntl.LOCK_SH, LockMode.EXCLUSIVE: fcntl.LOCK_EX}


@contextmanager
def held(
    root: Path,
    name: str,
    mode: LockMode,
    *,
    deadline: float,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[None]:
    """Hold the lock *name* for the block.

    Waits until *deadline*, in seconds of *clock*, and then raises `ScopeBusy` naming the
    process that holds it. Raises `RootUnusable` if the files cannot be made.
    """
    with _opened(root, f"{name}.lock") as lock, _opened(root, f"{name}.turn") as turn:
        _wait(turn, fcntl.LOCK_EX, lock, deadline, clock)
        try:
            _wait(lock, _FLOCK[mode], lock, deadline, clock)
        finally:
            fcntl.flock(turn, fcntl.LOCK_UN)
        os.pwrite(lock, b"%-20d\n" % os.getpid(), 0)
        try:
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)  # closing alone would not do if a fork has a copy


@contextmanager
def _opened(root: Path, file: str) -> Iterator[int]:
    try:
        descriptor = _open(root, file)
    except OSError as problem:
        raise RootUnusable(
            f"The scope cannot be locked: {os.strerror(problem.errno or 0)}.",
            hint="The data directory must be writable by this user; see `ironclaw-memory doctor`.",
        ) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _open(root: Path, file: str) -> int:
    """Open a lock file; no guest can reach its directory, which is made when it is missing."""
    path = f"{root}/{_LOCKS}/{file}"  # on every call
    try:
        return os.open(path, _FILE, 0o600)
    except FileNotFoundError:
        os.close(open_beneath(open_root_ambient(root, make=True), LOCKS, make=True))
        return os.open(path, _FILE, 0o600)


def _wait(
    descriptor: int, how: int, lock: int, deadline: float, clock: Callable[[], float]
) -> None:
    pause = FIRST_WAIT
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
            return
        left = deadline - clock()
        if left <= 0:
            raise _busy(lock)
        time.sleep(min(pause, left))
        pause = min(pause * 2, LONGEST_WAIT)


def _busy(lock: int) -> ScopeBusy:
    text = os.pread(lock, 20, 0).strip()
    holder = f"process {text.decode()}" if text.isdigit() else "another process"
    return ScopeBusy(
        f"The scope is held by {holder} and was not given back in time.",
        holder=holder,
        hint="Wait for it to finish, or end it.",
    )
