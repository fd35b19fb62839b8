"""Giving a document another name, with everything that is kept about it.

Four things move: the document, its history, its metadata and, later, its place in
the index. A journal is written first; whoever writes next finishes what a killed
call began, and every step may be repeated. A move that fails is taken back, and a
journal that cannot be carried out is dropped: neither keeps a scope from being served.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from memory_native import files, paths, strict_json
from memory_native.failures import MemoryFailure, naming
from memory_native.metadata import Sidecars
from memory_native.names import Names
from memory_native.store import Store
from memory_native.versions.history import History


Screen = Callable[[str, str], None]

_JOURNAL_BYTES: Final = 16 << 10  # two paths of at most 1,024 bytes, escaped


class Renamer:
    """Renames documents of one scope."""

    def __init__(self, storage: Store, names: Names, sidecars: Sidecars, screen: Screen) -> None:
        """Move nothing that *screen* refuses, given the old and the new path."""
        self._store = storage
        self._names = names
        self._sidecars = sidecars
        self._screen = screen
        self._root = storage.root

    def rename(self, path: str, to: str) -> int:
        """Move the document and return its size; both paths are legal ones.

        Raises ``document-missing``, ``name-taken``, ``path-occupied``, ``path-twin``,
        ``not-a-document``, ``storage-failed`` or what the screen raises; the document and
        its history are then where they were.
        """
        found = files.document_status(self._root, self._names.locate(path))
        if found is None:
            raise MemoryFailure("document-missing", field="path")
        with naming("to"):
            self._refuse_taken(path, to)
            directory = os.path.dirname(self._names.locate(to))
            made = files.make_directories(self._root, directory)
        try:
            self._write_journal(path, to)
            self._move(path, to)
        except (OSError, MemoryFailure):
            self._drop_journal()
            files.remove_empty(made)
            raise
        self._drop_journal()
        return found.st_size

    def finish(self) -> None:
        """Complete a rename that is under way, or leave the document where it is.

        Whatever the journal says, whoever wrote it: it is gone afterwards.
        """
        with suppress(OSError, MemoryFailure):
            content = files.read_own(self._store.rename_journal, most=_JOURNAL_BYTES)
            if content is None:
                return
            self._move(*_parse_journal(content))
        self._drop_journal()

    def _refuse_taken(self, path: str, to: str) -> None:
        if files.status(self._root, self._names.locate(to)) is not None:
            raise MemoryFailure("name-taken")
        if History(self._store, to).exists():
            raise MemoryFailure("name-taken")  # versions of a deleted document
        if paths.fold(path) != paths.fold(to):  # a change of case alone is no twin
            self._names.refuse_twin(to)

    def _write_journal(self, path: str, to: str) -> None:
        content = strict_json.compact({"path": path, "to": to}).encode()
        self._store.write_own(self._store.rename_journal, content)

    def _drop_journal(self) -> None:
        with suppress(OSError):  # the next write tries again
            files.remove_if_present(self._store.rename_journal)
            files.sync_directory(self._store.directory)

    def _move(self, path: str, to: str) -> None:
        """Move what is still to be moved; if that fails, the document is where it was found."""
        name, new = self._names.locate(path), self._names.locate(to)
        is_there = files.document_status(self._root, name) is not None
        history, target = History(self._store, path), History(self._store, to)
        if target.exists() and (is_there or history.exists()):  # the document moves first
            raise MemoryFailure("name-taken", field="to")
        self._screen(path, to)
        try:
            self._move_document(name, new)
            history.move_to(to)
            self._sidecars.move(path, to)
        except (OSError, MemoryFailure):
            if is_there:
                self._hand_back(target, path)
                with suppress(OSError, MemoryFailure):
                    self._move_document(new, name, sync=_sync_if_possible)
            raise
        files.remove_empty_above(self._root, name)

    def _hand_back(self, moved: History, path: str) -> None:
        """Return the history to *path*, before the document: a kill between is finished as usual."""
        with suppress(OSError):
            if moved.exists():
                moved.move_to(path)

    def _move_document(
        self, name: str, new: str, *, sync: Callable[[str], None] = files.sync_directory
    ) -> None:
        """Move the file if that is still to do, each directory forced to disk with *sync*.

        Raises ``name-taken`` if something else stands at *new*.
        """
        found = files.document_status(self._root, name)
        if found is None:
            return
        source, target = f"{self._root}/{name}", f"{self._root}/{new}"
        taken = files.status(self._root, new)
        if taken is None:
            _link(source, target)
            sync(os.path.dirname(target))
        elif not _are_two_names(found, taken):
            raise MemoryFailure("name-taken", field="to")
        files.remove_if_present(source)
        sync(os.path.dirname(source))


def _sync_if_possible(directory: str) -> None:
    with suppress(OSError):
        files.sync_directory(directory)


def _link(source: str, target: str) -> None:
    """Give the file a second name, which unlike a rename never overwrites."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise MemoryFailure("name-taken", field="to") from None
    except PermissionError:
        os.rename(source, target)  # a file system without links


def _are_two_names(one: os.stat_result, other: os.stat_result) -> bool:
    """Tell two links to one file from a single one, which a disk that folds case finds twice."""
    return os.path.samestat(one, other) and one.st_nlink > 1


def _parse_journal(content: bytes) -> tuple[str, str]:
    """Return the old and the new path; raises ``path-invalid`` and as the grammar does."""
    try:
        journal = strict_json.parse_object(content.decode())
    except ValueError:
        journal = {}
    match journal:
        case {"path": str(path), "to": str(to)} if _is_legal(path, to):
            return path, to
        case _:
            raise MemoryFailure("path-invalid")


def _is_legal(path: str, to: str) -> bool:
    """Tell whether the two could have come through the contract."""
    if paths.in_threads(to) and not paths.in_threads(path):
        return False
    paths.refuse_misspelled(to, field="to")
    return path != to == paths.new_document_path(to) and path == paths.document_path(path)
