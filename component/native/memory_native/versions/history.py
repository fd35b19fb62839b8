"""The history of one document on disk: stage, publish, list, reconstruct, erase, trim.

A write goes *stage* (the old body and its row are on disk) - replace the document
- *publish*. A kill between leaves a staged row, and the hashes tell what happened:
if the document still is the old body, the row is void; otherwise the replacement
took place and the row counts. Publishing is one byte and needs no fsync, since
losing it only means that the hashes are compared again.

A history stands on its own: no version is read from the document, which a person
may change in an editor at any moment. What replaced a body often begins with it, an
append; the version after it is then no more than what was added, kept in its row, so
that it costs no file and no fsync of its own. It is put together from the newest
body stored in full and what was added since. A body is stored in full whenever it does
not begin with the version before, because it was replaced, by us or behind our back,
and whenever it has grown by a quarter (or half a kilobyte): ten thousand appends store
some forty bodies.

The bodies of a version that goes, erased or past retention, are needed by none that
stays: the version after it is stored in full first.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from memory_native import files, store, walking
from memory_native.failures import MemoryFailure
from memory_native.limits import TRIM_EVERY
from memory_native.store import Store
from memory_native.versions import retention, rows
from memory_native.versions.bodies import Bodies
from memory_native.versions.rowfile import HEAD_BYTES, NAME, RowFile
from memory_native.versions.rows import Log, Row, State


_SMALLEST_STEP: Final = 512


@dataclass(frozen=True, kw_only=True)
class Replaced:
    """A body that is about to be replaced, when, and whose write replaces it."""

    body: bytes
    unix_ms: int
    changed_by: str


class History:
    """The versions of the document at one path."""

    def __init__(
        self, storage: Store, path: str, *, parse: Callable[[bytes], Log] = rows.parse
    ) -> None:
        """Work in *storage*; *parse* reads the log as `rows.parse` does."""
        self._store = storage
        self._directory = f"{storage.versions}/{store.key(path)}"
        self._rows = RowFile(storage, self._directory, path, parse=parse)
        self._bodies = Bodies(storage, self._directory)

    # -- reading ---------------------------------------------------------

    def exists(self) -> bool:
        """Tell whether anything was ever kept."""
        return self._rows.exists()

    def is_staged(self) -> bool:
        """Tell whether a killed call left something to publish or discard."""
        last = self._rows.end().last
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

    def body(self, row: Row, known: Iterable[Row]) -> bytes:
        """Return the body of a version, which is one of the *known* ones.

        Raises ``version-erased`` or ``version-damaged``.
        """
        if row.erased:
            raise MemoryFailure("version-erased")
        body = self._put_together(row, known)
        if body is None or sha256(body).hexdigest() != row.hash:
            raise MemoryFailure("version-damaged")
        return body

    def is_whole(self, row: Row, known: Iterable[Row]) -> bool:
        """Tell whether the body can be had."""
        try:
            self.body(row, known)
        except MemoryFailure:
            return False
        return True

    def strays(self) -> list[int]:
        """Return the numbers of bodies that no row speaks of."""
        wanted = {row.number for row in self.rows() if not row.erased and row.tail is None}
        return sorted(self.stored().keys() - wanted)

    def expired(self, *, now_ms: int) -> tuple[tuple[Row, ...], int]:
        """Return the rows past retention and the bytes that their bodies take."""
        known = self.rows()
        stored = self.stored()
        taken = {row.number: stored.get(row.number, 0) + len(row.tail or "") for row in known}
        past = retention.expired(known, stored=taken, now_ms=now_ms)
        return past, sum(taken[row.number] for row in past)

    # -- around a replacement ----------------------------------------------

    def stage(self, replaced: Replaced) -> Row:
        """Put the old body and its row on disk, before the document is replaced."""
        end = self._rows.end()
        digest, is_grown = _looked_at(replaced.body, end.last)
        if end.last is not None and end.last.state is State.STAGED:
            self._settle(end.last, digest)
            end = self._rows.end()
            digest, is_grown = _looked_at(replaced.body, end.last)
        row = _next_row(end.last, replaced, digest, is_grown=is_grown)
        if end.last is None:
            self._make_directory()
        if row.tail is None:
            self._bodies.put(row.number, replaced.body)
        offset = self._rows.add(row, after=end)
        if row.tail is None:
            files.sync_directory(self._directory)
        return replace(row, offset=offset)

    def publish(self, row: Row) -> None:
        """Say that the replacement took place."""
        self._rows.mark(row, State.PUBLISHED)
        if row.number % TRIM_EVERY == 0:
            self.trim(now_ms=row.unix_ms)

    def discard(self, row: Row) -> None:
        """Take a staged row back: the replacement did not take place."""
        self._rows.cut(row)
        self._bodies.drop([row.number])

    def settle(self, current: bytes | None) -> None:
        """Publish or discard what a killed call left staged."""
        last = self._rows.end().last
        if last is not None and last.state is State.STAGED:
            self._settle(last, _digest(current))

    # -- removing and adding -------------------------------------------------

    def erase(self, number: int) -> bool:
        """Remove one body for good, keeping its row; tells whether it was there.

        Raises ``version-missing``.
        """
        known = self.rows()
        at = next((at for at, row in enumerate(known) if row.number == number), None)
        if at is None:
            raise MemoryFailure("version-missing", field="number")
        row = known[at]
        if not row.erased:
            gone = replace(row, state=State.ERASED, tail=None)
            self._rows.rewrite((*known[:at], gone, *self._freed(known, at + 1)))
        self._bodies.drop((number, *self.strays()))
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
            self._rows.rewrite(self._freed(self.rows(), len(past)))
            self._bodies.drop(row.number for row in past)
        return len(past)

    def adopt(self, row: Row, body: bytes | None) -> int:
        """Add a version from elsewhere; the same one twice is one. Returns how many there are.

        A version behind the others costs one row, as a write does; the whole file is
        replaced for one between them. Nothing may be staged. Raises ``version-taken`` if
        another version has its number, and ``history-full``.
        """
        known = self.rows()
        present = next((one for one in known if one.number == row.number), None)
        if present is not None:
            if present.hash != row.hash:
                raise MemoryFailure("version-taken", field="row")
            return len(known)
        if not retention.has_room((*known, row)):
            raise MemoryFailure("history-full")
        if known and known[-1].number < row.number:
            self._follow(known[-1], row, body)
        else:
            self._insert(known, row, body)
        return len(known) + 1

    def move_to(self, path: str) -> None:
        """Hand the history to the document that is now called *path*; may be repeated."""
        target = History(self._store, path)
        if self.exists():
            os.rename(self._directory, target._directory)
            files.sync_directory(self._store.versions)
        if target.exists():
            target.name_document()

    def name_document(self) -> None:
        """Write the log anew, with the document at its head."""
        self._rows.rewrite(self.rows())

    # -- the parts -------------------------------------------------------------

    def _follow(self, last: Row, row: Row, body: bytes | None) -> None:
        """Add a version behind the *last* one: its body is there for good before its row is."""
        if body is not None and row.number == last.number + 1:
            _, is_grown = _looked_at(body, last)
            base, tail = _kept_as(last, body, is_grown=is_grown)
            row = replace(row, base=base, tail=tail)
        if body is not None and row.tail is None:
            self._bodies.put_durably(row.number, body)
        self._rows.add(row, after=self._rows.end())

    def _insert(self, known: tuple[Row, ...], row: Row, body: bytes | None) -> None:
        """Add a version before or between others, or the first one."""
        self._make_directory()
        if body is not None:
            self._bodies.put(row.number, body)
        self._rows.rewrite(sorted((*known, row), key=lambda one: one.number))

    def _settle(self, row: Row, digest: str) -> None:
        if _is_void(row, digest):
            self.discard(row)
        else:
            self.publish(row)

    def _put_together(self, row: Row, known: Iterable[Row]) -> bytes | None:
        """Return the newest body stored in full up to *row* with all that was added since."""
        by_number = {one.number: one for one in known}
        parts: list[bytes] = []
        one: Row | None = row
        while one is not None and not one.erased and one.tail is not None:
            parts.append(one.tail.encode())
            one = by_number.get(one.number - 1)
        body = None if one is None or one.erased else self._bodies.get(one.number)
        return None if body is None else b"".join((body, *reversed(parts)))

    def _freed(self, known: tuple[Row, ...], start: int) -> tuple[Row, ...]:
        """Return the rows from *start* on, the first stored in full, as the one before it goes."""
        kept = known[start:]
        if not kept or kept[0].tail is None:
            return kept
        first, *rest = kept
        try:
            body = self.body(first, known)
        except MemoryFailure:
            return kept  # damaged before
        self._bodies.put_durably(first.number, body)
        return (replace(first, tail=None, base=first.size), *rest)

    def _make_directory(self) -> None:
        if files.lstat(self._directory) is None:
            os.mkdir(self._directory, 0o700)
            files.sync_directory(self._store.versions)


def every(storage: Store) -> Iterator[tuple[str, History]]:
    """Yield the path and the history of each document that has one."""
    for name, head in _heads(storage):
        path = rows.path_of(head)
        if store.key(path) == name:
            yield path, History(storage, path)


def nameless(storage: Store) -> Iterator[str]:
    """Yield the key of each history that `every` misses: its log names no document, or another.

    One whose first line is not finished yet is none: a killed call left it.
    """
    for name, head in _heads(storage):
        if b"\n" in head and store.key(rows.path_of(head)) != name:
            yield name


def _heads(storage: Store) -> Iterator[tuple[str, bytes]]:
    for entry in walking.scan(storage.versions)[0]:
        yield entry.name, files.read_own(f"{entry.path}/{NAME}", most=HEAD_BYTES) or b""


def _digest(current: bytes | None) -> str:
    return "" if current is None else sha256(current).hexdigest()


def _is_void(row: Row, current: str) -> bool:
    """Tell whether a staged row speaks of a replacement that did not take place."""
    return row.hash == current


def _looked_at(body: bytes, last: Row | None) -> tuple[str, bool]:
    """Return the hash of a body, and whether it begins with the last version.

    Both come from one pass over the body.
    """
    cut = 0 if last is None or last.erased or last.size > len(body) else last.size
    digest = sha256(memoryview(body)[:cut])
    is_grown = cut > 0 and last is not None and digest.hexdigest() == last.hash
    digest.update(memoryview(body)[cut:])
    return digest.hexdigest(), is_grown


def _next_row(last: Row | None, replaced: Replaced, digest: str, *, is_grown: bool) -> Row:
    base, tail = _kept_as(last, replaced.body, is_grown=is_grown)
    return Row(
        number=last.number + 1 if last else 1,
        hash=digest,
        size=len(replaced.body),
        unix_ms=replaced.unix_ms,
        changed_by=replaced.changed_by,
        base=base,
        tail=tail,
    )


def _kept_as(last: Row | None, body: bytes, *, is_grown: bool) -> tuple[int, str | None]:
    """Return base and tail of the row of *body*, which follows *last*."""
    size = len(body)
    base = last.base if last else 0
    is_due = size - base >= max(_SMALLEST_STEP, size // 4)
    tail = _text(body[last.size :]) if last and is_grown and not is_due else None
    return (size if tail is None else base), tail


def _text(tail: bytes) -> str | None:
    try:
        return tail.decode()
    except UnicodeDecodeError:
        return None  # a row is text; such a body is stored in full
