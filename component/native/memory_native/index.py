"""The search index of one scope, as documents feed it and as tools and lanes ask it."""

import os
from collections.abc import Callable, Mapping
from typing import TypeVar

from memory_native import walking
from memory_native.backend import BackendCapabilities
from memory_native.failures import MemoryFailure
from memory_native.search import (
    DocumentHit,
    Explanation,
    IndexReader,
    IndexUnusable,
    IndexWriter,
    PassageHit,
    Stamp,
    WarmIndex,
    is_unfinished,
)
from memory_native.threads import shelf_of


T = TypeVar("T")


class ScopeIndex:
    """The index in *directory*; other processes write it, so each use looks whether it changed."""

    def __init__(self, *, directory: str, backend: BackendCapabilities) -> None:
        """Open nothing yet."""
        self.directory = directory
        self.backend = backend
        self._warm = WarmIndex(directory, shelf_of)

    # -- for those who feed it (`memory_native.documents.IndexPort`) --------

    def open(self, *, trusting: bool = True) -> IndexWriter:
        """Open for writing; an unusable index is emptied by that.

        Not *trusting*, so is one that a power cut may have left half or that does not hold together.
        """
        return self._warm.writer(trusting=trusting)

    def peek(self) -> Mapping[str, Stamp] | None:
        """Return what a usable index has seen, None for an unusable one; changes nothing."""
        try:
            with self._warm.reader() as reader:
                return reader.stamps()
        except IndexUnusable:
            return None

    def is_sound(self) -> bool:
        """Tell whether a usable index holds together from end to end: reads all of it."""
        try:
            with self._warm.reader() as reader:
                return reader.is_sound()
        except IndexUnusable:
            return False

    def is_unfinished(self) -> bool:
        """Tell of an unusable index whether it merely lacks documents that a refresh will put."""
        return is_unfinished(self.directory)

    # -- for those who ask it -----------------------------------------------

    def documents(self, query: str, *, limit: int) -> list[DocumentHit]:
        """Return the best documents; raises ``index-stale`` or ``unsupported``."""
        nothing: list[DocumentHit] = []
        return self._ask(lambda reader: reader.documents(query, limit=limit), nothing)

    def passages(
        self, query: str, *, limit: int, shelf: str, keep: Callable[[str], bool]
    ) -> list[PassageHit]:
        """Return the best passages worth quoting unasked, of documents on *shelf* (`threads.shelf_of`).

        *keep* leaves out some of them. Raises ``index-stale`` or ``unsupported``.
        """
        nothing: list[PassageHit] = []
        return self._ask(
            lambda reader: reader.passages(query, limit=limit, shelf=shelf, keep=keep, floor=True),
            nothing,
        )

    def explain(self, query: str, path: str | None = None, *, limit: int) -> Explanation:
        """Return why passages are found; raises ``index-stale`` or ``unsupported``."""
        nothing = Explanation((), (), "not-indexed" if path else None)
        return self._ask(lambda reader: reader.explain(query, path, limit=limit), nothing)

    def _ask(self, question: Callable[[IndexReader], T], nothing: T) -> T:
        self.backend.require("full_text_search")
        try:
            with self._warm.reader() as reader:
                return question(reader)
        except IndexUnusable:
            if self._is_untouched():
                return nothing
            raise MemoryFailure("index-stale") from None

    def _is_untouched(self) -> bool:
        """Tell whether nothing was ever stored in the scope: asking must not make an index.

        A scope whose directory is gone, or was never made, is one; one that cannot be
        listed, wholly or at all, is not.
        """
        root = os.path.dirname(os.path.dirname(self.directory))  # the index is in `.store`
        entries, is_all = walking.scan(root)
        return is_all and not entries
