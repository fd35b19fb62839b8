"""How fast an index is at a given number of lines, beside host FTS5 in the same run.

`Operations` is what is timed: the native index here, the sandboxed component in `sandboxed`, whose
guest runs on a thread of this process. Times are of the process's CPU, all its threads together,
because a busy machine stretches the wall clock.
"""

import random
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from tests.bench.retrieval.baselines import Fts5
from tests.bench.retrieval.native import stamp
from tests.bench.retrieval.protocol import Document

from memory_native.search import IndexReader, IndexWriter


T = TypeVar("T")

_WORDS = 12_000
_LINES_A_FILE = 24
_QUERIES = 300  # of 60, the p95 is the fourth slowest: a neighbour's burst decides it
_PEER_QUERIES = 60  # of a peer that takes a quarter of a second
_EDITS = 100  # the p95 of what a note adds is one of differences: of 40, two bursts decide it


class Operations(Protocol):
    """What is timed; each call is one operation, complete with opening and closing."""

    name: str

    def lay_out(self, documents: Sequence[Document]) -> None:
        """Put *documents* where `build` finds them."""
        ...

    def build(self) -> None:
        """Index what was laid out, all at once."""
        ...

    def write(self, document: Document) -> None:
        """Add or replace one document."""
        ...

    def end_turn(self) -> None:
        """Do what follows the writes of a turn, when nobody waits any more."""
        ...

    def query(self, text: str) -> int:
        """Find the best 20, passages or documents; return how many there were."""
        ...

    def size(self) -> int:
        """Return the bytes of the index."""
        ...

    def in_guest(self) -> list[float]:
        """Return what each call took inside the guest, in milliseconds of CPU; nothing for none."""
        ...


class NativeOperations:
    """The index without the sandbox."""

    name = "ours, native"

    def __init__(self) -> None:
        """Use a directory that lives as long as this object."""
        self._home = tempfile.mkdtemp()
        weakref.finalize(self, shutil.rmtree, self._home)
        self._documents: Sequence[Document] = ()

    def lay_out(self, documents: Sequence[Document]) -> None:
        """Hold *documents* ready."""
        self._documents = documents

    def build(self) -> None:
        """Index what was laid out."""
        self._put(self._documents)

    def write(self, document: Document) -> None:
        """Index or replace one document."""
        self._put([document])

    def end_turn(self) -> None:
        """Cut out of the index what was replaced."""
        with IndexWriter(self._home) as writer:
            writer.maintain(deadline=lambda: False)

    def _put(self, documents: Sequence[Document]) -> None:
        with IndexWriter(self._home) as writer:
            for document in documents:
                writer.put(document.path, document.text, stamp(document.text))

    def query(self, text: str) -> int:
        """Find the best 20 passages."""
        with IndexReader(self._home) as reader:
            return len(reader.passages(text, limit=20))

    def size(self) -> int:
        """Return the bytes of the index."""
        return (Path(self._home) / "index.sqlite").stat().st_size

    def in_guest(self) -> list[float]:
        """There is no guest."""
        return []


Times = tuple[float, float]
"""Two times in milliseconds: of many, the median and the p95; of one turn, its write and its end."""


@dataclass(frozen=True)
class Speed:
    """Milliseconds of CPU as (median, p95), and how the build went; None for what there is not."""

    system: str
    lines: int
    query: Times | None = None
    query_in_guest: Times | None = None
    note: Times | None = None
    replace: Times | None = None
    end_turn: Times | None = None  # after a replacement
    build_mb_per_second: float | None = None
    index_per_text: float | None = None

    def row(self) -> str:
        """Return a row of a Markdown table."""
        pairs = (self.query, self.query_in_guest, self.note, self.replace, self.end_turn)
        times = ["" if pair is None else f"{pair[0]:.1f} / {pair[1]:.1f}" for pair in pairs]
        rates = (self.build_mb_per_second, self.index_per_text)
        shares = ["" if rate is None else f"{rate:.2f}" for rate in rates]
        return "| " + " | ".join([self.system, f"{self.lines:,}", *times, *shares]) + " |"


HEAD = (
    "| system | lines | query p50 / p95 ms | of it in the guest | one-line note | replace 24 lines | end of that turn | build MB/s | index / text |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def measure(operations: Operations, lines: int, seed: int = 1) -> Speed:
    """Build an index of *lines* lines, then time queries, notes and replacements."""
    source = random.Random(seed)
    documents = documents_of(lines, source)
    text_bytes = sum(len(document.text.encode()) for document in documents)
    operations.lay_out(documents)
    started = time.process_time()
    operations.build()
    built = time.process_time() - started
    size = operations.size()
    before = len(operations.in_guest())
    queries = _times(operations.query, [query_of(source) for _ in range(_QUERIES)])
    inside = operations.in_guest()[before:]
    return replace(
        _writes(operations, lines, source),
        query=queries,
        query_in_guest=_summed(inside) if inside else None,
        build_mb_per_second=text_bytes / built / 1e6,
        index_per_text=size / text_bytes,
    )


def measure_writes(operations: Operations, lines: int, seed: int = 1) -> Speed:
    """Time notes and replacements alone beside the same documents."""
    source = random.Random(seed)
    operations.lay_out(documents_of(lines, source))
    operations.build()
    return _writes(operations, lines, source)


def index_per_text(operations: Operations, documents: Sequence[Document]) -> float:
    """Return the bytes of an index of *documents* for each byte of theirs."""
    operations.lay_out(documents)
    operations.build()
    return operations.size() / sum(len(document.text.encode()) for document in documents)


def measure_fts5(lines: int, seed: int = 1) -> Speed:
    """Time the queries of host FTS5 OR over the same text."""
    source = random.Random(seed)
    system = Fts5("OR")
    system.record(documents_of(lines, source))
    queries = [query_of(source) for _ in range(_PEER_QUERIES)]
    return Speed(system.name, lines, _times(lambda text: system.ranked(text, 20), queries))


def measure_over(ours: Operations, bare: Operations, lines: int, seed: int = 2) -> Speed:
    """Time what *ours* takes over *bare*, both built: every write to one, then to the other."""

    def note(document: Document) -> float:
        return _taken(ours.write, document) - _taken(bare.write, document)

    def turn(document: Document) -> Times:
        (write, end), (bare_write, bare_end) = _turn(ours, document), _turn(bare, document)
        return write - bare_write, end - bare_end

    return _of_writes(
        f"{ours.name} over that", lines, note, turn, _edits("over", random.Random(seed))
    )


def _writes(operations: Operations, lines: int, source: random.Random) -> Speed:
    def note(document: Document) -> float:
        return _taken(operations.write, document)

    def turn(document: Document) -> Times:
        return _turn(operations, document)

    return _of_writes(operations.name, lines, note, turn, _edits("notes", source))


def _turn(operations: Operations, document: Document) -> Times:
    """Replace *document* in a turn of its own; return what the write took and what the end did."""
    return _taken(operations.write, document), _taken(lambda _: operations.end_turn(), None)


def _of_writes(
    name: str,
    lines: int,
    note: Callable[[Document], float],
    turn: Callable[[Document], Times],
    edits: tuple[list[Document], list[Document]],
) -> Speed:
    notes, replacements = edits
    noted = _summed([note(document) for document in notes])
    replaced, ends = zip(*map(turn, replacements), strict=True)
    return Speed(name, lines, note=noted, replace=_summed(replaced), end_turn=_summed(ends))


def _edits(folder: str, source: random.Random) -> tuple[list[Document], list[Document]]:
    """Return notes of one line to add in *folder*, and documents to replace."""
    notes = [Document(f"{folder}/{n}.md", f"- {_line(source)}\n") for n in range(_EDITS)]
    return notes, [_document(n, source) for n in range(_EDITS)]


def documents_of(lines: int, source: random.Random) -> list[Document]:
    """Return transcripts of *lines* lines in all."""
    return [_document(number, source) for number in range(lines // _LINES_A_FILE)]


def _times(operation: Callable[[T], object], arguments: Sequence[T]) -> Times:
    return _summed([_taken(operation, argument) for argument in arguments])


def _taken(operation: Callable[[T], object], argument: T) -> float:
    """Return the milliseconds of CPU of one operation."""
    started = time.process_time()
    operation(argument)
    return (time.process_time() - started) * 1e3


def _summed(taken: Sequence[float]) -> Times:
    ordered = sorted(taken)
    return ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.95)]


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


def query_of(source: random.Random) -> str:
    """Return a question of four to eight of their words."""
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
