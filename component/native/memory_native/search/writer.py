"""Writing the index: put and remove documents, and move what is left of sparse blocks together.

What a document no longer says is *retired*: it is searched no more from then on, and its records and
its text are *cut* out of the file later, because that takes most of the time of a small edit. Few wait
at once, and none outlives a removal (`IndexWriter.clear_traces`).
"""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self

from memory_native.search.analysis import analyse
from memory_native.search.blocks import Blocks
from memory_native.search.gaps import clear_gaps
from memory_native.search.kept import KeptConnection
from memory_native.search.marks import (
    REBUILDING,
    begin_mark,
    clear_mark,
    note_synced,
    note_unsynced,
    set_mark,
)
from memory_native.search.model import IndexUnusable, Stamp
from memory_native.search.passages import Section, searchable, sections
from memory_native.search.postings import HEADER, SLOTS, header_record, records_of
from memory_native.search.rows import (
    Entry,
    StoredContent,
    StoredSection,
    content_row,
    pack_entries,
    section_row,
    stored_content,
    stored_section,
    unpack_entries,
)
from memory_native.search.schema import (
    PAGE_BYTES,
    Look,
    closed_on_failure,
    connect_to_write,
    count_transaction,
    discard,
    file_path,
    inspect,
    look,
    noticing_damage,
    sync,
)
from memory_native.search.shelves import SAID, ShelfOf, kind_of, none
from memory_native.search.soundness import is_sound


MOST_RETIRED = 64
"""Sections that wait to be cut before a write has to: some 100 KB, and a cut takes 4 ms in the guest."""

_SECTION = (
    "SELECT first, document, speakers, columns, headings, text, path"
    " FROM section JOIN content USING (first) JOIN document ON document.id = section.document"
    " WHERE first = ?"
)


class IndexWriter:
    """The one writer of the index in a directory; the caller holds the scope's exclusive lock.

    Use as a context manager. Entering marks the index dirty, a successful exit commits and clears
    the mark; after an exception, or a kill, the mark stays and the next writer starts afresh.

    ``rebuild_needed`` is true when there was no usable index, so that this one is empty or holds
    only what an unfinished rebuild has put so far (`stamps` says what that is): the caller must put
    every document. If it cannot in one go, it calls `continue_later` before it exits.
    """

    def __init__(
        self,
        directory: str,
        shelf_of: ShelfOf = none,
        kept: KeptConnection | None = None,
        *,
        trusting: bool = True,
    ) -> None:
        """Write the index in *directory* over the connection that was *kept*, if it still serves.

        Not *trusting*, start afresh unless the index is synced and sound from end to end.
        """
        self._directory = directory
        self._shelf_of = shelf_of
        self._kept = KeptConnection() if kept is None else kept
        self._trusting = trusting
        self._unfinished = False
        self._clears = False
        self._syncs = False
        self.rebuild_needed = False

    def __enter__(self) -> Self:
        state = begin_mark(self._directory)
        was_unsynced = note_unsynced(self._directory)
        found = look(self._directory) if state in (None, REBUILDING) else None
        with noticing_damage():
            connection = self._opened(found)
            doubted = not self._trusting and state is None and self._found is not None
            if doubted and (was_unsynced or not is_sound(connection)):
                connection.close()
                connection = self._begun()
            self._connection = connection
            self.rebuild_needed = self._found is None or state == REBUILDING
            with closed_on_failure(connection):
                connection.execute("BEGIN")
                self._blocks = Blocks(connection)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        committed = False
        try:
            if kind is None:
                with noticing_damage():
                    if self._clears:
                        self._cut_all_but(0)
                        count_transaction(self._connection)
                    self._blocks.flush()
                    self._connection.execute("COMMIT")
                committed = True
        finally:
            if not committed:
                self._connection.close()
        if committed:
            self._release()

    def put(self, path: str, text: str, stamp: Stamp) -> None:
        """Add or replace one document: sections that say what they said before are kept.

        Raises `IndexUnusable` when the file turns out to be damaged.
        """
        with noticing_damage():
            document, old = self._document(path, stamp)
            kept = _by_digest(old)
            found: list[tuple[Section, bytes, int | None]] = []
            kind = kind_of(self._shelf_of(path))
            for section in sections(searchable(text, said=kind == SAID)):
                digest = section.digest()
                found.append((section, digest, kept[digest].pop().first if kept[digest] else None))
            for entry in (entry for left in kept.values() for entry in left):
                self._blocks.retire(entry.first, entry.size, kind)
            self._cut_all_but(MOST_RETIRED)
            entries = []
            for section, digest, known in found:
                first = self._place(document, path, section) if known is None else known
                entries.append(Entry(first, len(section.passages), section.line, digest))
            self._connection.execute(
                "UPDATE document SET sections = ? WHERE id = ?", (pack_entries(entries), document)
            )

    def remove(self, path: str) -> None:
        """Remove one document and every word that only it had; a path not indexed is fine.

        Raises `IndexUnusable` when the file turns out to be damaged.
        """
        self.clear_traces()
        with noticing_damage():
            row = self._connection.execute(
                "SELECT id, sections FROM document WHERE path = ?", (path,)
            ).fetchone()
            if row is None:
                return
            kind = kind_of(self._shelf_of(path))
            for entry in unpack_entries(row[1]):
                self._blocks.retire(entry.first, entry.size, kind)
            self._cut_all_but(0)
            self._connection.execute("DELETE FROM document WHERE id = ?", (row[0],))

    def stamps(self) -> dict[str, Stamp]:
        """Return which bytes of each document are indexed."""
        with noticing_damage():
            rows = self._connection.execute("SELECT path, size, mtime_ns, sha256 FROM document")
            return {path: Stamp(size, mtime_ns, sha256) for path, size, mtime_ns, sha256 in rows}

    def stamp(self, path: str) -> Stamp | None:
        """Return which bytes of one document are indexed."""
        with noticing_damage():
            row = self._connection.execute(
                "SELECT size, mtime_ns, sha256 FROM document WHERE path = ?", (path,)
            ).fetchone()
            return Stamp(*row) if row else None

    def maintain(self, *, deadline: Callable[[], bool]) -> bool:
        """Cut what is retired and empty blocks that are at most half full, one section at a time.

        *deadline* is asked before each section and returns true when time is up. Returns whether
        nothing is left to do.
        """
        with noticing_damage():
            for first in self._blocks.retired():
                if deadline():
                    return False
                self._cut(first)
            while (numbers := self._blocks.sparse()) is not None:
                found = self._sections_in(numbers)
                if not found:
                    raise IndexUnusable("damaged")  # the block counts passages that it has not
                for first, path in found:
                    if deadline():
                        return False
                    self._move(path, first)
        return True

    def clear_traces(self) -> None:
        """On exit, leave nothing in the file of what is not indexed: reads all of it (1.5 ms a MiB)."""
        self._clears = True

    def continue_later(self) -> None:
        """Commit on exit but leave the index unusable: a rebuild goes on in another call."""
        self._unfinished = True

    def sync(self) -> None:
        """On a complete exit, have the index on disk, so that even a power cut leaves it whole."""
        self._syncs = True

    def _opened(self, found: Look | None) -> sqlite3.Connection:
        """Return a connection to the index that was *found*, or to a new one."""
        if not self._trusting:
            self._kept.close()  # what it has read before says nothing of the file
        connection = self._kept.take(found)
        if connection is None and not _has_header(self._directory, found):
            return self._begun()
        self._found = found
        return connection or connect_to_write(self._directory, fresh=False)

    def _begun(self) -> sqlite3.Connection:
        """Return a connection to a new index."""
        discard(self._directory)
        self._found = None
        return connect_to_write(self._directory, fresh=True)

    def _release(self) -> None:
        """Clear the mark, or say that a rebuild goes on."""
        with closed_on_failure(self._connection):
            left = look(self._directory)
            if left is None or (self._found is not None and left.inode != self._found.inode):
                raise IndexUnusable("damaged")  # the connection writes to a file no longer here
        self._kept.keep(self._connection, left)
        if self._clears:
            self._kept.close()  # its pages are as they were
            clear_gaps(file_path(self._directory), page_bytes=PAGE_BYTES)
        if self._unfinished or self._syncs:
            sync(self._directory)
        if self._unfinished:
            set_mark(self._directory, REBUILDING)
            return
        clear_mark(self._directory)
        if self._syncs:
            note_synced(self._directory)

    def _document(self, path: str, stamp: Stamp) -> tuple[int, list[Entry]]:
        """Record *stamp* for *path*; return the document's id and the sections it had."""
        row = self._connection.execute(
            "INSERT INTO document (path, shelf, size, mtime_ns, sha256, sections)"
            " VALUES (?, ?, ?, ?, ?, x'')"
            " ON CONFLICT (path) DO UPDATE SET size = excluded.size,"
            " mtime_ns = excluded.mtime_ns, sha256 = excluded.sha256 RETURNING id, sections",
            (path, self._shelf_of(path), stamp.size, stamp.mtime_ns, stamp.sha256),
        ).fetchone()
        return row[0], unpack_entries(row[1])

    def _place(self, document: int, path: str, section: Section) -> int:
        """Index *section*; return its first passage number."""
        kind = kind_of(self._shelf_of(path))
        first = self._blocks.allocate(len(section.passages), kind)
        slot = first % SLOTS
        analyses = [analyse(passage.text) for passage in section.passages]
        inside = (passage.text for passage in section.passages if passage.level)
        headers = dict.fromkeys(
            header_terms(path, (*section.headings, *inside)), header_record(slot)
        )
        passages = (records_of(found.terms, at) for at, found in enumerate(analyses, slot))
        self._blocks.gather(first, kind, (headers, *passages))
        execute = self._connection.execute
        row = section_row(first, document, section, analyses)
        execute("INSERT INTO section VALUES (?, ?, ?, ?)", row)
        execute("INSERT INTO content VALUES (?, ?, ?)", content_row(first, section))
        return first

    def _cut_all_but(self, most: int) -> None:
        """Cut retired sections until *most* are left, those of the oldest blocks first."""
        waiting = self._blocks.retired()
        for first in waiting[: max(0, len(waiting) - most)]:
            self._cut(first)

    def _cut(self, first: int) -> None:
        """Cut a retired section out of the file; its terms are read from its own text."""
        stored, content, path = self._stored(first)
        terms = header_terms(path, stored.titles(content))
        terms.update(analyse("\n".join(content.texts)).terms)  # none spans two lines
        self._blocks.cut(first, stored.size, kind_of(self._shelf_of(path)), terms)
        for table in ("section", "content"):
            self._connection.execute(f"DELETE FROM {table} WHERE first = ?", (first,))  # noqa: S608 - a name from the line above

    def _move(self, path: str, first: int) -> None:
        """Index the section at *first* again in the newest block."""
        stored, content, _ = self._stored(first)
        self._blocks.retire(first, stored.size, kind_of(self._shelf_of(path)))
        self._cut(first)
        moved = self._place(stored.document, path, stored.restored(content))
        (packed,) = self._connection.execute(
            "SELECT sections FROM document WHERE id = ?", (stored.document,)
        ).fetchone()
        known = unpack_entries(packed)
        entries = [
            entry._replace(first=moved) if entry.first == first else entry for entry in known
        ]
        if entries == known:
            raise IndexUnusable("damaged")  # no document has this section, and none waits to be cut
        self._connection.execute(
            "UPDATE document SET sections = ? WHERE id = ?",
            (pack_entries(entries), stored.document),
        )

    def _stored(self, first: int) -> tuple[StoredSection, StoredContent, str]:
        """Return the section at *first*, what it says, and the path of its document."""
        row = self._connection.execute(_SECTION, (first,)).fetchone()
        if row is None:
            raise IndexUnusable("damaged")
        stored = stored_section(row[:4])
        return stored, stored_content(row[4:6], stored.size), row[6]

    def _sections_in(self, numbers: range) -> list[tuple[int, str]]:
        """Return the first passage and the path of each section among *numbers*."""
        return self._connection.execute(
            "SELECT first, path FROM section JOIN document ON document.id = section.document"
            " WHERE first >= ? AND first < ?",
            (numbers.start, numbers.stop),
        ).fetchall()


def header_terms(path: str, titles: Iterable[str]) -> set[str]:
    """Return the header terms of a section: its path without suffix, headings around and in it."""
    bare, _, suffix = path.rpartition(".")
    named = path if "/" in suffix or not bare else bare
    return {HEADER + term for text in (named, *titles) for term in analyse(text).terms}


def _by_digest(entries: list[Entry]) -> defaultdict[bytes, list[Entry]]:
    found: defaultdict[bytes, list[Entry]] = defaultdict(list)
    for entry in reversed(entries):
        found[entry.digest].append(entry)
    return found


def _has_header(directory: str, found: Look | None) -> bool:
    try:
        return found is not None and inspect(directory, ignore_mark=True).look == found
    except IndexUnusable:
        return False
