"""Peers under the same protocol: every line is an entry, in memory, without context."""

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence

from tests.bench.retrieval.minilm import MiniLM
from tests.bench.retrieval.protocol import Document, Place, Snippet, Unavailable


_WORD = re.compile(r"\w+")
_BUDGET_LINES = 64


class _Lines:
    """What the peers have in common: the lines, and quoting them whole."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.texts: list[str] = []

    def take(self, documents: Sequence[Document]) -> None:
        """Keep the lines that are neither blank nor headings."""
        found = [
            (Place(document.path, number), line)
            for document in documents
            for number, line in enumerate(document.text.split("\n"), 1)
            if line.strip() and not line.startswith("#")
        ]
        self.places = [place for place, _ in found]
        self.texts = [line for _, line in found]


class NaiveFrequency:
    """The query's words in a line over the root of its length; no idf, stemming or stop words."""

    name = "naive term frequency"

    def __init__(self) -> None:
        """Start empty."""
        self._lines = _Lines()
        self._counts: list[Counter[str]] = []

    def record(self, documents: Sequence[Document]) -> None:
        """Count the words of each line."""
        self._lines.take(documents)
        self._counts = [Counter(_words(text)) for text in self._lines.texts]

    def ranked(self, query: str, count: int) -> list[Place]:
        """Return the lines with most of the query's words, ties by position."""
        return [self._lines.places[index] for index in self._best(query, count)]

    def budget(self, query: str) -> list[Snippet]:
        """Return whole lines."""
        best = self._best(query, _BUDGET_LINES)
        return [
            Snippet.of_line(self._lines.places[index], self._lines.texts[index]) for index in best
        ]

    def _best(self, query: str, count: int) -> list[int]:
        words = set(_words(query))
        scores = [
            sum(counts[word] for word in words) / max(1, counts.total()) ** 0.5
            for counts in self._counts
        ]
        matching = [index for index, score in enumerate(scores) if score]
        return sorted(matching, key=lambda index: -scores[index])[:count]


class Fts5:
    """SQLite FTS5 of the host, one row a line, ranked by its bm25()."""

    def __init__(self, operator: str, tokenizer: str = "porter unicode61") -> None:
        """Join the words of a query with *operator*, ``OR`` or ``AND``."""
        self.name = f"FTS5 {operator}" + ("" if "porter" in tokenizer else f" {tokenizer}")
        self._operator = operator
        self._tokenizer = tokenizer
        self._lines = _Lines()
        self._connection = sqlite3.connect(":memory:")

    def record(self, documents: Sequence[Document]) -> None:
        """Fill a new table."""
        self._lines.take(documents)
        self._connection.close()
        self._connection = sqlite3.connect(":memory:")
        create = f"CREATE VIRTUAL TABLE line USING fts5(text, tokenize='{self._tokenizer}')"
        try:
            self._connection.execute(create)
        except sqlite3.OperationalError as error:
            raise Unavailable(f"this Python's SQLite has no FTS5: {error}") from None
        rows = enumerate(self._lines.texts)
        self._connection.executemany("INSERT INTO line (rowid, text) VALUES (?, ?)", rows)

    def ranked(self, query: str, count: int) -> list[Place]:
        """Return the rows in the order of FTS5."""
        return [self._lines.places[index] for index in self._best(query, count)]

    def budget(self, query: str) -> list[Snippet]:
        """Return whole lines."""
        best = self._best(query, _BUDGET_LINES)
        return [
            Snippet.of_line(self._lines.places[index], self._lines.texts[index]) for index in best
        ]

    def _best(self, query: str, count: int) -> list[int]:
        words = dict.fromkeys(_words(query))
        if self._tokenizer == "trigram":
            words = dict.fromkeys(w[i : i + 3] for w in words for i in range(max(1, len(w) - 2)))
        if not words:
            return []
        match = f" {self._operator} ".join(f'"{word}"' for word in words)
        statement = "SELECT rowid FROM line WHERE line MATCH ? ORDER BY rank, rowid LIMIT ?"
        return [row[0] for row in self._connection.execute(statement, (match, count))]


class Bm25s:
    """The bm25s library with its English stop words, where it is installed."""

    name = "bm25s"

    def __init__(self) -> None:
        """Import the library, or raise `Unavailable`."""
        try:
            import bm25s  # noqa: PLC0415 - optional
        except ImportError:
            raise Unavailable("bm25s is not installed (pip install bm25s)") from None
        self._library = bm25s
        self._lines = _Lines()
        self._index = bm25s.BM25()

    def record(self, documents: Sequence[Document]) -> None:
        """Index the lines."""
        self._lines.take(documents)
        tokens = self._library.tokenize(self._lines.texts, stopwords="en", show_progress=False)
        self._index = self._library.BM25()
        self._index.index(tokens, show_progress=False)

    def ranked(self, query: str, count: int) -> list[Place]:
        """Return the lines with a score, best first."""
        return [self._lines.places[index] for index in self._best(query, count)]

    def budget(self, query: str) -> list[Snippet]:
        """Return whole lines."""
        best = self._best(query, _BUDGET_LINES)
        return [
            Snippet.of_line(self._lines.places[index], self._lines.texts[index]) for index in best
        ]

    def _best(self, query: str, count: int) -> list[int]:
        tokens = self._library.tokenize([query], stopwords="en", show_progress=False)
        count = min(count, len(self._lines.texts))
        found, scores = self._index.retrieve(tokens, k=count, show_progress=False)
        return [int(index) for index, score in zip(found[0], scores[0], strict=True) if score > 0]


class MiniLmVectors:
    """Sentence vectors alone: the lines nearest to the query by all-MiniLM-L6-v2, without words."""

    name = "MiniLM vectors"

    def __init__(self) -> None:
        """Read the model, or raise `Unavailable`."""
        self._model = MiniLM()
        self._lines = _Lines()
        self._vectors = self._model.vectors([])

    def record(self, documents: Sequence[Document]) -> None:
        """Make a vector of each line."""
        self._lines.take(documents)
        self._vectors = self._model.vectors(self._lines.texts)

    def ranked(self, query: str, count: int) -> list[Place]:
        """Return the nearest lines, nearest first."""
        return [self._lines.places[index] for index in self._best(query, count)]

    def budget(self, query: str) -> list[Snippet]:
        """Return whole lines."""
        best = self._best(query, _BUDGET_LINES)
        return [
            Snippet.of_line(self._lines.places[index], self._lines.texts[index]) for index in best
        ]

    def _best(self, query: str, count: int) -> list[int]:
        likeness = self._vectors @ self._model.vectors([query])[0]
        return [int(index) for index in (-likeness).argsort(kind="stable")[:count]]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
