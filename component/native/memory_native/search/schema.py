"""The file of the index: where it is, how it is opened, and whether it can be trusted.

One SQLite file, written with its journal in memory and without fsync, because everything in it can
be rebuilt from the documents (design.md section 6). What stands beside it says whether it can be
read (`marks`).

The caller holds the scope's lock, shared to read and exclusive to write. SQLite's own locking is
off: in the guest it would leave a ``.lock`` directory behind (tech-notes.md section 11).
"""

import errno
import os
import sqlite3
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import NamedTuple
from urllib.parse import quote

from memory_native.search.marks import (
    CREATE,
    FILE_MODE,
    NO_LINK,
    READ,
    REBUILDING,
    clear_place,
    is_marked,
    mark_state,
    sync_place,
)
from memory_native.search.model import IndexUnusable


FILE_NAME = "index.sqlite"
# Raise with every change of the tables, the records, the analysis or the cutting into passages.
FORMAT = 6 if sys.byteorder == "little" else -6
APPLICATION_ID = 0x49436D69  # "ICmi" at offset 68 of the file

# What reading a malformed file may raise, beside SQLite's own: a cell of another type or length.
_DAMAGE = (
    sqlite3.Error,
    struct.error,
    ValueError,
    TypeError,
    LookupError,
    OverflowError,
)
# A full disk is the second of these in the guest, whose host tells no more.
_UNWRITTEN = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_TRUNCATE)
_HEADER = struct.Struct(
    ">16sH6xII8xI16xi4xi28x"
)  # the first 100 bytes, sqlite.org/fileformat2.html
_MAGIC = b"SQLite format 3\0"
_LARGEST_PAGE = 65_536  # stored as 1
_HEADER_BYTES = 100
# Bytes. Twice SQLite's own: reading or writing a page costs a call of the host whatever its size, and a
# replaced file touches 85 pages of 4 KiB. Four times would waste half of a small index.
PAGE_BYTES = 8_192
# Pages that SQLite keeps, KiB, negative as the pragma wants it. In the guest a page costs a call of
# the host: with SQLite's own 2 MB a query over 100,000 lines takes 2 times as long.
_CACHE_KIB = -16_000
_SETTLES_NS = 3_000_000_000  # more than a tick of the coarsest file system, FAT's 2 s

TABLES = """
CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    shelf TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    sections BLOB NOT NULL
);
CREATE INDEX shelved ON document (shelf) WHERE shelf <> '';
CREATE TABLE section (
    first INTEGER PRIMARY KEY,
    document INTEGER NOT NULL,
    speakers TEXT NOT NULL,
    columns BLOB NOT NULL
);
CREATE TABLE content (
    first INTEGER PRIMARY KEY,
    headings TEXT NOT NULL,
    text BLOB NOT NULL
);
CREATE TABLE posting (
    block INTEGER NOT NULL,
    term TEXT NOT NULL,
    records BLOB NOT NULL,
    PRIMARY KEY (block, term)
) WITHOUT ROWID;
CREATE TABLE block (
    id INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL,
    passages INTEGER NOT NULL,
    sections INTEGER NOT NULL,
    used INTEGER NOT NULL, -- slots given out, whether or not what got them is still there
    retired BLOB NOT NULL -- sections that are no longer searched and not yet cut out
);
"""


class Look(NamedTuple):
    """What the file system tells of the file in one call."""

    mtime_ns: int
    inode: int
    size: int  # bytes

    def is_settled(self, now_ns: int) -> bool:
        """Tell whether any later change must have another time, *now_ns* being when it was read.

        A change in the same tick of the file system's clock has the same one.
        """
        return now_ns - self.mtime_ns > _SETTLES_NS


class Generation(NamedTuple):
    """Which state of which file this is; SQLite counts write transactions and pages itself."""

    changes: int
    pages: int
    incarnation: int  # random, from the file's making: a rebuilt index may count the same
    look: Look


class HeldFile:
    """A usable index file held open, so that one call of the host tells whether it was written.

    Raises `IndexUnusable` when it is made. Reads 100 bytes: the mark, the format and the size are
    checked here, the rest is checked where it is read. Lifetime: until `close`.
    """

    def __init__(self, directory: str, *, ignore_mark: bool = False) -> None:
        if not ignore_mark and is_marked(directory):
            raise IndexUnusable("dirty")
        self._handle, status = _opened(file_path(directory))
        with closed_on_failure(self):
            self._header = _beginning(self._handle)
            self.generation = _generation(self._header, status)

    def is_unwritten(self) -> bool:
        """Tell whether nobody has written the file since, through SQLite or from its beginning on.

        Another file in its place is not noticed: what was read of this one still holds together.
        """
        return _beginning(self._handle) == self._header

    def close(self) -> None:
        """Let the file go; once is enough."""
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)


def inspect(directory: str, *, ignore_mark: bool = False) -> Generation:
    """Return the state of a usable index file; raises `IndexUnusable` as `HeldFile` does."""
    with closing(HeldFile(directory, ignore_mark=ignore_mark)) as file:
        return file.generation


def is_unfinished(directory: str) -> bool:
    """Tell whether an index of this format is yet to be made, or a rebuild goes on: nothing broke."""
    rebuilding = mark_state(directory) == REBUILDING
    try:
        inspect(directory, ignore_mark=rebuilding)
    except IndexUnusable as problem:
        return problem.reason in {"missing", "foreign-format"}
    return rebuilding


def look(directory: str) -> Look | None:
    """Return how the index file looks from outside, None when it cannot be told or is no file."""
    try:
        status = os.stat(file_path(directory), follow_symlinks=False)
    except OSError:
        return None
    return _look(status) if stat.S_ISREG(status.st_mode) else None


def is_still(directory: str, seen: Look) -> bool:
    """Tell whether the file is the one that was *seen*, and nobody is writing.

    Costs three calls of the host. What a person does to the file and then sets its time back for,
    this does not see.
    """
    return not is_marked(directory) and look(directory) == seen


def file_path(directory: str) -> str:
    """Return where the index file is."""
    return os.path.join(directory, FILE_NAME)


def sync(directory: str) -> None:
    """Have the index file on disk as it is."""
    sync_place(file_path(directory), os.O_RDWR | NO_LINK)


def discard(directory: str) -> None:
    """Remove the index file; the mark stays."""
    for name in (FILE_NAME, f"{FILE_NAME}-journal", f"{FILE_NAME}-wal", f"{FILE_NAME}-shm"):
        clear_place(os.path.join(directory, name))


def connect_to_read(directory: str) -> sqlite3.Connection:
    """Open the file without locks, as it is now; it must not change while it is open."""
    connection = sqlite3.connect(
        _uri(directory, "mode=ro&immutable=1"),
        uri=True,
        isolation_level=None,
        check_same_thread=False,
    )
    with closed_on_failure(connection):
        connection.execute(f"PRAGMA cache_size={_CACHE_KIB}")
    return connection


def connect_to_write(directory: str, *, fresh: bool) -> sqlite3.Connection:
    """Open the file for the one writer; *fresh* creates the tables in a new file."""
    if fresh:
        os.close(os.open(file_path(directory), CREATE, FILE_MODE))
    connection = sqlite3.connect(
        _uri(directory, "mode=rw&nolock=1"),
        uri=True,
        isolation_level=None,
        check_same_thread=False,
    )
    with closed_on_failure(connection):
        _set_up(connection, fresh=fresh)
    return connection


def _set_up(connection: sqlite3.Connection, *, fresh: bool) -> None:
    for pragma in (
        "journal_mode=MEMORY",
        "synchronous=OFF",
        "secure_delete=ON",
        f"cache_size={_CACHE_KIB}",
    ):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    if fresh:
        connection.execute(f"PRAGMA page_size={PAGE_BYTES}")
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={FORMAT}")
        connection.executescript(f"BEGIN;{TABLES}")
        connection.execute("COMMIT")
        incarnation = int.from_bytes(os.urandom(4)) >> 1
        connection.execute(f"PRAGMA schema_version={incarnation}")


def count_transaction(connection: sqlite3.Connection) -> None:
    """Have SQLite count this transaction in the file, whether or not it changes anything else.

    Whoever kept pages of the file compares the count, and forgets them.
    """
    connection.execute(f"PRAGMA user_version={FORMAT}")


@contextmanager
def closed_on_failure(opened: sqlite3.Connection | HeldFile) -> Iterator[None]:
    """Close what is *opened* if the block fails, whatever fails in it."""
    try:
        yield
    except BaseException:
        opened.close()
        raise


@contextmanager
def noticing_damage() -> Iterator[None]:
    """Turn whatever a malformed file causes inside the block into `IndexUnusable`.

    Raises OSError where the file cannot be written: a rebuild would not help.
    """
    try:
        yield
    except _DAMAGE as problem:
        if getattr(problem, "sqlite_errorcode", None) in _UNWRITTEN:
            raise OSError(errno.EIO, os.strerror(errno.EIO)) from None
        raise IndexUnusable("damaged") from None


def _uri(directory: str, options: str) -> str:
    return f"file:{quote(file_path(directory))}?{options}"


def _generation(header: bytes, status: os.stat_result) -> Generation:
    if len(header) < _HEADER_BYTES:
        raise IndexUnusable("damaged")
    magic, page_size, changes, pages, incarnation, version, application = _HEADER.unpack(header)
    if magic != _MAGIC:
        raise IndexUnusable("damaged")
    if application != APPLICATION_ID or version != FORMAT:
        raise IndexUnusable("foreign-format")
    if status.st_size != pages * (_LARGEST_PAGE if page_size == 1 else page_size):
        raise IndexUnusable("damaged")
    return Generation(changes, pages, incarnation, _look(status))


def _look(status: os.stat_result) -> Look:
    return Look(status.st_mtime_ns, status.st_ino, status.st_size)


def _opened(path: str) -> tuple[int, os.stat_result]:
    """Return the file at *path*, opened to be read, and how it looks; raises `IndexUnusable`."""
    try:
        status = os.stat(path, follow_symlinks=False)
        if stat.S_ISREG(status.st_mode):
            return os.open(path, READ), status
    except FileNotFoundError:
        raise IndexUnusable("missing") from None
    except OSError:
        pass
    raise IndexUnusable("damaged")


def _beginning(handle: int) -> bytes:
    """Return the header, less where the file is shorter, nothing where it cannot be read."""
    try:
        return os.pread(handle, _HEADER_BYTES, 0)
    except OSError:
        return b""
