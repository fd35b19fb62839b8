"""Sections and documents of an open index, each read once a query."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from memory_native.search.rows import (
    Entry,
    StoredContent,
    StoredSection,
    stored_content,
    stored_section,
    unpack_entries,
)


# One statement for many numbers: in the guest each execution costs more than the row it finds.
_SECTIONS_OF = (
    "SELECT first, document, speakers, columns FROM json_each(?) CROSS JOIN section"
    " WHERE first = (SELECT max(first) FROM section WHERE first <= json_each.value)"
)
_DOCUMENTS = "SELECT id, path, sections FROM document WHERE id IN (SELECT value FROM json_each(?))"
_CONTENTS = (
    "SELECT first, headings, text FROM content WHERE first IN (SELECT value FROM json_each(?))"
)


@dataclass(frozen=True)
class IndexedDocument:
    """A document and where its sections stand in it."""

    path: str
    entries: dict[int, Entry]  # by first passage number


class Catalogue:
    """What is behind the passage numbers; raises ValueError where the file is damaged."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._documents: dict[int, IndexedDocument] = {}
        self._contents: dict[int, StoredContent] = {}

    def sections_of(self, numbers: Iterable[int]) -> Iterator[tuple[StoredSection, list[int]]]:
        """Yield the sections that hold the passages *numbers*, each with the places of its own."""
        ordered = sorted(numbers)
        rows = self._rows(_SECTIONS_OF, ordered)
        if len(rows) != len(ordered):
            raise ValueError("a passage without a section")
        found = zip(rows, ordered, strict=True)
        for first, group in groupby(found, key=lambda pair: pair[0][0]):
            members = list(group)
            section = stored_section(members[0][0])
            places = [number - first for _, number in members]
            if places[-1] >= section.size:
                raise ValueError("a passage without a section")
            yield section, places

    def load_documents(self, sections: Iterable[StoredSection]) -> None:
        """Read the documents of *sections* in one go."""
        missing = {section.document for section in sections} - self._documents.keys()
        for number, path, packed in self._rows(_DOCUMENTS, missing):
            self._documents[number] = _document(path, packed)

    def load_contents(self, sections: Iterable[StoredSection]) -> None:
        """Read what *sections* say in one go."""
        sizes = {section.first: section.size for section in sections}
        for first, headings, packed in self._rows(_CONTENTS, sizes.keys() - self._contents.keys()):
            self._contents[first] = stored_content((headings, packed), sizes[first])

    def document(self, section: StoredSection) -> IndexedDocument:
        """Return the document that *section* belongs to."""
        if section.document not in self._documents:
            self.load_documents((section,))
        return self._documents[section.document]

    def text(self, section: StoredSection, place: int) -> str:
        """Return the text of a passage."""
        if section.first not in self._contents:
            self.load_contents((section,))
        return self._contents[section.first].texts[place]

    def texts(self, document: IndexedDocument) -> Iterator[str]:
        """Yield the text of every passage of *document*."""
        for section, _ in self.sections_of(document.entries):
            self.load_contents((section,))
            yield from self._contents[section.first].texts

    def find(self, path: str) -> IndexedDocument | None:
        """Return the document at *path*."""
        row = self._connection.execute(
            "SELECT path, sections FROM document WHERE path = ?", (path,)
        ).fetchone()
        return _document(*row) if row else None

    def line(self, section: StoredSection, place: int) -> int:
        """Return the 1-based line of a passage in its document."""
        entry = self.document(section).entries.get(section.first)
        if entry is None:
            raise ValueError("a section its document does not list")
        return entry.line + section.line(place)

    def _rows(self, statement: str, numbers: Iterable[int]) -> list[Any]:
        listed = json.dumps(list(numbers))
        return self._connection.execute(statement, (listed,)).fetchall() if listed != "[]" else []


def _document(path: str, packed: bytes) -> IndexedDocument:
    return IndexedDocument(path, {entry.first: entry for entry in unpack_entries(packed)})
