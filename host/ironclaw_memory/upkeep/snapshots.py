"""Copies of a whole scope, taken before a provider that nobody vouches for writes to it.

A granted write lets a provider destroy the documents of that one scope; a snapshot
before the first such write of a day brings them back with one command (design.md
section 8). Snapshots lie under ``<root>/host/snapshots/<scope>/``, outside every mount:
a directory with the files and an index of their hashes, published by one rename.

They guard against a provider, not against a power cut: files are not flushed one by
one, and `Snapshots.restore` checks every hash before it touches the scope.
"""

import errno
import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from ironclaw_memory.errors import InvalidArguments, LimitExceeded, RootUnusable
from ironclaw_memory.model import LATEST, Access, Scope
from ironclaw_memory.private import make_private, write_private
from ironclaw_memory.scopes import LockMode, MountKind, Store
from ironclaw_memory.scopes.store import SNAPSHOTS, lock_name
from ironclaw_memory.upkeep.copying import Tally, copy_tree
from ironclaw_memory.upkeep.removing import remove_tree


KEPT: Final = 7  # a week of days with writes
LOCK_WAIT_S: Final = 30.0  # the deadline of upkeep (design.md section 5)
FORMAT: Final = 1

_FILES: Final = "files"
_INDEX: Final = "index.json"
_PREFIX: Final = "snapshot-"
_PARTIAL: Final = ".partial-"
_RESTORING: Final = ".restoring"
_FORGETTING: Final = ".forgetting"
_OUT: Final = "moving-out"  # everything in the scope is old
_IN: Final = "moving-in"  # everything in the scope is new
_OLD: Final = "old"


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """One copy: its id, when it was taken, and what is in it. Bytes and milliseconds."""

    id: str
    taken_ms: int
    files: int
    bytes: int
    skipped: int


class Snapshots:
    """The snapshots of one root. Safe under many processes: every act holds the scope."""

    def __init__(self, store: Store, directory: Path, *, kept: int = KEPT) -> None:
        """Keep *kept* snapshots of each scope of *store* below *directory*."""
        self._store = store
        self._directory = directory / SNAPSHOTS
        self._kept = kept

    def before_write(self, scope: Scope, *, now_ms: int) -> Snapshot | None:
        """Take a snapshot unless one was taken on this day (UTC).

        Returns ``None`` where there was one, or nothing to copy. Raises `ScopeBusy`,
        `LimitExceeded` and `RootUnusable`; the write must not go on then.
        """
        if self._has_today(scope, now_ms):
            return None
        with self._held(scope):
            return None if self._has_today(scope, now_ms) else self._take(scope, now_ms)

    def take(self, scope: Scope, *, now_ms: int) -> Snapshot | None:
        """Take a snapshot now; ``None`` where the scope has no directory yet."""
        with self._held(scope):
            return self._take(scope, now_ms)

    def all(self, scope: Scope) -> tuple[Snapshot, ...]:
        """Return the snapshots of *scope*, newest first; damaged ones are left out."""
        found = (_described(self._home(scope) / name) for name in self._names(scope))
        return tuple(
            sorted((s for s in found if s), key=lambda s: (s.taken_ms, s.id), reverse=True)
        )

    def restore(self, scope: Scope, snapshot_id: str, *, now_ms: int) -> Snapshot | None:
        """Replace the content of *scope* by a snapshot; return one of what was there before.

        *snapshot_id* may be `LATEST`. ``None`` where nothing was there, or more than may be copied.
        Killed at any point, `finish_interrupted` and every other act here finish the work.
        Raises `InvalidArguments` where there is no such snapshot or it is damaged;
        nothing has changed then.
        """
        with self._held(scope):
            if snapshot_id == LATEST:
                snapshot_id = next((snapshot.id for snapshot in self.all(scope)), "")
            staging = self._staged(scope, snapshot_id)
            before = self._kept_aside(scope, now_ms, sparing=snapshot_id)
            (staging / _OUT).touch(mode=0o600)
            self._finish(scope)
            return before

    def finish_interrupted(self, scope: Scope) -> bool:
        """Finish a restore that was killed; false where there was none."""
        if not (self._home(scope) / _RESTORING).is_dir():
            return False
        with self._held(scope):
            return True

    def intend_to_forget(self, scope: Scope) -> bool:
        """Note, on disk, that something in *scope* is about to be erased; `forget` or `spare` follow.

        Returns whether that was noted before: a call that erased it was killed, or failed.
        """
        note = self._home(scope) / _FORGETTING
        if note.exists() or not self._home(scope).is_dir():
            return note.exists()
        with _named_faults():
            write_private(note, b"", durable=True)
        return False

    def spare(self, scope: Scope) -> None:
        """Take the note back: nothing was erased."""
        with _named_faults():
            (self._home(scope) / _FORGETTING).unlink(missing_ok=True)

    def forget(self, scope: Scope) -> int:
        """Remove every snapshot of *scope*, because something in it was erased; return how many.

        What a snapshot that was killed has copied goes too. Killed, it can be repeated.
        """
        with self._held(scope):
            self._clear_partial(scope)
            names = self._names(scope)
            for name in names:
                remove_tree(self._home(scope) / name)
        self.spare(scope)
        return len(names)

    # With the scope held

    def _take(self, scope: Scope, now_ms: int, *, sparing: str = "") -> Snapshot | None:
        mount = self._store.mount(scope, kind=MountKind.DOCUMENTS, access=Access.READ)
        if not mount.exists():
            return None
        day = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y%m%d")
        final = self._home(scope) / f"{_PREFIX}{day}-{secrets.token_hex(4)}"
        with self._fresh_directory(scope) as partial:
            (partial / _FILES).mkdir(mode=0o700)
            with mount.opened() as source, _opened(partial / _FILES) as target:
                tally = copy_tree(source, target)
            write_private(partial / _INDEX, _index(tally, now_ms), durable=True)
            partial.rename(final)
        self._prune(scope, sparing={final.name, sparing})
        return _described(final)

    def _kept_aside(self, scope: Scope, now_ms: int, *, sparing: str) -> Snapshot | None:
        """Take a snapshot of what a restore replaces, unless a provider made it too large to copy.

        Else a provider could prevent the one act that mends what it did.
        """
        try:
            return self._take(scope, now_ms, sparing=sparing)
        except LimitExceeded:
            return None

    def _staged(self, scope: Scope, snapshot_id: str) -> Path:
        """Copy a snapshot to where it can be moved from, and check that it is intact."""
        home = self._home(scope)
        if snapshot_id not in self._names(scope):
            raise _no_such("There is no such snapshot.")
        staging = home / _RESTORING
        for name in (_FILES, _OLD):
            (staging / name).mkdir(mode=0o700, parents=True)
        with (
            _opened(home / snapshot_id / _FILES) as source,
            _opened(staging / _FILES) as target,
        ):
            tally = copy_tree(source, target)
        if _listed(home / snapshot_id) != _as_listed(tally):
            remove_tree(staging)
            raise _no_such("The snapshot is damaged.")
        return staging

    def _finish(self, scope: Scope) -> None:
        """Bring a restore to its end, from wherever it was interrupted."""
        staging = self._home(scope) / _RESTORING
        if not staging.is_dir():
            return
        mount = self._store.mount(scope, kind=MountKind.DOCUMENTS, access=Access.WRITE)
        with mount.opened() as target:
            if os.fstat(target).st_dev != staging.stat().st_dev:
                raise OSError(errno.EXDEV, "")
            if (staging / _OUT).exists():
                with _opened(staging / _OLD) as old:
                    _move_all(target, old)
                (staging / _OUT).rename(staging / _IN)
            if (staging / _IN).exists():
                with _opened(staging / _FILES) as new:
                    _move_all(new, target)
                    os.fsync(target)
        (staging / _IN).unlink(missing_ok=True)  # first: from here on there is nothing to finish
        remove_tree(staging)

    def _prune(self, scope: Scope, *, sparing: set[str]) -> None:
        kept = [snapshot.id for snapshot in self.all(scope)[: self._kept]]
        for name in self._names(scope):
            if name not in kept and name not in sparing:
                remove_tree(self._home(scope) / name)

    @contextmanager
    def _held(self, scope: Scope) -> Iterator[None]:
        deadline = time.monotonic() + LOCK_WAIT_S
        with (
            _named_faults(),
            self._store.lock(
                scope, kind=MountKind.DOCUMENTS, mode=LockMode.EXCLUSIVE, deadline=deadline
            ),
        ):
            self._finish(scope)
            yield

    # Names

    def _home(self, scope: Scope) -> Path:
        return self._directory / lock_name(scope)

    def _names(self, scope: Scope) -> list[str]:
        with _named_faults(), suppress(FileNotFoundError):
            names = (path.name for path in self._home(scope).iterdir())
            return [name for name in names if name.startswith(_PREFIX)]
        return []

    def _has_today(self, scope: Scope, now_ms: int) -> bool:
        day = datetime.fromtimestamp(now_ms / 1000, UTC).strftime("%Y%m%d")
        return any(name.startswith(f"{_PREFIX}{day}-") for name in self._names(scope))

    @contextmanager
    def _fresh_directory(self, scope: Scope) -> Iterator[Path]:
        """Make a new directory for a copy, which the block moves away.

        What earlier copies left behind goes, and a copy that fails leaves nothing: it would be
        there when its documents are erased.
        """
        home = self._home(scope)
        make_private(home)
        self._clear_partial(scope)
        partial = home / f"{_PARTIAL}{secrets.token_hex(8)}"
        partial.mkdir(mode=0o700)
        try:
            yield partial
        except BaseException:
            with suppress(OSError):  # what failed is what matters; the next copy clears it
                remove_tree(partial)
            raise

    def _clear_partial(self, scope: Scope) -> None:
        for left in self._home(scope).glob(f"{_PARTIAL}*"):
            remove_tree(left)


def _move_all(source: int, target: int) -> None:
    for name in os.listdir(source):
        os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)


def _index(tally: Tally, now_ms: int) -> bytes:
    index = {
        "format": FORMAT,
        "taken_ms": now_ms,
        "bytes": tally.bytes,
        "skipped": tally.skipped,
        "files": _as_listed(tally),
    }
    return json.dumps(index, separators=(",", ":")).encode()


def _as_listed(tally: Tally) -> list[list[Any]]:
    return sorted([file.path, file.size, file.sha256] for file in tally.files)


def _listed(snapshot: Path) -> list[list[Any]] | None:
    index = _read(snapshot)
    return sorted(index["files"]) if index else None


def _described(snapshot: Path) -> Snapshot | None:
    index = _read(snapshot)
    if index is None:
        return None
    return Snapshot(
        id=snapshot.name,
        taken_ms=index["taken_ms"],
        files=len(index["files"]),
        bytes=index["bytes"],
        skipped=index["skipped"],
    )


def _read(snapshot: Path) -> dict[str, Any] | None:
    try:
        index: dict[str, Any] = json.loads((snapshot / _INDEX).read_bytes())
        return index if index["format"] == FORMAT else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _named_faults() -> Iterator[None]:
    """Turn what the file system says into an error of ours, which names no path."""
    try:
        yield
    except OSError as problem:
        raise RootUnusable(
            f"A snapshot cannot be made or restored: {os.strerror(problem.errno or 0)}.",
            hint="Check that the disk has room and that the root is writable.",
        ) from None


def _no_such(message: str) -> InvalidArguments:
    return InvalidArguments(
        message, field="snapshot", hint="`ironclaw-memory snapshots` lists those there are."
    )
