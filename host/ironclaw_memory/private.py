"""Directories and files that only their owner can reach, and files that are never seen half."""

import glob
import os
import secrets
from pathlib import Path
from typing import Final


MODE: Final = 0o700  # design.md section 6
FILE_MODE: Final = 0o600  # likewise
CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
"""How a file is made that nobody else has made or planted."""

_UNFINISHED: Final = ".new"


def make_private(directory: Path) -> None:
    """Make *directory* and whatever is missing above it, each with mode 0700.

    `Path.mkdir` would make the parents as the process's mask has it. Raises `OSError`.
    """
    missing = [place for place in (directory, *directory.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=MODE, exist_ok=True)


def write_private(path: Path, content: bytes, *, durable: bool, at_ns: int | None = None) -> None:
    """Make *content* the file at *path*, with mode 0600: readers find the old one or the new.

    With *durable* the new one is on disk, under its name, once this returns; without, a power
    cut may undo the change, or leave less of it. *at_ns* is the file's modification time, now
    by default. Writers of one path do not meet; the last one stays. Raises `OSError`: the old
    file is there then, or the new one where only its name could not be made to last.
    """
    fresh = unfinished(path)
    try:
        with os.fdopen(os.open(fresh, CREATE, FILE_MODE), "wb") as file:
            file.write(content)
            file.flush()
            if at_ns is not None:
                os.utime(file.fileno(), ns=(at_ns, at_ns))
            if durable:
                os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    if durable:
        sync_directory(path.parent)


def unfinished(path: Path) -> Path:
    """Return a new name beside *path* for what becomes it once it is whole."""
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}{_UNFINISHED}")


def clear_unfinished(path: Path) -> None:
    """Remove what killed writers left beside the file at *path*.

    A writer that is still at work loses its file and fails, so this is for who writes alone,
    or may lose. Raises `OSError`.
    """
    for left in path.parent.glob(f".{glob.escape(path.name)}.*{_UNFINISHED}"):
        left.unlink(missing_ok=True)


def sync_directory(directory: Path) -> None:
    """Have the names in *directory* on disk. Raises `OSError`."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
