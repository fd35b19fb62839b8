"""The nested listing of documents and directories (reference.md section 2.3).

Directories come first, then files, each sorted. A directory at the last level is
``"name/"``, above it ``{"name/": [...]}``; a listing that was cut ends in ``"…"``.
"""

import stat
import unicodedata
from collections.abc import Callable, Iterable
from typing import Final

from memory_native import files, paths, strict_json, walking
from memory_native.failures import MemoryFailure
from memory_native.limits import TREE_ENTRIES
from memory_native.names import Names


CUT: Final = "\u2026"
DEPTH_MAX: Final = 10

Node = str | dict[str, "list[Node]"]


def listing(
    root: str, names: Names, path: str, depth: int, *, known: Callable[[], Iterable[str]] = tuple
) -> str:
    """Return the JSON array below a directory; an empty one where there is none.

    *depth* is clamped to 1 to 10. *known* gives paths to look for where one name
    that is not UTF-8 breaks a listing off. Raises a path code.
    """
    directory = paths.directory_path(path)
    lister = _Lister(root, known)
    with files.reading():
        nodes = lister.below(_spelled(root, names, directory), min(max(depth, 1), DEPTH_MAX))
    if lister.is_cut and nodes[-1] != CUT:
        nodes.append(CUT)
    return strict_json.compact(nodes)


class _Lister:
    """Collects nodes until the listing is full."""

    def __init__(self, root: str, known: Callable[[], Iterable[str]]) -> None:
        self._root = root
        self._known = known
        self._left = TREE_ENTRIES
        self.is_cut = False

    def below(self, directory: str | None, depth: int) -> list[Node]:
        nodes: list[Node] = []
        if directory is None:
            return nodes
        directories, documents = self._split(directory)
        for name in (*directories, *documents):
            if not self._left:
                self.is_cut = True
                nodes.append(CUT)
                break
            self._left -= 1
            shown = unicodedata.normalize("NFC", name)
            if name in documents:
                nodes.append(shown)
            elif depth == 1:
                nodes.append(f"{shown}/")
            else:
                nodes.append({f"{shown}/": self.below(paths.join(directory, name), depth - 1)})
        return nodes

    def _split(self, directory: str) -> tuple[dict[str, None], dict[str, None]]:
        """Return the directories and the documents of a directory, sorted; nothing else is listed."""
        entries, complete = walking.scan(f"{self._root}/{directory}")
        legal = [one for one in entries if _is_legal(directory, one.name)]
        directories = {one.name for one in legal if one.is_dir(follow_symlinks=False)}
        documents = {one.name for one in legal if one.is_file(follow_symlinks=False)}
        if not complete:
            for child in walking.children(directory, self._known()):
                name = files.spelled(f"{self._root}/{directory}", child)
                try:
                    found = files.lstat(f"{self._root}/{paths.join(directory, name)}")
                except OSError:
                    continue  # the directory cannot be entered
                if found is not None and stat.S_ISDIR(found.st_mode):
                    directories.add(name)
                elif found is not None and stat.S_ISREG(found.st_mode):
                    documents.add(name)
        return dict.fromkeys(sorted(directories)), dict.fromkeys(sorted(documents))


def _is_legal(directory: str, name: str) -> bool:
    return paths.is_document_path(paths.join(directory, name))


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
