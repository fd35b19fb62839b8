"""A scope of documents with its index, for the tests of this room."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from memory_native.search import IndexReader, IndexWriter, PassageHit, Stamp
from memory_native.search.rows import unpack_spans


def stamp(text: str) -> Stamp:
    """Return the stamp of a document that was never a file."""
    raw = text.encode()
    return Stamp(len(raw), 1, hashlib.sha256(raw).hexdigest())


class IndexedScope:
    """An index in a directory, written and asked one call at a time as the provider does."""

    def __init__(self, directory: Path) -> None:
        """Index nothing yet."""
        self.directory = str(directory)

    def put(self, path: str, text: str) -> None:
        """Index one document in a transaction of its own."""
        with IndexWriter(self.directory) as writer:
            writer.put(path, text, stamp(text))

    def put_all(self, documents: Mapping[str, str]) -> None:
        """Index *documents* in one transaction."""
        with IndexWriter(self.directory) as writer:
            for path, text in documents.items():
                writer.put(path, text, stamp(text))

    def remove(self, path: str) -> None:
        """Remove one document."""
        with IndexWriter(self.directory) as writer:
            writer.remove(path)

    def passages(self, query: str, limit: int = 20, *, floor: bool = False) -> list[PassageHit]:
        """Ask a reader of its own."""
        with IndexReader(self.directory) as reader:
            return reader.passages(query, limit=limit, floor=floor)

    def lines(self, query: str, limit: int = 20) -> list[tuple[str, int]]:
        """Return where the hits are."""
        return [(hit.path, hit.line) for hit in self.passages(query, limit)]

    def tidy(self) -> None:
        """Have nothing left to tidy up."""
        with IndexWriter(self.directory) as writer:
            writer.maintain(deadline=lambda: False)

    def retired(self) -> int:
        """Return how many sections are searched no longer and still in the file."""
        with IndexReader(self.directory) as reader:
            rows = reader._connection.execute("SELECT retired FROM block")
            return sum(len(unpack_spans(packed)) for (packed,) in rows)

    @property
    def file(self) -> Path:
        """The index file."""
        return Path(self.directory) / "index.sqlite"

    @property
    def mark(self) -> Path:
        """The mark of an unfinished write."""
        return Path(self.directory) / "dirty"
