"""What will not come in for its path or its size alone, known before anything is written.

The provider has the last word. This says the same earlier: to whoever asks what an import
would do, and to whoever makes a backup that could not be brought in again.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from ironclaw_memory.contract.targets import ALIASES
from ironclaw_memory.portability.report import KEPT, OCCUPIED, RECORDED, TOO_LARGE, TWINS


MAX_DOCUMENT_BYTES: Final = 1 << 20  # design.md section 5
_PROFILE: Final = "context/profile.json"
_THREADS: Final = "threads"
_BELOW_A_LOG: Final = re.compile(r"daily/[^/]*\.md/")
_DIRECTORIES: Final = frozenset({"context", "daily", _THREADS})


def refusal(path: str, size: int, *, restores: bool) -> str | None:
    """Return the code with which a document of *size* bytes is refused at *path*, if it is.

    For a path that nothing stands at. What *restores* may store transcripts, what writes may not.
    """
    if size > MAX_DOCUMENT_BYTES:
        return TOO_LARGE
    if not restores and _in_threads(path):
        return RECORDED
    return KEPT if _takes_a_place(path) else None


class Places:
    """Where the documents of a scope stand, to find what is in the way of another."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        """Begin with the documents at *paths*."""
        self._documents: set[str] = set()
        self._spelt: dict[str, set[str]] = {}
        for path in paths:
            self.add(path)

    def add(self, path: str) -> None:
        """Take note of a document, and of the directories that it is in."""
        self._documents.add(path)
        for part in _parts(path):
            self._spelt.setdefault(_fold(part), set()).add(part)

    def restored(self, path: str, size: int) -> str | None:
        """Take note of a document of *size* bytes that an archive brings in, if it will come in.

        Returns the code with which it is refused, if it is: it is in nobody's way then.
        """
        code = self.in_the_way(path) or refusal(path, size, restores=True)
        if code is None:
            self.add(path)
        return code

    def in_the_way(self, path: str) -> str | None:
        """Return the code for what is spelt almost like *path*, or stands where a directory would.

        Whoever reads *path* is told itself of a directory that stands there.
        """
        if self._has_twin(path):
            return TWINS
        return OCCUPIED if any(part in self._documents for part in _above(path)) else None

    def _has_twin(self, path: str) -> bool:
        """Say whether *path*, or a directory of it, differs in case alone from one that is there.

        Below ``threads/`` nothing does: ids that differ in case are different threads.
        """
        if _in_threads(path):
            return False
        return any(part not in self._spelt.get(_fold(part), {part}) for part in _parts(path))


def _in_threads(path: str) -> bool:
    return path.partition("/")[0].lower() == _THREADS


def _takes_a_place(path: str) -> bool:
    """Tell whether *path* is one of the memory's own names in other letters, or below a document."""
    if path in _OWN:
        return False
    folded = _fold(path)
    if folded in _DIRECTORIES or _BELOW_A_LOG.match(folded):
        return True
    return any(_fold(part) in _OWN_FOLDED for part in _parts(path))


def _parts(path: str) -> Iterator[str]:
    """Yield *path* and the directories it is in, the outermost first."""
    yield from _above(path)
    yield path


def _above(path: str) -> Iterator[str]:
    """Yield the directories that *path* is in, the outermost first."""
    for at, sign in enumerate(path):
        if sign == "/":
            yield path[:at]


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


_OWN: Final = frozenset({*filter(None, ALIASES.values()), _PROFILE})
_OWN_FOLDED: Final = frozenset(map(_fold, _OWN))
