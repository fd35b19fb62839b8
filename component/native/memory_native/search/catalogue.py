"""Sections and documents of an open index, each read once a query."""

import sqlite3
from dataclasses import dataclass

from memory_native.search.rows import (
    Entry,
    StoredContent,
    StoredSection,
    stored_content,
    stored_section,
    unpack_entries,
)


_SECTION_OF = "SELECT first, document, speakers, columns FROM section WHERE first <= ? ORDER BY first DESC LIMIT 1"
_CONTENT_OF = "SELECT headings, text FROM content WHERE first = ?"


@dataclass(frozen=True)
class IndexedDocument:
    """A document and where its sections stand in it."""

    path: str
    entries: dict[int, Entry]  # by first passage number


class Catalogue:
    """What is behind the passage numbers; raises ValueError where the file is damaged."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._sections: dict[int, StoredSection] = {}
        self._documents: dict[int, IndexedDocument] = {}
        self._contents: dict[int, StoredContent] = {}

    def section_of(self, number: int) -> StoredSection:
        """Return the section that holds passage *number*."""
        row = self._connection.execute(_SECTION_OF, (number,)).fetchone()
        section = stored_section(row) if row else None
        if section is None or number >= section.first + section.size:
            raise ValueError("a passage without a section")
        return self._sections.setdefault(section.first, section)

    def document(self, section: StoredSection) -> IndexedDocument:
        """Return the document that *section* belongs to."""
        found = self._documents.get(section.document)
        if found is None:
            row = self._connection.execute(
                "SELECT path, sections FROM document WHERE id = ?", (section.document,)
            ).fetchone()
            if row is None:
                raise ValueError("a section without a document")
            found = self._documents[section.document] = _document(row)
        return found

    def find(self, path: str) -> IndexedDocument | None:
        """Return the document at *path*."""
        row = self._connection.execute(
            "SELECT path, sections FROM document WHERE path = ?", (path,)
        ).fetchone()
        return _document(row) if row else None

    def line(self, section: StoredSection, place: int) -> int:
        """Return the 1-based line of a passage in its document."""
        entry = self.document(section).entries.get(section.first)
        if entry is None:
            raise ValueError("a section its document does not list")
        return entry.line + section.line(place)

    def text(self, section: StoredSection, place: int) -> str:
        """Return the text of a passage."""
        return self.content(section).texts[place]

    def content(self, section: StoredSection) -> StoredContent:
        """Return what *section* says."""
        content = self._contents.get(section.first)
        if content is None:
            row = self._connection.execute(_CONTENT_OF, (section.first,)).fetchone()
            if row is None:
                raise ValueError("a section without content")
            content = self._contents[section.first] = stored_content(row, section.size)
        return content


def _document(row: tuple[str, bytes]) -> IndexedDocument:
    path, packed = row
    return IndexedDocument(path, {entry.first: entry for entry in unpack_entries(packed)})
