"""The file that holds the rows of one history: read whole, or only its end; added to durably."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from memory_native import files
from memory_native.store import Store
from memory_native.versions import rows
from memory_native.versions.rows import Log, Row, State


NAME: Final = "rows"
HEAD_BYTES: Final = 8 << 10  # the header: a path of at most 1,024 bytes, escaped
_END_BYTES: Final = 16 << 10  # the usual row has a few hundred bytes, and its tail


@dataclass(frozen=True, kw_only=True)
class End:
    """The last finished row, if there is one, where the next one goes, and the file's size."""

    last: Row | None
    offset: int
    size: int


class RowFile:
    """The rows of the history in one directory."""

    def __init__(
        self, storage: Store, directory: str, path: str, *, parse: Callable[[bytes], Log]
    ) -> None:
        self._parse = parse
        self._store = storage
        self._path = path
        self._file = f"{directory}/{NAME}"

    def exists(self) -> bool:
        """Tell whether there is such a file."""
        return files.lstat(self._file) is not None

    def read(self) -> Log:
        """Return every finished row."""
        content = files.read_own(self._file)
        return self._parse(content) if content else Log(path=self._path, rows=())

    def end(self) -> End:
        """Return how the file ends; costs the same for any number of rows."""
        content, start = self._read_end(_END_BYTES)
        last = rows.last(content, start)
        if last is None and start:  # it is longer than that, or damaged
            content, start = files.read_own(self._file) or b"", 0
            last = rows.last(content, start)
        offset = start + content.rfind(b"\n") + 1
        return End(last=last, offset=offset, size=start + len(content))

    def add(self, row: Row, *, after: End) -> int:
        """Write a row durably where `end` said; returns where it starts."""
        begin = b"" if after.offset else rows.header(self._path)
        if not after.size:  # whatever stands there gives way: opening a FIFO waits
            files.remove_if_present(self._file)
        with self._opened(os.O_CREAT) as descriptor:
            if after.size > after.offset:  # a row that was not finished
                os.ftruncate(descriptor, after.offset)
            os.lseek(descriptor, after.offset, os.SEEK_SET)
            files.write_all(descriptor, begin + rows.line(row))
            os.fsync(descriptor)
        return after.offset + len(begin)

    def mark(self, row: Row, state: State) -> None:
        """Overwrite the state of a row."""
        with self._opened() as descriptor:
            os.pwrite(descriptor, state.value.encode(), row.offset)

    def cut(self, row: Row) -> None:
        """Remove a row, which is the last one, durably."""
        with self._opened() as descriptor:
            os.ftruncate(descriptor, row.offset)
            os.fsync(descriptor)

    def rewrite(self, kept: Iterable[Row]) -> None:
        """Replace the whole file durably."""
        self._store.write_own(self._file, rows.header(self._path) + b"".join(map(rows.line, kept)))

    def remove(self) -> None:
        """Remove the file if it is there."""
        files.remove_if_present(self._file)

    def _read_end(self, size: int) -> tuple[bytes, int]:
        """Return at most the last *size* bytes of the file and where they start."""
        there = files.own_size(self._file)
        if not there:
            return b"", 0
        start = max(0, there - size)
        descriptor = os.open(self._file, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            return os.pread(descriptor, size, start), start
        finally:
            os.close(descriptor)

    @contextmanager
    def _opened(self, more: int = 0) -> Iterator[int]:
        descriptor = os.open(self._file, os.O_WRONLY | os.O_NOFOLLOW | more, 0o600)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
