"""One open index kept between calls, for as long as its file is the one that was read.

Opening the file and reading its schema costs more than a small query (tech-notes.md section 11).
Nothing kept is believed: each use looks at the mark and the file again, and what was decoded from
another state of it is dropped with the connection.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from memory_native.search.kept import KeptConnection
from memory_native.search.reader import IndexReader
from memory_native.search.schema import is_still
from memory_native.search.shelves import ShelfOf, none
from memory_native.search.writer import IndexWriter


class WarmIndex:
    """The index in a directory, asked one call after another; the caller holds the shared lock."""

    def __init__(
        self,
        directory: str,
        shelf_of: ShelfOf = none,
        *,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._directory = directory
        self._shelf_of = shelf_of
        self._now_ns = now_ns
        self._kept: IndexReader | None = None
        self._settled = False  # whether a look at the file's time tells that it is the one kept
        self._kept_writing = KeptConnection()

    def writer(self, *, trusting: bool = True) -> IndexWriter:
        """Return a writer over the connection of the last one; what was read is forgotten."""
        self.forget()
        return IndexWriter(self._directory, self._shelf_of, self._kept_writing, trusting=trusting)

    @contextmanager
    def reader(self) -> Iterator[IndexReader]:
        """Lend a reader of the index as it is now; raises `IndexUnusable` as `IndexReader` does.

        After an exception, whatever it is, the reader is not used again.
        """
        reader, self._kept = self._kept, None
        try:
            if reader is None or not self._is_current(reader):
                if reader is not None:
                    reader.close()
                reader = IndexReader(self._directory)
                self._settled = reader.generation.look.is_settled(self._now_ns())
            yield reader
        except BaseException:
            if reader is not None:
                reader.close()
            raise
        self.forget()
        self._kept = reader

    def _is_current(self, reader: IndexReader) -> bool:
        look = reader.generation.look
        if not is_still(self._directory, look):
            return False
        if self._settled:
            return True
        self._settled = look.is_settled(self._now_ns())
        return reader.is_unwritten()

    def forget(self) -> None:
        """Close the file and drop what was read from it."""
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()

    def __del__(self) -> None:
        """Close the file."""
        self.forget()
