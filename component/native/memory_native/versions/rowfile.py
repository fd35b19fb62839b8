"""The file that holds the rows of one history: read whole, or only its end; added to durably."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from memory_native import files
from memory_native.store import Store
from memory_native.versions import rows
from memory_native.versions.rows import Log, Row, State


NAME: Final = "rows"
_END: Final = (
    16 << 10
)  # several rows fit: owner keys have at most 4 * 256 bytes, escaped twice that


class RowFile:
    """The rows of the history in one directory."""

    def __init__(self, storage: Store, directory: str, path: str) -> None:
        self._store = storage
        self._path = path
        self._file = f"{directory}/{NAME}"

    def exists(self) -> bool:
        """Tell whether there is such a file."""
        return files.lstat(self._file) is not None

    def read(self) -> Log:
        """Return every finished row."""
        content = files.read_own(self._file)
        return rows.parse(content) if content else Log(path=self._path, rows=())

    def last(self) -> Row | None:
        """Return the last finished row; costs the same for any number of rows."""
        return rows.last(*self._end())

    def add(self, row: Row) -> int:
        """Write a row durably after the last finished line; returns where it starts."""
        content, start = self._end()
        offset = start + content.rfind(b"\n") + 1 if content else 0
        begin = b"" if offset else rows.header(self._path)
        with self._opened(os.O_CREAT) as descriptor:
            os.ftruncate(descriptor, offset)
            os.lseek(descriptor, offset, os.SEEK_SET)
            files.write_all(descriptor, begin + rows.line(row))
            os.fsync(descriptor)
        return offset + len(begin)

    def mark(self, row: Row, state: State, *, durably: bool = False) -> None:
        """Overwrite the state of a row."""
        with self._opened() as descriptor:
            os.lseek(descriptor, row.offset, os.SEEK_SET)
            os.write(descriptor, state.value.encode())
            if durably:
                os.fsync(descriptor)

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

    def _end(self) -> tuple[bytes, int]:
        """Return the last bytes of the file and where they start."""
        try:
            descriptor = os.open(self._file, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return b"", 0
        try:
            start = max(0, os.fstat(descriptor).st_size - _END)
            os.lseek(descriptor, start, os.SEEK_SET)
            return os.read(descriptor, _END), start
        finally:
            os.close(descriptor)

    @contextmanager
    def _opened(self, more: int = 0) -> Iterator[int]:
        descriptor = os.open(self._file, os.O_WRONLY | os.O_NOFOLLOW | more, 0o600)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
