"""Look at a scope's files from the host: lstat only, no link followed, nothing opened.

Directories are entered by descriptor, so a directory that a guest swaps for a link in
the middle of a walk is refused by the kernel.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ironclaw_memory.scopes.mounts import Mount


STORE: Final = ".store"  # the provider's own directory, not documents (design.md section 6)
STORES: Final = frozenset({STORE, f"context/{STORE}"})  # the second is of profile operations
MAX_DEPTH: Final = 64  # far beyond any document; each level holds a descriptor
_BLOCK: Final = 512  # what st_blocks counts, on every platform
ENTER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Stamp(NamedTuple):
    """What changes when a document does: bytes, and nanoseconds of its last change."""

    size: int
    mtime_ns: int


class Odd(NamedTuple):
    """An entry that is no document: where it is and what it is.

    ``kind`` is ``link``, ``pipe``, ``device``, ``socket``, ``name`` (not UTF-8, shown with
    replacement characters), ``depth`` (nested too deep), ``unreadable``, or ``twin`` where
    another file has its name (owner.py).
    """

    path: str
    kind: str


class Scan(NamedTuple):
    """The documents of a scope by relative path, and what else lies there."""

    documents: Mapping[str, Stamp]
    odd: tuple[Odd, ...]

    @property
    def hides_names(self) -> bool:
        """Whether a name that is not UTF-8 breaks a guest's own listing off (tech-notes 0.8)."""
        return any(odd.kind == "name" for odd in self.odd)


@dataclass(kw_only=True)
class Usage:
    """What a scope takes: regular files and bytes, the provider's own counted apart.

    ``directories`` are those of both. Bytes are the larger of length and allocated blocks, so neither a sparse file nor
    one with blocks beyond its end looks small.
    """

    files: int = 0
    bytes: int = 0
    store_files: int = 0
    store_bytes: int = 0
    directories: int = 0
    largest: int = 0
    odd: list[Odd] = field(default_factory=list)


def scan(mount: Mount) -> Scan:
    """Return the documents of *mount*; ``.store`` is left out."""
    documents: dict[str, Stamp] = {}
    odd: list[Odd] = []
    with mount.opened() as directory:
        for path, status in _walk(directory, "", odd, skip=STORES):
            if stat.S_ISDIR(status.st_mode):
                continue
            documents[path] = Stamp(status.st_size, status.st_mtime_ns)
    return Scan(documents=documents, odd=tuple(odd))


def usage(mount: Mount) -> Usage:
    """Return what *mount* takes on disk."""
    total = Usage()
    with mount.opened() as directory:
        for path, status in _walk(directory, "", total.odd, skip=frozenset()):
            if stat.S_ISDIR(status.st_mode):
                total.directories += 1
                continue
            size = max(status.st_size, status.st_blocks * _BLOCK)
            total.largest = max(total.largest, size)
            if path.startswith(tuple(f"{store}/" for store in STORES)):
                total.store_files += 1
                total.store_bytes += size
            else:
                total.files += 1
                total.bytes += size
    return total


def _walk(
    directory: int, prefix: str, odd: list[Odd], *, skip: frozenset[str]
) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the regular files and directories below *directory*; the rest goes to *odd*."""
    below: list[str] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            name = entry.name
            if prefix + name in skip:
                continue
            if not name.isascii() and not _is_utf8(name):
                odd.append(Odd(prefix + os.fsencode(name).decode(errors="replace"), "name"))
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue  # gone since it was listed
            if stat.S_ISREG(status.st_mode):
                yield prefix + name, status
            elif stat.S_ISDIR(status.st_mode):
                yield prefix + name, status
                below.append(name)
            else:
                odd.append(Odd(prefix + name, _kind(status.st_mode)))
    for name in below:
        yield from _enter(directory, name, prefix, odd, skip=skip)


def _enter(
    parent: int, name: str, prefix: str, odd: list[Odd], *, skip: frozenset[str]
) -> Iterator[tuple[str, os.stat_result]]:
    path = prefix + name
    if path.count("/") >= MAX_DEPTH:
        odd.append(Odd(path, "depth"))
        return
    try:
        directory = os.open(name, ENTER, dir_fd=parent)
    except FileNotFoundError:
        return
    except OSError:
        odd.append(Odd(path, "unreadable"))
        return
    try:
        yield from _walk(directory, f"{path}/", odd, skip=skip)
    finally:
        os.close(directory)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "link"
    if stat.S_ISFIFO(mode):
        return "pipe"
    return "socket" if stat.S_ISSOCK(mode) else "device"
