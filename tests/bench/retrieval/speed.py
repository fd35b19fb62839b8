"""How fast an index is at a given number of lines, beside host FTS5 in the same run.

`Operations` is what is timed: the native index here, the sandboxed component where a caller brings
its own. Times are of the process's CPU, because a busy machine stretches the wall clock.
"""

import random
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.bench.retrieval.baselines import Fts5
from tests.bench.retrieval.native import stamp
from tests.bench.retrieval.protocol import Document

from memory_native.search import IndexReader, IndexWriter


_WORDS = 12_000
_LINES_A_FILE = 24
_QUERIES = 60
_EDITS = 40


class Operations(Protocol):
    """What is timed; each call is one operation, complete with opening and closing."""

    name: str

    def write(self, documents: Sequence[Document]) -> None:
        """Index or replace *documents*."""
        ...

    def query(self, text: str) -> None:
        """Find the best 20 passages."""
        ...

    def size(self) -> int:
        """Return the bytes of the index."""
        ...


class NativeOperations:
    """The index without the sandbox."""

    name = "ours, native"

    def __init__(self) -> None:
        """Use a directory that lives as long as this object."""
        self._home = tempfile.mkdtemp()
        weakref.finalize(self, shutil.rmtree, self._home)

    def write(self, documents: Sequence[Document]) -> None:
        """Index or replace *documents*."""
        with IndexWriter(self._home) as writer:
            for document in documents:
                writer.put(document.path, document.text, stamp(document.text))

    def query(self, text: str) -> None:
        """Find the best 20 passages."""
        with IndexReader(self._home) as reader:
            reader.passages(text, limit=20)

    def size(self) -> int:
        """Return the bytes of the index."""
        return (Path(self._home) / "index.sqlite").stat().st_size


@dataclass(frozen=True)
class Speed:
    """Milliseconds of CPU as (median, p95), and how the build went."""

    system: str
    lines: int
    query: tuple[float, float]
    note: tuple[float, float]
    replace: tuple[float, float]
    build_mb_per_second: float
    index_per_text: float

    def row(self) -> str:
        """Return a row of a Markdown table."""
        times = " | ".join(
            f"{low:.1f} / {high:.1f}" for low, high in (self.query, self.note, self.replace)
        )
        return (
            f"| {self.system} | {self.lines:,} | {times} |"
            f" {self.build_mb_per_second:.2f} | {self.index_per_text:.2f} |"
        )


HEAD = (
    "| system | lines | query p50 / p95 ms | one-line note | replace 24 lines | build MB/s | index / text |\n"
    "|---|---|---|---|---|---|---|"
)


def measure(operations: Operations, lines: int, seed: int = 1) -> Speed:
    """Build an index of *lines* lines, then time queries, notes and replacements."""
    source = random.Random(seed)
    documents = [_document(number, source) for number in range(lines // _LINES_A_FILE)]
    text_bytes = sum(len(document.text.encode()) for document in documents)
    started = time.process_time()
    operations.write(documents)
    built = time.process_time() - started
    size = operations.size()
    queries = [_query(source) for _ in range(_QUERIES)]
    notes = [[Document(f"notes/{n}.md", f"- {_line(source)}\n")] for n in range(_EDITS)]
    replaced = [[_document(n, source)] for n in range(_EDITS)]
    return Speed(
        operations.name,
        lines,
        _times(operations.query, queries),
        _times(operations.write, notes),
        _times(operations.write, replaced),
        text_bytes / built / 1e6,
        size / text_bytes,
    )


def fts5_query(lines: int, seed: int = 1) -> tuple[float, float]:
    """Return the query times of host FTS5 OR over the same text."""
    source = random.Random(seed)
    system = Fts5("OR")
    system.record([_document(number, source) for number in range(lines // _LINES_A_FILE)])
    return _times(lambda text: system.ranked(text, 20), [_query(source) for _ in range(_QUERIES)])


def _times(operation: Callable[..., object], arguments: Sequence[object]) -> tuple[float, float]:
    taken = []
    for argument in arguments:
        started = time.process_time()
        operation(argument)
        taken.append((time.process_time() - started) * 1e3)
    taken.sort()
    return taken[len(taken) // 2], taken[int(len(taken) * 0.95)]


def _document(number: int, source: random.Random) -> Document:
    lines = [f"# Session {number} - {number % 28 + 1} May 2025", ""]
    lines += [
        f"**{source.choice(('Ann', 'Bob', 'Mei'))}**: {_line(source)}"
        for _ in range(_LINES_A_FILE - 2)
    ]
    return Document(f"threads/t{number}/s.md", "\n".join(lines) + "\n")


def _line(source: random.Random) -> str:
    """Return 10 to 28 words whose frequencies fall as those of English do (Zipf)."""
    return " ".join(_word(source) for _ in range(source.randint(10, 28)))


def _query(source: random.Random) -> str:
    return f"what did the {' '.join(_word(source) for _ in range(source.randint(4, 8)))}?"


def _word(source: random.Random) -> str:
    rank = int(_WORDS ** source.random())
    return _SPELLED[rank] if rank < len(_SPELLED) else f"w{rank}"


def _spell(number: int) -> str:
    consonants, vowels = "bdfgklmnprstvz", "aeiou"
    word = ""
    for _ in range(3):
        number, letter = divmod(number, len(consonants))
        number, vowel = divmod(number + 7 * letter, len(vowels))
        word += consonants[letter] + vowels[vowel]
    return word


_GRAMMAR = ("the", "and", "to", "a", "of", "it", "in", "that", "was", "for", "on", "with")
_SPELLED = (*_GRAMMAR, *dict.fromkeys(_spell(number) for number in range(_WORDS)))
