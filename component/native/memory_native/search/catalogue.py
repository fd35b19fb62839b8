"""Sections and documents of an open index, each read once while it is open."""

import json
import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory_native.search.rows import (
    Entry,
    StoredContent,
    StoredSection,
    stored_content,
    stored_section,
    unpack_entries,
)


MOST_HELD: Final = 4 << 20
"""Bytes of rows kept from one query to the next, as they are stored; in memory some three times that."""

# One statement for many numbers: in the guest each execution costs more than the row it finds.
_SECTIONS_OF = (
    "SELECT first, document, speakers, columns FROM section WHERE first IN"
    " (SELECT (SELECT max(first) FROM section WHERE first <= json_each.value) FROM json_each(?))"
)
_DOCUMENTS = "SELECT id, path, sections FROM document WHERE id IN (SELECT value FROM json_each(?))"
_SHELVED = "SELECT sections FROM document WHERE shelf = ? AND shelf <> ''"
_CONTENTS = (
    "SELECT first, headings, text FROM content WHERE first IN (SELECT value FROM json_each(?))"
)


_IN_ORDER = "SELECT sections FROM document ORDER BY path"
_OF_PASSAGES = (
    "SELECT sections FROM document WHERE id IN (SELECT document FROM section WHERE first IN"
    " (SELECT (SELECT max(first) FROM section WHERE first <= json_each.value) FROM json_each(?)))"
    " ORDER BY path"
)
# Microseconds, natively: to look up whose a passage is, to read a document, and a section of one
_LOOKUP, _DOCUMENT, _SECTION = 2.0, 1.2, 0.4
_USUAL_SIZE = 16  # passages of a section


Touched = tuple[StoredSection, list[int]]
"""A section and the places in it of the passages that were asked for."""
Spot = tuple[StoredSection, int]
"""A passage: its section and its place in it."""


@dataclass(frozen=True)
class IndexedDocument:
    """A document and where its sections stand in it."""

    path: str
    entries: dict[int, Entry]  # by first passage number

    def lines(self, spots: Iterable[Spot]) -> list[tuple[int, int]]:
        """Return where *spots* of it stand, as what they sort by: section's line, place in it.

        Raises KeyError for a section that it does not list.
        """
        return [(self.entries[section.first].line, place) for section, place in spots]


class Catalogue:
    """What is behind the passage numbers; raises ValueError where the file is damaged."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._held = 0
        self._sections: dict[int, StoredSection] = {}  # by the number of every passage
        self._documents: dict[int, IndexedDocument] = {}
        self._contents: dict[int, StoredContent] = {}

    def trim(self) -> None:
        """Forget everything once it is more than `MOST_HELD`: between queries only."""
        if self._held > MOST_HELD:
            self._held = 0
            for kept in (self._sections, self._documents, self._contents):
                kept.clear()

    def sections_of(self, numbers: Iterable[int]) -> list[Touched]:
        """Return the sections that hold the passages *numbers*, each with the places of its own."""
        ordered = sorted(numbers)
        known = self._sections
        self._load_sections([number for number in ordered if number not in known])
        touched: list[Touched] = []
        first, stop = 0, 0
        places: list[int] = []
        for number in ordered:
            if number >= stop:
                section = known.get(number)
                if section is None:
                    raise ValueError("a passage without a section")
                first, places = section.first, []
                stop = first + len(section.cues)
                touched.append((section, places))
            places.append(number - first)
        return touched

    def first_of(self, numbers: Iterable[int], count: int) -> list[int]:
        """Return *count* of the passages *numbers*, those that come first by path and line.

        What is left out of equals must not depend on when they were indexed.
        """
        wanted = sorted(set(numbers))
        found: list[int] = []
        for (packed,) in self._in_order(wanted):
            for entry in unpack_entries(packed):
                low = bisect_left(wanted, entry.first)
                found += wanted[low : bisect_left(wanted, entry.first + entry.size, low)]
            if len(found) >= count:
                break
        return found[:count]

    def _in_order(self, numbers: list[int]) -> Iterable[tuple[bytes]]:
        """Return what documents hold, by their paths: those of *numbers* or, if they are many, all."""
        execute = self._connection.execute
        documents = execute("SELECT ifnull(max(id), 0) FROM document").fetchone()[0]
        sections = execute("SELECT ifnull(max(first), 0) FROM section").fetchone()[0] / _USUAL_SIZE
        if _LOOKUP * len(numbers) < _DOCUMENT * documents + _SECTION * sections:
            return execute(_OF_PASSAGES, (json.dumps(numbers),))
        return execute(_IN_ORDER)

    def load(self, sections: Sequence[StoredSection]) -> None:
        """Read the documents of *sections* and what they say in one go each."""
        self.load_documents(sections)
        self.load_contents(sections)

    def load_documents(self, sections: Iterable[StoredSection]) -> None:
        """Read the documents of *sections* in one go."""
        missing = {section.document for section in sections} - self._documents.keys()
        for number, path, packed in self._rows(_DOCUMENTS, missing):
            self._documents[number] = _document(path, packed)
            self._held += len(path) + len(packed)

    def load_contents(self, sections: Iterable[StoredSection]) -> None:
        """Read what *sections* say in one go."""
        sizes = {section.first: section.size for section in sections}
        for first, headings, packed in self._rows(_CONTENTS, sizes.keys() - self._contents.keys()):
            content = self._contents[first] = stored_content((headings, packed), sizes[first])
            self._held += len(headings) + sum(map(len, content.texts))

    def document(self, section: StoredSection) -> IndexedDocument:
        """Return the document that *section* belongs to."""
        if section.document not in self._documents:
            self.load_documents((section,))
        return self._documents[section.document]

    def path(self, section: StoredSection) -> str:
        """Return the path of the document that *section* belongs to."""
        return self.document(section).path

    def spot(self, section: StoredSection, place: int) -> tuple[str, int]:
        """Return the path and the 1-based line of a passage."""
        document = self.document(section)
        return document.path, _start(document, section) + section.line(place)

    def text(self, section: StoredSection, place: int) -> str:
        """Return the text of a passage."""
        if section.first not in self._contents:
            self.load_contents((section,))
        return self._contents[section.first].texts[place]

    def quoted(self, spots: Iterable[Spot]) -> list[str]:
        """Return the texts of passages whose sections were read by `load`; raises KeyError for others."""
        contents = self._contents
        return [contents[section.first].texts[place] for section, place in spots]

    def texts(self, document: IndexedDocument) -> Iterable[str]:
        """Yield the text of every passage of *document*."""
        for section, _ in self.sections_of(document.entries):
            self.load_contents((section,))
            yield from self._contents[section.first].texts

    def shelved(self, shelf: str) -> list[tuple[int, int]]:
        """Return first passage number and size of each section of the documents on *shelf*."""
        rows = self._connection.execute(_SHELVED, (shelf,))
        return [(entry.first, entry.size) for (packed,) in rows for entry in unpack_entries(packed)]

    def find(self, path: str) -> IndexedDocument | None:
        """Return the document at *path*."""
        row = self._connection.execute(
            "SELECT path, sections FROM document WHERE path = ?", (path,)
        ).fetchone()
        return _document(*row) if row else None

    def _load_sections(self, numbers: list[int]) -> None:
        for row in self._rows(_SECTIONS_OF, numbers):
            section = stored_section(row)
            members = range(section.first, section.first + section.size)
            self._sections.update(dict.fromkeys(members, section))
            self._held += len(section.speakers) + 20 * section.size

    def _rows(self, statement: str, numbers: Iterable[int]) -> list[Any]:
        listed = json.dumps(list(numbers))
        return self._connection.execute(statement, (listed,)).fetchall() if listed != "[]" else []


def _start(document: IndexedDocument, section: StoredSection) -> int:
    entry = document.entries.get(section.first)
    if entry is None:
        raise ValueError("a section its document does not list")
    return entry.line


def _document(path: str, packed: bytes) -> IndexedDocument:
    return IndexedDocument(path, {entry.first: entry for entry in unpack_entries(packed)})
