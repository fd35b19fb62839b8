"""What will not come in for its path or its size alone, known before anything is written.

The provider has the last word. This says the same earlier: to whoever asks what an import
would do, and to whoever makes a backup that could not be brought in again.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from ironclaw_memory.contract.targets import ALIASES
from ironclaw_memory.portability.report import KEPT, RECORDED, TOO_LARGE


MAX_DOCUMENT_BYTES: Final = 1 << 20  # design.md section 5
_PROFILE: Final = "context/profile.json"
_THREADS: Final = "threads"
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


class Spellings:
    """How the documents and directories of a scope are spelt, to find those that differ in case."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        """Begin with the documents at *paths*."""
        self._spelt: dict[str, set[str]] = {}
        for path in paths:
            self.add(path)

    def add(self, path: str) -> None:
        """Take note of a document, and of the directories that it is in."""
        for part in _parts(path):
            self._spelt.setdefault(_fold(part), set()).add(part)

    def has_twin(self, path: str) -> bool:
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
    return _fold(path) in _DIRECTORIES or any(_fold(part) in _OWN_FOLDED for part in _parts(path))


def _parts(path: str) -> Iterator[str]:
    """Yield *path* and the directories it is in, the outermost first."""
    for at, sign in enumerate(path):
        if sign == "/":
            yield path[:at]
    yield path


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


_OWN: Final = frozenset({*filter(None, ALIASES.values()), _PROFILE})
_OWN_FOLDED: Final = frozenset(map(_fold, _OWN))
