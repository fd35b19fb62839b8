"""The history of one document on disk: stage, publish, list, reconstruct, erase, trim.

A write goes *stage* (the old body and its row are on disk) - replace the document
- *publish*. A kill between leaves a staged row, and the hashes tell what happened:
if the document still is the old body, the row is void; otherwise the replacement
took place and the row counts. Publishing is one byte and needs no fsync, since
losing it only means that the hashes are compared again.

What replaced a body often begins with it: an append. Such a version is a length
and a hash, read back from the next body stored in full or from the document. A
person who edits the document by hand breaks that, so a full body is stored
whenever the document has grown by a quarter: at most that last quarter (or half a
kilobyte) depends on the document. A body may also be stored later, when what its
prefix was read from goes away.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from memory_native import files, store, walking
from memory_native.failures import MemoryFailure
from memory_native.store import Store
from memory_native.versions import retention, rows
from memory_native.versions.bodies import Bodies
from memory_native.versions.rowfile import NAME, RowFile
from memory_native.versions.rows import Row, State


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
        self._directory = f"{storage.versions}/{store.key(path)}"
        self._rows = RowFile(storage, self._directory, path)
        self._bodies = Bodies(storage, self._directory)

    # -- reading ---------------------------------------------------------

    def exists(self) -> bool:
        """Tell whether anything was ever kept."""
        return self._rows.exists()

    def is_staged(self) -> bool:
        """Tell whether a killed call left something to publish or discard."""
        last = self._rows.last()
        return last is not None and last.state is State.STAGED

    def rows(self) -> tuple[Row, ...]:
        """Return every finished row, a void one included."""
        return self._rows.read().rows

    def visible(self, current: bytes | None) -> tuple[Row, ...]:
        """Return the versions, oldest first, given the document as it is."""
        known = self.rows()
        if known and known[-1].state is State.STAGED and _is_void(known[-1], _digest(current)):
            return known[:-1]
        return known

    def stored(self) -> dict[int, int]:
        """Return the bytes on disk of the bodies stored in full, by number."""
        return self._bodies.sizes()

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
        wanted = {row.number for row in self.rows() if not row.erased}
        return sorted(self.stored().keys() - wanted)

    def expired(self, *, now_ms: int) -> tuple[tuple[Row, ...], int]:
        """Return the rows past retention and the bytes that their bodies take."""
        stored = self.stored()
        past = retention.expired(self.rows(), stored=stored, now_ms=now_ms)
        return past, sum(stored.get(row.number, 0) for row in past)

    # -- around a replacement ----------------------------------------------

    def stage(self, replaced: Replaced) -> Row:
        """Put the old body and its row on disk, before the document is replaced."""
        last = self._rows.last()
        if last is not None and last.state is State.STAGED:
            self._settle(last, replaced.body, replaced.hash)
            last = self._rows.last()
        row = _next_row(last, replaced)
        is_full = row.base == row.size
        self._make_directory()
        if is_full:
            self._bodies.put(row.number, replaced.body)
        else:
            self._bodies.drop([row.number])  # a killed call may have left one under this number
        offset = self._rows.add(row)
        if is_full or last is None:
            files.sync_directory(self._directory)
        return replace(row, offset=offset)

    def publish(self, row: Row) -> None:
        """Say that the replacement took place."""
        self._rows.mark(row, State.PUBLISHED)
        if row.number % _TRIM_EVERY == 0:
            self.trim(now_ms=row.unix_ms)

    def discard(self, row: Row) -> None:
        """Take a staged row back: the replacement did not take place."""
        self._rows.cut(row)
        self._bodies.drop([row.number])

    def settle(self, current: bytes | None) -> None:
        """Publish or discard what a killed call left staged."""
        last = self._rows.last()
        if last is not None and last.state is State.STAGED:
            self._settle(last, current, _digest(current))

    def secure_prefixes(self, current: bytes) -> None:
        """Store the newest version in full if it is read from *current*.

        Called before the document changes without being kept.
        """
        known = self.rows()
        newest = next((row for row in reversed(known) if not row.erased), None)
        if newest is None or self.stored().keys() & {
            row.number for row in known if row.number >= newest.number
        }:
            return
        if newest.hash == sha256(current[: newest.size]).hexdigest():
            self._bodies.put_durably(newest.number, current[: newest.size])

    # -- removing and adding -------------------------------------------------

    def erase(self, number: int, current: bytes | None) -> bool:
        """Remove one body for good, keeping its row; tells whether it was there.

        Versions that were read from it are stored in full first. Raises
        ``version-missing``.
        """
        known = self.rows()
        row = next((one for one in known if one.number == number), None)
        if row is None:
            raise MemoryFailure("version-missing", field="number")
        if not row.erased:
            self._secure_before(known, row, current)
            self._rows.mark(row, State.ERASED, durably=True)
        self._bodies.drop([number])
        return not row.erased

    def erase_all(self) -> int:
        """Remove the whole history for good; returns how many bodies it had."""
        count = sum(not row.erased for row in self.rows())
        if files.lstat(self._directory) is not None:
            # The rows go last: what a kill leaves is still found under its path.
            self._bodies.drop(self.stored())
            self._rows.remove()
            os.rmdir(self._directory)
            files.sync_directory(self._store.versions)
        return count

    def drop_bodies(self, numbers: Iterable[int]) -> None:
        """Remove bodies by number, and nothing else."""
        self._bodies.drop(numbers)

    def trim(self, *, now_ms: int) -> int:
        """Drop what is past retention; returns how many versions that were."""
        past, _ = self.expired(now_ms=now_ms)
        if past:
            self._rows.rewrite(self.rows()[len(past) :])
            self._bodies.drop(row.number for row in past)
        return len(past)

    def adopt(self, row: Row, body: bytes | None) -> None:
        """Add a version from elsewhere; the same one twice is one.

        Raises ``version-taken`` if another version has its number.
        """
        known = self.rows()
        present = next((one for one in known if one.number == row.number), None)
        if present is not None:
            if present.hash != row.hash:
                raise MemoryFailure("version-taken", field="row")
            return
        self._make_directory()
        if body is not None:
            self._bodies.put(row.number, body)
        self._rows.rewrite(sorted((*known, row), key=lambda one: one.number))

    def move_to(self, path: str) -> None:
        """Hand the history to the document that is now called *path*; may be repeated."""
        target = History(self._store, path)
        if self.exists():
            os.rename(self._directory, target._directory)
            files.sync_directory(self._store.versions)
        if target.exists():
            target._rows.rewrite(target.rows())

    # -- the parts -------------------------------------------------------------

    def _settle(self, row: Row, current: bytes | None, digest: str) -> None:
        took_place = row.following == digest or self.is_whole(row, current)
        if took_place and not _is_void(row, digest):
            self.publish(row)
        else:
            self.discard(row)

    def _make_directory(self) -> None:
        if files.lstat(self._directory) is None:
            os.mkdir(self._directory, 0o700)
            files.sync_directory(self._store.versions)

    def _sources(self, row: Row, current: bytes | None) -> Iterator[bytes]:
        """Yield what may begin with the body: its own file, the next stored one, the document."""
        yield from self._bodies.from_number(row.number)
        if current is not None:
            yield current

    def _secure_before(self, known: tuple[Row, ...], row: Row, current: bytes | None) -> None:
        """Store in full the newest version that may be read from the body of *row*."""
        earlier = [one for one in known if one.number < row.number and not one.erased]
        stored = self.stored()
        if earlier and row.number in stored and earlier[-1].number not in stored:
            with suppress(MemoryFailure):  # damaged before: nothing depends on it
                self._bodies.put_durably(earlier[-1].number, self.body(earlier[-1], current))


def every(storage: Store) -> Iterator[tuple[str, History]]:
    """Yield the path and the history of each document that has one."""
    for entry in walking.scan(storage.versions)[0]:
        content = files.read_own(f"{entry.path}/{NAME}")
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
