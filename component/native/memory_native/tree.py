"""The nested listing of documents and directories (reference.md section 2.3).

Directories come first, then files, each sorted. A directory at the last level is
``"name/"``, above it ``{"name/": [...]}``; a listing that was cut ends in ``"…"``.
"""

import os
import stat
import unicodedata
from typing import Final

from memory_native import files, paths, strict_json, walking
from memory_native.failures import MemoryFailure
from memory_native.limits import TREE_ENTRIES
from memory_native.names import Names


CUT: Final = "\u2026"
DEPTH_MAX: Final = 10

Node = str | dict[str, "list[Node]"]


def listing(root: str, names: Names, path: str, depth: int) -> str:
    """Return the JSON array below a directory; an empty one where there is none.

    *depth* is clamped to 1 to 10. Raises a path code.
    """
    directory = paths.directory_path(path)
    lister = _Lister(root)
    with files.storage():
        nodes = lister.list(_spelled(root, names, directory), min(max(depth, 1), DEPTH_MAX))
    if lister.is_cut and nodes[-1] != CUT:
        nodes.append(CUT)
    return strict_json.compact(nodes)


class _Lister:
    """Collects nodes until the listing is full."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._left = TREE_ENTRIES
        self.is_cut = False

    def list(self, directory: str | None, depth: int) -> list[Node]:
        nodes: list[Node] = []
        if directory is None:
            return nodes
        directories, documents = _split(self._root, directory)
        for entry in (*directories, *documents):
            if not self._left:
                self.is_cut = True
                nodes.append(CUT)
                break
            self._left -= 1
            name = unicodedata.normalize("NFC", entry.name)
            if entry.is_file(follow_symlinks=False):
                nodes.append(name)
            elif depth == 1:
                nodes.append(f"{name}/")
            else:
                nodes.append({f"{name}/": self.list(paths.join(directory, entry.name), depth - 1)})
        return nodes


def _split(root: str, directory: str) -> tuple[list["os.DirEntry[str]"], list["os.DirEntry[str]"]]:
    """Return the directories and the documents of a directory; anything else is not listed."""
    entries = sorted(walking.scan(f"{root}/{directory}")[0], key=lambda entry: entry.name)
    legal = [
        entry for entry in entries if paths.is_document_path(paths.join(directory, entry.name))
    ]
    return (
        [entry for entry in legal if entry.is_dir(follow_symlinks=False)],
        [entry for entry in legal if entry.is_file(follow_symlinks=False)],
    )


def _spelled(root: str, names: Names, directory: str) -> str | None:
    """Return how the directory is spelled on disk, or None if there is no such directory."""
    if not directory:
        return ""
    name = names.locate(directory)
    try:
        found = files.status(root, name)
    except MemoryFailure:
        return None
    return name if found is not None and stat.S_ISDIR(found.st_mode) else None
