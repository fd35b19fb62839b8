"""Copying a directory of a guest: regular files only, no link followed, within bounds.

Everything is opened relative to a descriptor, so a name that a guest swaps for a
link in the middle of the copy is refused by the kernel.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from ironclaw_memory.errors import LimitExceeded
from ironclaw_memory.private import CREATE, FILE_MODE


MAX_DEPTH: Final = 64  # as in `scopes.walk`
MAX_FILES: Final = 100_000  # five times the documents of a scope (design.md section 5)
MAX_BYTES: Final = 1024 * 1024 * 1024  # four times the bytes of a scope

_CHUNK: Final = 1024 * 1024
_ENTER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, kw_only=True)
class Copied:
    """A file that was copied: its path below the directory, its size and SHA-256."""

    path: str
    size: int
    sha256: str


@dataclass(kw_only=True)
class Tally:
    """What was copied so far. ``skipped`` counts links, pipes, devices and the like."""

    files: list[Copied] = field(default_factory=list)
    bytes: int = 0
    skipped: int = 0

    def add(self, path: str, size: int, sha256: str) -> None:
        """Count a file."""
        self.files.append(Copied(path=path, size=size, sha256=sha256))


def copy_tree(source: int, target: int) -> Tally:
    """Copy what lies in the directory *source* into the empty directory *target*.

    Both are descriptors. Raises `LimitExceeded` beyond the bounds of this module and
    `OSError` where a file cannot be read or written.
    """
    tally = Tally()
    _copy_directory(source, target, "", tally)
    return tally


def _copy_directory(source: int, target: int, prefix: str, tally: Tally) -> None:
    for name in sorted(os.listdir(source)):
        status = os.stat(name, dir_fd=source, follow_symlinks=False)
        path = f"{prefix}{name}"
        if stat.S_ISDIR(status.st_mode):
            if path.count("/") >= MAX_DEPTH:
                raise _too_much("depth")
            os.mkdir(name, 0o700, dir_fd=target)
            with _entered(source, name) as below, _entered(target, name) as copy:
                _copy_directory(below, copy, f"{path}/", tally)
        elif stat.S_ISREG(status.st_mode):
            _copy_file(source, target, name, path, tally)
        else:
            tally.skipped += 1


def _copy_file(source: int, target: int, name: str, path: str, tally: Tally) -> None:
    if len(tally.files) >= MAX_FILES:
        raise _too_much("files")
    digest, size = hashlib.sha256(), 0
    with (
        os.fdopen(os.open(name, _READ, dir_fd=source), "rb") as read,
        os.fdopen(os.open(name, CREATE, FILE_MODE, dir_fd=target), "wb") as written,
    ):
        if not stat.S_ISREG(os.fstat(read.fileno()).st_mode):
            raise OSError("a file was swapped for something else")
        while chunk := read.read(_CHUNK):
            size += len(chunk)
            tally.bytes += len(chunk)
            if tally.bytes > MAX_BYTES:
                raise _too_much("bytes")
            digest.update(chunk)
            written.write(chunk)
    tally.add(path, size, digest.hexdigest())


@contextmanager
def _entered(directory: int, name: str) -> Iterator[int]:
    descriptor = os.open(name, _ENTER, dir_fd=directory)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _too_much(what: str) -> LimitExceeded:
    return LimitExceeded(
        "The scope is too large to be copied, so nothing was changed.",
        limit=f"snapshot_{what}",
        hint="Remove documents that are not needed, then repeat.",
    )
