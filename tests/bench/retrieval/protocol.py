"""What is measured: documents, questions with their evidence, and the face of a system."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self


SNIPPET_BYTES = 512
BUDGET_BYTES = 4_096


class Place(NamedTuple):
    """One line of one document."""

    path: str
    line: int


@dataclass(frozen=True)
class Document:
    """A memory file to record."""

    path: str
    text: str


@dataclass(frozen=True)
class Question:
    """A query, the lines that answer it, and what kind of question it is."""

    text: str
    gold: frozenset[Place]
    kind: str = ""


@dataclass(frozen=True)
class Store:
    """One memory scope and the questions put to it."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]


class Quote(NamedTuple):
    """A line, or the part of it, that a snippet holds."""

    place: Place
    text: str


class Snippet(NamedTuple):
    """What a system puts before a model in one piece, and which lines are in it."""

    text: str
    quotes: tuple[Quote, ...]

    @classmethod
    def of_line(cls, place: Place, text: str) -> Self:
        """Return a snippet that is one line, or a part of it."""
        return cls(text, (Quote(place, text),))


class System(Protocol):
    """A thing that remembers and recalls. One store at a time: `record` starts a new one."""

    name: str

    def record(self, documents: Sequence[Document]) -> None:
        """Forget everything, then take in *documents*."""
        ...

    def ranked(self, query: str, count: int) -> list[Place]:
        """Return the best *count* lines, best first, each once."""
        ...

    def budget(self, query: str) -> list[Snippet]:
        """Return what is put before a model, in order; the reader stops at 4,096 bytes."""
        ...


class Unavailable(Exception):
    """A system or a data set that is not here; the message says why it is skipped."""


def merged(name: str, stores: Sequence[Store]) -> Store:
    """Return *stores* as one: every question is put to the documents of all."""
    return Store(
        name,
        tuple(document for store in stores for document in store.documents),
        tuple(question for store in stores for question in store.questions),
    )
