"""Giving a document another name, with everything that is kept about it.

Four things move: the document, its history, its metadata and, later, its place in
the index. A journal is written first; whoever writes next finishes what a killed
call began, and every step may be repeated.
"""

import os

from memory_native import files, paths, strict_json
from memory_native.failures import MemoryFailure, naming
from memory_native.metadata import Sidecars
from memory_native.names import Names
from memory_native.store import Store
from memory_native.versions.history import History


class Renamer:
    """Renames documents of one scope."""

    def __init__(self, storage: Store, names: Names, sidecars: Sidecars) -> None:
        self._store = storage
        self._names = names
        self._sidecars = sidecars
        self._root = storage.root

    def rename(self, path: str, to: str) -> int:
        """Move the document and return its size; both paths are legal ones.

        Raises ``document-missing``, ``name-taken``, ``path-occupied``, ``path-twin``,
        ``not-a-document`` or ``storage-failed``.
        """
        name = self._names.locate(path)
        found = files.document_status(self._root, name)
        if found is None:
            raise MemoryFailure("document-missing", field="path")
        with naming("to"):
            self._refuse_taken(path, to)
            made = files.make_directories(self._root, os.path.dirname(to))
        try:
            self._write_journal(path, name, to)
        except OSError:
            files.remove_empty(made)
            raise
        self.finish()
        return found.st_size

    def finish(self) -> bool:
        """Complete a rename that is under way; tells whether there was one."""
        content = files.read_own(self._store.rename_journal)
        if content is None:
            return False
        step = _parse_journal(content)
        if step is not None:
            path, name, to = step
            if self._move_document(name, to):
                History(self._store, path).move_to(to)
                self._sidecars.move(path, to)
        files.remove_if_present(self._store.rename_journal)
        files.sync_directory(self._store.directory)
        return True

    def _refuse_taken(self, path: str, to: str) -> None:
        if files.status(self._root, self._names.locate(to)) is not None:
            raise MemoryFailure("name-taken")
        if History(self._store, to).exists():
            raise MemoryFailure("name-taken")  # versions of a deleted document
        if paths.fold(path) != paths.fold(to):  # a change of case alone is no twin
            self._names.refuse_twin(to)

    def _write_journal(self, path: str, name: str, to: str) -> None:
        content = strict_json.compact({"path": path, "name": name, "to": to}).encode()
        self._store.write_own(self._store.rename_journal, content)

    def _move_document(self, name: str, to: str) -> bool:
        """Move the file if that is still to do; false if somebody else took the name since."""
        source, target = f"{self._root}/{name}", f"{self._root}/{to}"
        if files.lstat(source) is None:
            return True
        if files.lstat(target) is None:
            _link(source, target)
            files.sync_directory(os.path.dirname(target))
        elif files.read(self._root, to) != files.read(self._root, name):
            return False
        files.remove_if_present(source)
        files.sync_directory(os.path.dirname(source))
        files.remove_empty_above(self._root, name)
        return True


def _link(source: str, target: str) -> None:
    """Give the file a second name, which unlike a rename never overwrites."""
    try:
        os.link(source, target)
    except PermissionError:
        os.rename(source, target)  # a file system without links


def _parse_journal(content: bytes) -> tuple[str, str, str] | None:
    try:
        journal = strict_json.parse_object(content.decode())
    except ValueError:
        return None
    match journal:
        case {"path": str(path), "name": str(name), "to": str(to)}:
            return path, name, to
        case _:
            return None
