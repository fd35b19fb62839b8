"""Whether an index file holds together, read from its first row to its last.

A reader looks at what it reads. This is for whoever was told that something is wrong, or asks
whether anything is: 100,000 lines take a second in the guest.
"""

import sqlite3

from memory_native.search.model import IndexUnusable
from memory_native.search.rows import stored_content, stored_section, unpack_spans
from memory_native.search.schema import noticing_damage


_ODD_POSTING = (
    "SELECT 1 FROM posting WHERE typeof(records) <> 'blob' OR length(records) % 2"
    " OR length(records) = 0 OR NOT EXISTS (SELECT 1 FROM block WHERE id = block) LIMIT 1"
)
_LONELY_SECTION = (
    "SELECT 1 FROM section LEFT JOIN content USING (first) LEFT JOIN document"
    " ON document.id = section.document WHERE text IS NULL OR path IS NULL LIMIT 1"
)
_RETIRED = "SELECT retired FROM block"
_SECTIONS = (
    "SELECT first, document, speakers, columns, headings, text"
    " FROM section JOIN content USING (first)"
)


def is_sound(connection: sqlite3.Connection) -> bool:
    """Tell whether every page and row is as SQLite and our own checksums have it."""
    try:
        with noticing_damage():
            return _holds_together(connection)
    except IndexUnusable:
        return False


def _holds_together(connection: sqlite3.Connection) -> bool:
    execute = connection.execute
    if execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        return False
    if execute(_ODD_POSTING).fetchone() or execute(_LONELY_SECTION).fetchone():
        return False
    for (packed,) in execute(_RETIRED):
        unpack_spans(packed)
    for row in execute(_SECTIONS):
        stored_content(row[4:], stored_section(row[:4]).size)
    return True
