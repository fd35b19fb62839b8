"""The history of one document on disk: stage, publish, list, reconstruct, erase, trim.

A write goes *stage* (the old body and its row are on disk) - replace the document
- *publish*. A kill between leaves a staged row, and the hashes tell what happened:
if the document still is the old body, the row is void; otherwise the replacement
took place and the row counts. Publishing is one byte and needs no fsync, since
losing it only means that the hashes are compared again.

What replaced a body often begins with it: an append. Such a version is a length
and a hash, read back from the next body stored in full or from the document. A
person who edits the document by hand breaks that, so a full body is stored
whenever the document has grown by a quarter, so that at most that last quarter (or
half a kilobyte) depends on the document. Bodies stored in full are files named by their number; a file may
also be added later for a row, when what its prefix was read from goes away.
"""

import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from memory_native import files, store, walking
from memory_native.failures import MemoryFailure
from memory_native.limits import READ_BYTES
from memory_native.store import Store
from memory_native.versions import retention, rows
from memory_native.versions.rows import Log, Row, State


_ROWS: Final = "rows"
_TAIL: Final = 16 << 10  # two rows fit: owner keys have at most 4 * 256 bytes, escaped twice that
_LEVEL: Final = 1  # measured on 900 KB of notes: level 6 takes five times as long, saves a fifth
_SMALLEST_STEP: Final = 512
_TRIM_EVERY: Final = 64


@dataclass(frozen=True, kw_only=True)
class Replaced:
    """A body that is about to be replaced, and by what."""

    body: bytes
    hash: str
    following: str
    is_prefix: bool
    unix_ms: int
    changed_by: str


class History:
    """The versions of the document at one path."""

    def __init__(self, storage: Store, path: str) -> None:
        self._store = storage
        self._path = path
        self._directory = f"{storage.versions}/{store.key(path)}"
        self._log = f"{self._directory}/{_ROWS}"

    # -- reading ---------------------------------------------------------

    def exists(self) -> bool:
        """Tell whether anything was ever kept."""
        return files.lstat(self._log) is not None

    def is_staged(self) -> bool:
        """Tell whether a killed call left something to publish or discard."""
        last = self._last()
        return last is not None and last.state is State.STAGED

    def log(self) -> Log:
        """Return every finished row, void ones included."""
        content = files.read_own(self._log)
        return rows.parse(content) if content else Log(path=self._path, rows=())

    def visible(self, current: bytes | None) -> tuple[Row, ...]:
        """Return the versions, oldest first, given the document as it is."""
        known = self.log().rows
        if known and known[-1].state is State.STAGED and _is_void(known[-1], _digest(current)):
            return known[:-1]
        return known

    def stored(self) -> dict[int, int]:
        """Return the sizes on disk of the bodies stored in full, by number."""
        found = {}
        for entry in walking.scan(self._directory)[0]:
            if entry.name.isdigit():
                found[int(entry.name)] = entry.stat(follow_symlinks=False).st_size
        return found

    def body(self, row: Row, current: bytes | None) -> bytes:
        """Return the body of a version, given the document as it is.

        Raises ``version-erased`` or ``version-damaged``.
        """
        if row.erased:
            raise MemoryFailure("version-erased")
        for source in self._sources(row, current):
            body = source[: row.size]
            if len(body) == row.size and sha256(body).hexdigest() == row.hash:
                return body
        raise MemoryFailure("version-damaged")

    def is_whole(self, row: Row, current: bytes | None) -> bool:
        """Tell whether the body can be had."""
        try:
            self.body(row, current)
        except MemoryFailure:
            return False
        return True

    def strays(self) -> list[int]:
        """Return the numbers of bodies that no row, or only an erased one, speaks of."""
        wanted = {row.number for row in self.log().rows if not row.erased}
        return sorted(self.stored().keys() - wanted)

    # -- writing ---------------------------------------------------------

    def stage(self, replaced: Replaced) -> Row:
        """Put the old body and its row on disk, before the document is replaced."""
        last = self._settled(replaced)
        row = _next_row(last, replaced)
        self._make_directory()
        is_full = row.base == row.size
        if is_full:
            self._store_body(row.number, replaced.body)
        offset = self._add(row)
        if is_full or last is None:
            files.sync_directory(self._directory)
        return replace(row, offset=offset)

    def publish(self, row: Row) -> None:
        """Say that the replacement took place."""
        self._set_state(row, State.PUBLISHED)
        if row.number % _TRIM_EVERY == 0:
            self.trim(now_ms=row.unix_ms)

    def discard(self, row: Row) -> None:
        """Take a staged row back: the replacement did not take place."""
        self._truncate(row.offset)
        files.remove_if_present(self._body_path(row.number))

    def settle(self, current: bytes | None) -> bool:
        """Publish or discard what a killed call left staged; tells whether there was anything."""
        last = self._last()
        if last is None or last.state is not State.STAGED:
            return False
        self._decide(last, _digest(current), current)
        return True

    def secure_prefixes(self, current: bytes) -> None:
        """Store the newest version in full if it is read from *current*.

        Called before the document changes without being kept.
        """
        newest = next((row for row in reversed(self.log().rows) if not row.erased), None)
        if newest is None or any(number >= newest.number for number in self.stored()):
            return
        if newest.hash == sha256(current[: newest.size]).hexdigest():
            self._store_body(newest.number, current[: newest.size])
            files.sync_directory(self._directory)

    def erase(self, number: int, current: bytes | None) -> bool:
        """Remove one body for good, keeping its row; tells whether it was there.

        Versions that were read from it are stored in full first. Raises
        ``version-missing``.
        """
        log = self.log()
        row = log.find(number)
        if row is None:
            raise MemoryFailure("version-missing", field="number")
        if not row.erased:
            self._secure_before(log.rows, row, current)
            self._set_state(row, State.ERASED, sync=True)
        if files.remove_if_present(self._body_path(number)):
            files.sync_directory(self._directory)
        return not row.erased

    def erase_all(self) -> int:
        """Remove the whole history for good; returns how many bodies it had."""
        count = sum(not row.erased for row in self.log().rows)
        if files.lstat(self._directory) is not None:
            # The log goes last: what a kill leaves is still found under its path.
            for number in self.stored():
                files.remove_if_present(self._body_path(number))
            files.remove_if_present(self._log)
            os.rmdir(self._directory)
            files.sync_directory(self._store.versions)
        return count

    def drop_bodies(self, numbers: Iterable[int]) -> None:
        """Remove bodies by number, and nothing else."""
        for number in numbers:
            files.remove_if_present(self._body_path(number))

    def expired(self, *, now_ms: int) -> tuple[tuple[Row, ...], int]:
        """Return the rows past retention and the bytes that their bodies take."""
        stored = self.stored()
        past = retention.expired(self.log().rows, stored=stored, now_ms=now_ms)
        return past, sum(stored.get(row.number, 0) for row in past)

    def trim(self, *, now_ms: int) -> int:
        """Drop what is past retention; returns how many versions that were."""
        past, _ = self.expired(now_ms=now_ms)
        if past:
            self._rewrite(self.log().rows[len(past) :])
            for row in past:
                files.remove_if_present(self._body_path(row.number))
        return len(past)

    def adopt(self, row: Row, body: bytes | None) -> None:
        """Add a version from elsewhere; the same one twice is one.

        Raises ``version-taken`` if another version has its number.
        """
        known = self.log().rows
        present = next((one for one in known if one.number == row.number), None)
        if present is not None:
            if present.hash != row.hash:
                raise MemoryFailure("version-taken", field="row")
            return
        self._make_directory()
        if body is not None:
            self._store_body(row.number, body)
        self._rewrite(sorted((*known, row), key=lambda one: one.number))

    def move_to(self, path: str) -> None:
        """Hand the history to the document that is now called *path*; may be repeated."""
        target = History(self._store, path)
        if self.exists():
            os.rename(self._directory, target._directory)
            files.sync_directory(self._store.versions)
        if target.exists():
            target._rewrite(target.log().rows)

    # -- the parts -------------------------------------------------------

    def _settled(self, replaced: Replaced) -> Row | None:
        """Return the last row once nothing is left staged."""
        last = self._last()
        if last is None or last.state is not State.STAGED:
            return last
        self._decide(last, replaced.hash, replaced.body)
        return self._last()

    def _decide(self, row: Row, digest: str, current: bytes | None) -> None:
        """Publish or discard a staged row, given the document as it is."""
        if not _is_void(row, digest) and (row.following == digest or self.is_whole(row, current)):
            self.publish(row)
        else:
            self.discard(row)

    def _last(self) -> Row | None:
        return rows.last(*self._end())

    def _end(self) -> tuple[bytes, int]:
        """Return the last bytes of the log and where they start."""
        try:
            descriptor = os.open(self._log, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return b"", 0
        try:
            start = max(0, os.fstat(descriptor).st_size - _TAIL)
            os.lseek(descriptor, start, os.SEEK_SET)
            return os.read(descriptor, _TAIL), start
        finally:
            os.close(descriptor)

    def _add(self, row: Row) -> int:
        """Write a row durably after the last finished line; returns where it starts."""
        content, start = self._end()
        offset = start + content.rfind(b"\n") + 1 if content else 0
        begin = b"" if offset else rows.header(self._path)
        descriptor = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            os.ftruncate(descriptor, offset)
            os.lseek(descriptor, offset, os.SEEK_SET)
            files.write_all(descriptor, begin + rows.line(row))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return offset + len(begin)

    def _set_state(self, row: Row, state: State, *, sync: bool = False) -> None:
        descriptor = os.open(self._log, os.O_WRONLY | os.O_NOFOLLOW)
        try:
            os.lseek(descriptor, row.offset, os.SEEK_SET)
            os.write(descriptor, state.value.encode())
            if sync:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _truncate(self, size: int) -> None:
        descriptor = os.open(self._log, os.O_WRONLY | os.O_NOFOLLOW)
        try:
            os.ftruncate(descriptor, size)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _rewrite(self, kept: Iterable[Row]) -> None:
        self._store.write_own(self._log, rows.header(self._path) + b"".join(map(rows.line, kept)))

    def _make_directory(self) -> None:
        if files.lstat(self._directory) is None:
            os.mkdir(self._directory, 0o700)
            files.sync_directory(self._store.versions)

    def _body_path(self, number: int) -> str:
        return f"{self._directory}/{number}"

    def _store_body(self, number: int, body: bytes) -> None:
        staged = self._store.stage(zlib.compress(body, _LEVEL))
        os.replace(staged, self._body_path(number))

    def _read_body(self, number: int) -> bytes | None:
        content = files.read_own(self._body_path(number))
        return None if content is None else _inflate(content)

    def _sources(self, row: Row, current: bytes | None) -> Iterator[bytes]:
        """Yield what may begin with the body: its own file, the next stored one, the document."""
        for number in sorted(self.stored()):
            if number >= row.number and (body := self._read_body(number)) is not None:
                yield body
                if number > row.number:
                    break
        if current is not None:
            yield current

    def _secure_before(self, known: tuple[Row, ...], row: Row, current: bytes | None) -> None:
        earlier = [one for one in known if one.number < row.number and not one.erased]
        stored = self.stored()
        if earlier and row.number in stored and earlier[-1].number not in stored:
            with suppress(MemoryFailure):  # damaged before: nothing depends on it
                self._store_body(earlier[-1].number, self.body(earlier[-1], current))
                files.sync_directory(self._directory)


def every(storage: Store) -> Iterator[tuple[str, History]]:
    """Yield the path and the history of each document that has one."""
    for entry in walking.scan(storage.versions)[0]:
        content = files.read_own(f"{entry.path}/{_ROWS}")
        path = rows.parse(content).path if content else ""
        if path and store.key(path) == entry.name:
            yield path, History(storage, path)


def _digest(current: bytes | None) -> str:
    return "" if current is None else sha256(current).hexdigest()


def _is_void(row: Row, current: str) -> bool:
    """Tell whether a staged row speaks of a replacement that did not take place."""
    return row.hash == current


def _next_row(last: Row | None, replaced: Replaced) -> Row:
    size = len(replaced.body)
    base = last.base if last else 0
    is_full = not replaced.is_prefix or abs(size - base) >= max(_SMALLEST_STEP, size // 4)
    return Row(
        number=last.number + 1 if last else 1,
        hash=replaced.hash,
        size=size,
        unix_ms=replaced.unix_ms,
        changed_by=replaced.changed_by,
        following=replaced.following,
        base=size if is_full else base,
    )


def _inflate(content: bytes) -> bytes | None:
    unpacker = zlib.decompressobj()
    try:
        body = unpacker.decompress(content, READ_BYTES + 1)
    except zlib.error:
        return None
    return body if unpacker.eof else None
