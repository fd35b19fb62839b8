"""Replacing one document: compare, keep the old body, replace, publish.

A document is rewritten as a whole for every change, appends included. Adding in
place would save writing the old part again, but a kill in the middle of a larger
entry leaves a mixture on disk that every reader and every editor would see until
it is cut back. And it would save little: measured natively at 900 KB, forcing the
whole document to disk takes 8 ms where one line takes 4, while indexing the change
takes 50 to 400, and hashing, screening and comparing go over the whole text anyhow.

The comparison is of the bytes themselves: it says the same as comparing SHA-256
and costs a hundredth of it in the guest. What is left is the moment between the
last comparison and the replacement, against which only locks help; a person's
editor holds none.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256

from memory_native import files
from memory_native.documents import comparing
from memory_native.failures import MemoryFailure
from memory_native.limits import DOCUMENT_BYTES, WRITE_TRIES
from memory_native.names import Names
from memory_native.store import Store
from memory_native.versions.history import History, Replaced
from memory_native.versions.rows import Row


Transform = Callable[[bytes | None], bytes | None]
"""From the old body (None: absent) to the new one (None: take the document away).

May be called several times, and refuses by raising.
"""


@dataclass(frozen=True, kw_only=True)
class Author:
    """When and by whom a body is replaced."""

    unix_ms: int
    changed_by: str


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a replacement did.

    *alike* is how many bytes both bodies begin with, *kept* the version that the old
    one became, *mtime_ns* the modification time of the new one.
    """

    path: str
    name: str
    old: bytes | None
    new: bytes | None
    alike: int
    kept: Row | None = None
    mtime_ns: int = 0

    @classmethod
    def between(cls, path: str, name: str, old: bytes | None, new: bytes | None) -> "Change":
        """Return the change from *old* to *new*."""
        alike = comparing.beginning(old or b"", new or b"")
        return cls(path=path, name=name, old=old, new=new, alike=alike)

    @property
    def is_change(self) -> bool:
        """Whether anything is different from before."""
        if self.old is None or self.new is None:
            return self.old is not self.new
        return not len(self.old) == len(self.new) == self.alike

    @property
    def delta(self) -> int:
        """Bytes added, or all of the new body where it does not begin with the old one."""
        new, old = self.new or b"", self.old or b""
        return len(new) - len(old) if self.alike == len(old) else len(new)

    @property
    def new_bytes(self) -> int:
        """Bytes between what both bodies begin with and what both end with."""
        old, new = (self.old or b"")[self.alike :], (self.new or b"")[self.alike :]
        return len(new) - comparing.ending(old, new)

    @property
    def kept_as(self) -> int | None:
        """The number of the version that the old body became."""
        return None if self.kept is None else self.kept.number

    def old_hash(self) -> str:
        """Return the hexadecimal SHA-256 of the old body."""
        return sha256(self.old or b"").hexdigest() if self.kept is None else self.kept.hash


@dataclass(frozen=True, kw_only=True)
class _Attempt:
    change: Change
    keep: bool
    author: Author


class Replacer:
    """Replaces documents of one scope."""

    def __init__(self, storage: Store, names: Names) -> None:
        self._store = storage
        self._names = names
        self._root = storage.root

    def replace(self, path: str, transform: Transform, *, keep: bool, author: Author) -> Change:
        """Prepare the store, then change the document as `replace_prepared` does."""
        self._store.prepare(unix_ms=author.unix_ms)
        return self.replace_prepared(path, transform, keep=keep, author=author)

    def replace_prepared(
        self, path: str, transform: Transform, *, keep: bool, author: Author
    ) -> Change:
        """Change the document at *path*, trying `WRITE_TRIES` times against other writers.

        With *keep* a body that is not empty becomes a version. Raises what
        *transform* raises, ``path-occupied``, ``path-twin``, ``not-a-document``,
        ``document-unreadable``, ``body-too-large`` for a document that is too large to be
        read, ``document-too-large`` for a new body that is, ``conflict`` and
        ``storage-failed``; the document is then as it was.
        """
        with files.storage():
            for _ in range(WRITE_TRIES):
                change = self._plan(path, transform)
                if not change.is_change:
                    return change
                attempt = _Attempt(change=change, keep=keep, author=author)
                done = self._remove(attempt) if change.new is None else self._put(attempt)
                if done is not None:
                    return done
        raise MemoryFailure("conflict")

    def _plan(self, path: str, transform: Transform) -> Change:
        name = self._names.locate(path)
        old = self._read(name)
        new = transform(old)
        if old is None and new is not None:
            self._names.refuse_twin(path)
        if new is not None and len(new) > DOCUMENT_BYTES and new != old:
            raise MemoryFailure("document-too-large", field="content")
        return Change.between(path, name, old, new)

    def _read(self, name: str) -> bytes | None:
        try:
            return files.read(self._root, name)
        except MemoryFailure as failure:
            if failure.code == "is-a-directory":  # which only a reader is told
                raise MemoryFailure("path-occupied") from None
            raise

    def _put(self, attempt: _Attempt) -> Change | None:
        """Store the new body, or return None if somebody else was faster."""
        change = attempt.change
        made: list[str] = []
        if change.old is None:
            made = files.make_directories(self._root, os.path.dirname(change.name))
        target = f"{self._root}/{change.name}"
        staged = ""
        try:
            staged, status = self._store.stage_with_status(change.new or b"")
            done = self._swap(attempt, lambda: os.replace(staged, target))
        except BaseException:
            _unwind(staged, made)
            raise
        if done is None:
            _unwind(staged, made)
        elif change.old is None:
            self._names.added(change.name)
        return None if done is None else replace(done, mtime_ns=files.modified_ns(status))

    def _remove(self, attempt: _Attempt) -> Change | None:
        name = attempt.change.name
        done = self._swap(attempt, lambda: os.unlink(f"{self._root}/{name}"))
        if done is not None:
            files.remove_empty_above(self._root, name)
        return done

    def _swap(self, attempt: _Attempt, act: Callable[[], None]) -> Change | None:
        change = attempt.change
        history = History(self._store, change.path)
        row = self._stage_version(history, attempt)
        try:
            if not comparing.same(self._read(change.name), change.old):
                _discard(history, row)
                return None
            act()
        except BaseException:
            _discard(history, row)
            raise
        files.sync_directory(os.path.dirname(f"{self._root}/{change.name}"))
        if row is None:
            return change
        with suppress(OSError):  # the hashes tell the next call that it counts
            history.publish(row)
        return replace(change, kept=row)

    def _stage_version(self, history: History, attempt: _Attempt) -> Row | None:
        change = attempt.change
        if not change.old or not attempt.keep:
            return None
        return history.stage(
            Replaced(
                body=change.old,
                unix_ms=attempt.author.unix_ms,
                changed_by=attempt.author.changed_by,
            )
        )


def _discard(history: History, row: Row | None) -> None:
    if row is not None:
        with suppress(OSError):  # the hashes tell the next call that it is void
            history.discard(row)


def _unwind(staged: str, made: list[str]) -> None:
    if staged:
        with suppress(OSError):
            os.unlink(staged)
    files.remove_empty(made)
