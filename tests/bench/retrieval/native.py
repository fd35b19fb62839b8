"""The index itself, without the sandbox: the quick run while tuning."""

import hashlib
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path

from tests.bench.retrieval.protocol import Document, Place, Snippet

from memory_native.search import IndexReader, IndexWriter, Stamp


_BUDGET_PASSAGES = 64


class NativeIndex:
    """The native index in a temporary directory."""

    name = "ours, native"

    def __init__(self) -> None:
        """Make a directory that lives as long as the system."""
        self._home = tempfile.mkdtemp()
        weakref.finalize(self, shutil.rmtree, self._home)
        self._directory = ""
        self._stores = 0

    def record(self, documents: Sequence[Document]) -> None:
        """Index *documents* in a directory of their own."""
        self._stores += 1
        self._directory = str(Path(self._home) / str(self._stores))
        with IndexWriter(self._directory) as writer:
            for document in documents:
                writer.put(document.path, document.text, stamp(document.text))

    def ranked(self, query: str, count: int) -> list[Place]:
        """Return the lines of the best passages."""
        with IndexReader(self._directory) as reader:
            hits = reader.passages(query, limit=count)
        return list(dict.fromkeys(Place(hit.path, hit.line) for hit in hits))

    def budget(self, query: str) -> list[Snippet]:
        """Return the passages as the lanes quote them."""
        with IndexReader(self._directory) as reader:
            hits = reader.passages(query, limit=_BUDGET_PASSAGES)
        return [Snippet.of_line(Place(hit.path, hit.line), hit.text) for hit in hits]


def stamp(text: str) -> Stamp:
    """Return the stamp of a document that was never a file."""
    raw = text.encode()
    return Stamp(len(raw), 0, hashlib.sha256(raw).hexdigest())
