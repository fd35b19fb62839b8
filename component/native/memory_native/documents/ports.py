"""What documents ask of the safety screen and of the search index."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol


class SafetyPort(Protocol):
    """Decides about the whole text that a write would leave behind."""

    def protects(self, path: str) -> bool:
        """Tell whether the document re-enters a model's prompt."""
        ...

    def screen(
        self, *, path: str, content: str, operation: str, allowance: str | None = None
    ) -> None:
        """Return if the text may be stored, else raise with a reason code."""
        ...


@dataclass(frozen=True, kw_only=True)
class Stamp:
    """Which state of a document the index has seen."""

    size: int
    mtime_ns: int
    sha256: str


class IndexWriting(Protocol):
    """An index opened for writing; clean again when it is closed without an error."""

    @property
    def rebuild_needed(self) -> bool:
        """Whether the index is missing, dirty, damaged or foreign."""
        ...

    def put(self, path: str, text: str, stamp: Stamp) -> None:
        """Take a document in, replacing what was known of it."""
        ...

    def remove(self, path: str) -> None:
        """Forget a document; an unknown one is fine."""
        ...

    def stamp(self, path: str) -> Stamp | None:
        """Return what was seen of one document."""
        ...

    def stamps(self) -> Mapping[str, Stamp]:
        """Return what was seen of every document."""
        ...


class IndexPort(Protocol):
    """The search index of one scope, as those who feed it see it.

    An index can be *unusable* (missing, torn, foreign: it must be rebuilt) or
    *stale* (sound, but documents are missing from it). Readers answer from
    neither.
    """

    def open(self, *, rebuild: bool) -> AbstractContextManager[IndexWriting]:
        """Open for writing; with *rebuild* an unusable index is emptied first.

        Without it an unusable one stays as it is, and `rebuild_needed` says so.
        """
        ...

    def is_stale(self) -> bool:
        """Tell whether documents are known to be missing from the index."""
        ...

    def mark_stale(self) -> None:
        """Make readers ask for a refresh; never fails."""
        ...

    def clear_stale(self) -> None:
        """Say that every document has been compared."""
        ...
