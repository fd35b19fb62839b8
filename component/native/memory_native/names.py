"""Which names the directories of a scope hold: finding decomposed names, refusing twins.

A listing is kept while the directory's modification time stands. A name that a
person adds within the same tick of the file system's clock as a listing can be
missed here; `upkeep.check` reports such twins. One that went within it is looked
for before it refuses anything.
"""

import unicodedata
from dataclasses import dataclass

from memory_native import files, paths
from memory_native.failures import MemoryFailure
from memory_native.walking import scan


@dataclass
class _Listing:
    mtime_ns: int
    by_fold: dict[str, list[str]]


class Names:
    """The names below one root; lives as long as the provider's instance."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._listings: dict[str, _Listing] = {}

    def locate(self, path: str) -> str:
        """Return how *path*, in form C, is spelled on disk; *path* itself where it is absent.

        Other programs store decomposed names, macOS ones above all.
        """
        if path.isascii() or files.lstat(f"{self._root}/{path}") is not None:
            return path
        at = ""
        for segment in path.split("/"):
            at = paths.join(at, self._spelling(at, segment))
        return at

    def refuse_twin(self, path: str) -> None:
        """Raise ``path-twin`` if *path*, which is absent, folds to a name that is there.

        Below ``threads/`` names come from the host, and thread ids that differ
        in case are different threads (reference.md section 1).
        """
        if paths.in_threads(path):
            return
        at = ""
        for segment in path.split("/"):
            spelled = self._spelling(at, segment)
            if files.lstat(f"{self._root}/{paths.join(at, spelled)}") is None:
                listed = self._list(at).get(paths.fold(segment), ())
                if any(files.lstat(f"{self._root}/{paths.join(at, name)}") for name in listed):
                    raise MemoryFailure("path-twin")
                return
            at = paths.join(at, spelled)

    def added(self, name: str) -> None:
        """Take note of a name that the provider itself has just put on disk."""
        directory, _, last = name.rpartition("/")
        listing = self._listings.get(directory)
        found = files.lstat(f"{self._root}/{directory}")
        if listing is not None and found is not None:
            spellings = listing.by_fold.setdefault(paths.fold(last), [])
            if last not in spellings:
                spellings.append(last)
            listing.mtime_ns = found.st_mtime_ns

    def _spelling(self, directory: str, segment: str) -> str:
        likely = files.spelled(f"{self._root}/{directory}", segment)
        if segment.isascii() or files.lstat(f"{self._root}/{paths.join(directory, likely)}"):
            return likely
        for name in self._list(directory).get(paths.fold(segment), ()):
            if unicodedata.normalize("NFC", name) == segment:
                return name
        return segment

    def _list(self, directory: str) -> dict[str, list[str]]:
        found = files.lstat(f"{self._root}/{directory}")
        if found is None:
            return {}
        listing = self._listings.get(directory)
        if listing is None or listing.mtime_ns != found.st_mtime_ns:
            listing = _Listing(found.st_mtime_ns, _by_fold(f"{self._root}/{directory}"))
            self._listings[directory] = listing
        return listing.by_fold


def _by_fold(directory: str) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for entry in scan(directory)[0]:
        names.setdefault(paths.fold(entry.name), []).append(entry.name)
    return names
