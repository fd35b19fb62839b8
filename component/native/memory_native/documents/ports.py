"""What documents ask of the safety screen and of the search index."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from memory_native.search.model import Stamp


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


class IndexWriting(Protocol):
    """An index opened for writing; usable once it is closed without an error."""

    @property
    def rebuild_needed(self) -> bool:
        """Whether documents may be missing: the index was unusable, or a rebuild goes on."""
        ...

    def put(self, path: str, text: str, stamp: Stamp) -> None:
        """Take a document in, replacing what was known of it."""
        ...

    def remove(self, path: str) -> None:
        """Forget a document; an unknown one is fine."""
        ...

    def clear_traces(self) -> None:
        """Keep nothing, not even by chance, of what was taken in and is gone."""
        ...

    def stamp(self, path: str) -> Stamp | None:
        """Return what was seen of one document."""
        ...

    def stamps(self) -> Mapping[str, Stamp]:
        """Return what was seen of every document."""
        ...

    def maintain(self, *, deadline: Callable[[], bool]) -> bool:
        """Tidy up until *deadline* says that time is up."""
        ...

    def continue_later(self) -> None:
        """Keep what was put, and let readers ask for a refresh all the same."""
        ...

    def sync(self) -> None:
        """Once it is closed, have it on disk: not even a power cut makes it doubtful then."""
        ...


class IndexPort(Protocol):
    """The search index of one scope, as those who feed it see it."""

    def open(self, *, trusting: bool = True) -> AbstractContextManager[IndexWriting]:
        """Open for writing; an unusable index is emptied by that, a doubtful one if not *trusting*."""
        ...

    def peek(self) -> Mapping[str, Stamp] | None:
        """Return what a usable index has seen, None for an unusable one; changes nothing."""
        ...

    def is_sound(self) -> bool:
        """Tell whether a usable index holds together from end to end: reads all of it."""
        ...

    def is_unfinished(self) -> bool:
        """Tell of an unusable index whether it merely lacks documents that a refresh will put."""
        ...
