"""Going over everything in a scope, without following a link or opening anything.

A walk yields the documents and, beside them, what is no document: a person may
put anything into the folder, and `upkeep.check` names it.
"""

import os
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from memory_native import files, paths
from memory_native.failures import MemoryFailure


@dataclass(frozen=True, kw_only=True)
class Found:
    """A regular file with a legal path: *path* in form C, *name* as spelled on disk."""

    path: str
    name: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, kw_only=True)
class Oddity:
    """Something that is not served; *code* says what it is."""

    code: str
    path: str


def scan(directory: str) -> tuple[list[os.DirEntry[str]], bool]:
    """Return the entries of a directory, and whether these are all.

    One name that is not UTF-8 ends a listing in the guest with EILSEQ
    (tech-notes.md section 0); what came before it is returned.
    """
    entries: list[os.DirEntry[str]] = []
    try:
        with _listing(directory) as listing:
            entries.extend(listing)
    except FileNotFoundError:
        return entries, True
    except OSError:
        return entries, False
    return entries, True


def walk(root: str, *, below: str = "", known: Iterable[str] = ()) -> Iterator[Found | Oddity]:
    """Yield what there is below a directory of *root*, each directory's entries sorted.

    *known* are paths to look for one by one in a directory whose listing broke
    off, for instance those that the index has.
    """
    hints = tuple(known)
    pending = [below]
    while pending:
        directory = pending.pop()
        entries, complete = scan(f"{root}/{directory}")
        for entry in sorted(entries, key=lambda entry: entry.name):
            name = paths.join(directory, entry.name)
            if name in paths.STORES:
                continue
            if entry.is_dir(follow_symlinks=False) and _is_legal(name):
                pending.append(name)
            elif (found := _look(root, name)) is not None:
                yield found
        if not complete:
            code = "directory-unreadable" if _is_closed(f"{root}/{directory}") else "name-not-utf8"
            yield Oddity(code=code, path=directory)
            yield from _remembered(root, directory, entries, hints)


def _listing(directory: str) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
    """Open a directory for listing; it is looked at first, since opening a FIFO waits."""
    if not stat.S_ISDIR(os.stat(directory).st_mode):
        raise NotADirectoryError
    return os.scandir(directory)


def _is_closed(directory: str) -> bool:
    """Tell whether the directory must not be listed by this user."""
    try:
        with _listing(directory):
            return False
    except OSError as error:
        return isinstance(error, PermissionError)


def documents(root: str, *, known: Iterable[str] = ()) -> Iterator[Found]:
    """Yield the documents alone."""
    return (found for found in walk(root, known=known) if isinstance(found, Found))


def _look(root: str, name: str) -> Found | Oddity | None:
    if not _is_utf8(name):
        return Oddity(code="name-not-utf8", path=name.encode(errors="replace").decode())
    try:
        status = files.lstat(f"{root}/{name}")
    except (MemoryFailure, OSError):
        return None  # a link stands where its directory was, or it cannot be entered
    if status is None:
        return None
    kind = _kind(status.st_mode)
    if kind is not None:
        return Oddity(code=kind, path=name)
    if not _is_legal(name):
        return Oddity(code="name-illegal", path=name)
    path = unicodedata.normalize("NFC", name)
    return Found(path=path, name=name, size=status.st_size, mtime_ns=files.modified_ns(status))


def _kind(mode: int) -> str | None:
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    if stat.S_ISLNK(mode):
        return "link"
    return "fifo" if stat.S_ISFIFO(mode) else "device"


def _remembered(
    root: str, directory: str, entries: list[os.DirEntry[str]], known: tuple[str, ...]
) -> Iterator[Found]:
    listed = {unicodedata.normalize("NFC", entry.name) for entry in entries}
    for child, paths_below in children(directory, known).items():
        if child not in listed:
            looked = (_look(root, files.spelled(root, path)) for path in paths_below)
            yield from (found for found in looked if isinstance(found, Found))


def children(directory: str, known: Iterable[str]) -> dict[str, list[str]]:
    """Sort *known* paths below a directory by the entry of it that they are in."""
    prefix = f"{directory}/" if directory else ""
    found: dict[str, list[str]] = {}
    for path in known:
        if path.startswith(prefix):
            found.setdefault(path[len(prefix) :].split("/", 1)[0], []).append(path)
    return found


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_legal(name: str) -> bool:
    return paths.is_document_path(name)
