"""Reading and replacing single files below a root without ever following a link.

A name is relative to the root and has been through `memory_native.paths`. Every
directory on the way is looked at before it is entered, a document is opened only
when it is a regular file: a link could lead a write into ``threads/`` or the
store, and opening a FIFO waits for ever.

Plain ``os`` calls throughout: `pathlib` costs several times as much in the guest
(tech-notes.md section 11).
"""

import errno
import os
import stat
import unicodedata
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Final

from memory_native.failures import MemoryFailure
from memory_native.limits import READ_BYTES


_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_LAST_NS: Final = (1 << 63) - 1  # the year 2262, where SQLite's integers end
_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})


@contextmanager
def _told_as(code: str) -> Iterator[None]:
    try:
        yield
    except OSError:
        raise MemoryFailure(code) from None


def storage() -> AbstractContextManager[None]:
    """Turn an error of the operating system into ``storage-failed``, without its words."""
    return _told_as("storage-failed")


def reading() -> AbstractContextManager[None]:
    """Turn an error of the operating system into ``document-unreadable``, without its words."""
    return _told_as("document-unreadable")


def lstat(path: str) -> os.stat_result | None:
    """Return the status of the entry itself, or None if there is none.

    Raises ``not-a-document`` where a link on the way leads out of the mount.
    """
    try:
        return os.lstat(path)
    except OSError as error:
        if error.errno in _ABSENT:
            return None
        if error.errno == errno.EPERM:  # what the sandbox answers to that
            raise MemoryFailure("not-a-document") from None
        raise


def spelled(directory: str, name: str) -> str:
    """Return *name*, in form C, as it stands in *directory*: decomposed if only that is there.

    This needs no listing, which a single name that is not UTF-8 breaks off.
    """
    if name.isascii() or lstat(f"{directory}/{name}") is not None:
        return name
    decomposed = unicodedata.normalize("NFD", name)
    return name if lstat(f"{directory}/{decomposed}") is None else decomposed


def status(root: str, name: str) -> os.stat_result | None:
    """Return the status of *name*, or None where it or a directory of it is absent.

    Raises ``not-a-document`` if a link or a special file stands in the way.
    """
    at = root
    *directories, _ = name.split("/")
    for segment in directories:
        at = f"{at}/{segment}"
        found = lstat(at)
        if found is None or stat.S_ISREG(found.st_mode):
            return None
        _demand(stat.S_ISDIR(found.st_mode))
    return lstat(f"{root}/{name}")


def modified_ns(status: os.stat_result) -> int:
    """Return when a file was modified, at most the last moment that an index can keep."""
    return min(status.st_mtime_ns, _LAST_NS)


def document_status(root: str, name: str) -> os.stat_result | None:
    """Return the status of a regular file, or None.

    Raises ``is-a-directory``, and ``not-a-document`` for anything else.
    """
    found = status(root, name)
    if found is not None:
        if stat.S_ISDIR(found.st_mode):
            raise MemoryFailure("is-a-directory", field="path")
        _demand(stat.S_ISREG(found.st_mode))
    return found


def read(root: str, name: str, *, limit: int = READ_BYTES) -> bytes | None:
    """Return the bytes of a document, or None if it is absent.

    Raises what `document_status` does, ``body-too-large`` above *limit* bytes, and
    ``document-unreadable``.
    """
    with reading():
        found = document_status(root, name)
        return None if found is None else _read_regular(f"{root}/{name}", limit)


def read_found(root: str, name: str) -> bytes | None:
    """Do the same for a document that `document_status` has just found: it is not looked at twice."""
    with reading():
        return _read_regular(f"{root}/{name}", READ_BYTES)


def tail(root: str, name: str, size: int) -> tuple[bytes, bool] | None:
    """Return the last *size* bytes of a document and whether these are all, or None if it is absent.

    Raises what `document_status` does and ``document-unreadable``.
    """
    with reading():
        if document_status(root, name) is None:
            return None
        descriptor = os.open(f"{root}/{name}", _READ)
        try:
            start = max(0, os.fstat(descriptor).st_size - size)
            os.lseek(descriptor, start, os.SEEK_SET)
            return os.read(descriptor, size), start == 0
        finally:
            os.close(descriptor)


def own_size(path: str) -> int | None:
    """Return the size of a file of the store, or None if it is absent.

    Whatever else stands in its place has no bytes, as a damaged file may: it is never opened,
    since opening a FIFO waits and the sandbox has no flag against that.
    """
    try:
        found = os.lstat(path)
    except OSError as error:
        if error.errno in _ABSENT:
            return None
        raise
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def read_own(path: str, *, most: int | None = None) -> bytes | None:
    """Return the bytes of a file of the store, the first *most* of them, or None if it is absent.

    Nothing of what is no regular file, as `own_size` says.
    """
    size = own_size(path)
    if not size:
        return None if size is None else b""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        return _content(descriptor, size if most is None else min(size, most))
    finally:
        os.close(descriptor)


def create(path: str, content: bytes) -> os.stat_result:
    """Write a new file, force it to disk and return its status.

    Leaves nothing behind if that fails.
    """
    descriptor = os.open(path, _CREATE, 0o600)
    try:
        try:
            write_all(descriptor, content)
            os.fsync(descriptor)
            return os.fstat(descriptor)
        finally:
            os.close(descriptor)
    except OSError:
        with suppress(OSError):
            os.unlink(path)
        raise


def write_all(descriptor: int, content: bytes) -> None:
    """Write every byte; ``os.write`` may take fewer."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def sync_directory(path: str) -> None:
    """Force the names in a directory to disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_directories(root: str, directory: str) -> list[str]:
    """Create *directory* below *root* durably; returns what was created, outermost first.

    Raises ``path-occupied`` if a document stands in the way and
    ``not-a-document`` if a link or a special file does; nothing is created then.
    """
    created: list[str] = []
    at = root
    try:
        for segment in directory.split("/") if directory else ():
            parent, at = at, f"{at}/{segment}"
            if not _is_directory(at):
                os.mkdir(at, 0o700)
                created.append(at)
                sync_directory(parent)
    except BaseException:
        remove_empty(created)
        raise
    return created


def remove_empty(directories: list[str]) -> None:
    """Remove directories given outermost first, as far as they are empty."""
    with suppress(OSError):
        for directory in reversed(directories):
            os.rmdir(directory)


def remove_empty_above(root: str, name: str) -> None:
    """Remove the directories of *name* as far as they are empty, never the root."""
    at = name
    with suppress(OSError):
        while "/" in at:
            at = at.rpartition("/")[0]
            os.rmdir(f"{root}/{at}")


def remove_if_present(path: str) -> bool:
    """Remove a file; tells whether there was one."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def _is_directory(path: str) -> bool:
    found = lstat(path)
    if found is None:
        return False
    if stat.S_ISREG(found.st_mode):
        raise MemoryFailure("path-occupied")
    _demand(stat.S_ISDIR(found.st_mode))
    return True


def _read_regular(path: str, limit: int) -> bytes | None:
    try:
        descriptor = os.open(path, _READ)
    except OSError as error:
        if error.errno in _ABSENT:
            return None  # removed since it was looked at
        if error.errno == errno.ELOOP:
            raise MemoryFailure("not-a-document") from None
        raise
    try:
        found = os.fstat(descriptor)
        _demand(stat.S_ISREG(found.st_mode))
        if found.st_size > limit:
            raise MemoryFailure("body-too-large")
        return _content(descriptor, found.st_size)
    finally:
        os.close(descriptor)


def _content(descriptor: int, size: int) -> bytes:
    """Return the *size* bytes of a file, fewer if it ends sooner; a guest reads 64 KiB at once."""
    pieces = []
    while size and (piece := os.read(descriptor, size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _demand(fine: bool) -> None:  # noqa: FBT001 - an assertion, not an option
    if not fine:
        raise MemoryFailure("not-a-document")
