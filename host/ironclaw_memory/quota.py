"""Whether a scope has room for what is about to be written (design.md section 5).

The host counts before a write runs, so that with any provider the documents are as before or
fully written. Reading, restoring and erasing ask for no room, nor does a write that makes a
document smaller. ``.store`` is not counted here: what the bundled provider keeps in it is bounded
for each document, and an unbundled one is watched.

A walk over 10,000 files costs 45 ms (design.md section 6), so a count is kept for a while and
grown by what this process writes. Where that guess says full, a walk decides.
"""

import threading
import time
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ironclaw_memory.errors import LimitExceeded
from ironclaw_memory.model import Access, Scope
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.scopes import MountKind, Store, scan


KEPT_SECONDS: Final = 30.0  # other processes may add that long unseen: an overshoot, not a loss
KEPT_SCOPES: Final = 1_024

_Axes = tuple[str, str, str | None, str | None]


class Addition(NamedTuple):
    """What a write may add: at most *size* bytes at *path*, ``None`` where the host cannot know it.

    With *replaces* the document will be *size* bytes long instead of longer by that.
    """

    size: int
    path: str | None = None
    replaces: bool = False


class _Count(NamedTuple):
    documents: int
    bytes: int
    counted: float

    def plus(self, documents: int, size: int) -> "_Count":
        return _Count(
            documents=self.documents + documents, bytes=self.bytes + size, counted=self.counted
        )


@dataclass(eq=False, kw_only=True)
class _Room:
    """One scope: what it is taken to hold, and the writes that were let in and still run.

    ``lock`` guards both; ``users`` is guarded by the lock of all rooms.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    count: _Count | None = None
    running: list[Addition] = field(default_factory=list)
    users: int = 0


class Quota:
    """Counts the documents of scopes. Safe under many threads; a walk holds up its own scope alone."""

    def __init__(
        self, store: Store, limits: Limits, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Know no scope; *clock* is in seconds and never goes back."""
        self._store = store
        self._limits = limits
        self._clock = clock
        self._rooms: OrderedDict[_Axes, _Room] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def reserved(self, scope: Scope, addition: Addition) -> Iterator[None]:
        """Hold room for a write for as long as it runs, which is in the block.

        Until then no walk finds what it adds, and it counts all the same. Raises
        `LimitExceeded` naming ``scope_files`` or ``scope_bytes`` if it does not fit.
        """
        with self._room(scope) as room:
            with room.lock:
                room.count = self._let_in(scope, room, addition)
                room.running.append(addition)
            try:
                yield
            finally:
                with room.lock:
                    room.running.remove(addition)

    @contextmanager
    def _room(self, scope: Scope) -> Iterator[_Room]:
        """Yield the room of *scope*; it is the same for everybody while anybody uses it."""
        with self._lock:
            room = self._rooms.setdefault(scope.axes(), _Room())
            self._rooms.move_to_end(scope.axes())
            room.users += 1
        try:
            yield room
        finally:
            with self._lock:
                room.users -= 1
                self._drop_idle()

    def _drop_idle(self) -> None:
        """Forget the rooms beyond those that are kept, longest unused first."""
        while len(self._rooms) > KEPT_SCOPES:
            idle = next((axes for axes, room in self._rooms.items() if not room.users), None)
            if idle is None:
                return
            del self._rooms[idle]

    def _let_in(self, scope: Scope, room: _Room, addition: Addition) -> _Count:
        """Return the count with *addition*; raises `LimitExceeded`."""
        guess = room.count and room.count.plus(1, addition.size)
        if guess is None or self._is_old(guess) or self._may_be_full(guess):
            return self._counted(scope, room, addition)
        return guess

    def _is_old(self, count: _Count) -> bool:
        return self._clock() - count.counted >= KEPT_SECONDS

    def _counted(self, scope: Scope, room: _Room, addition: Addition) -> _Count:
        """Return what a walk finds, with what runs and the *addition*; raises `LimitExceeded`."""
        counted = self._clock()
        sizes = self._sizes(scope)
        for number, running in enumerate(room.running):
            path = f"\0{number}" if running.path is None else running.path  # names no document
            sizes[path] = max(sizes.get(path, 0), _length(running, sizes.get(path)))
        there = None if addition.path is None else sizes.get(addition.path)
        grows = _length(addition, there) - (there or 0)
        before = _Count(documents=len(sizes), bytes=sum(sizes.values()), counted=counted)
        after = before.plus(int(there is None), grows)
        if there is None and after.documents > self._limits.scope_files:
            raise _full("scope_files")
        if grows > 0 and after.bytes > self._limits.scope_bytes:
            raise _full("scope_bytes")
        return after

    def _sizes(self, scope: Scope) -> dict[str, int]:
        """Return the bytes of each document that is on disk."""
        mount = self._store.mount(scope, kind=MountKind.DOCUMENTS, access=Access.READ)
        found = scan(mount).documents if mount.exists() else {}
        return {unicodedata.normalize("NFC", path): stamp.size for path, stamp in found.items()}

    def _may_be_full(self, count: _Count) -> bool:
        return count.documents > self._limits.scope_files or count.bytes > self._limits.scope_bytes


def _length(addition: Addition, there: int | None) -> int:
    """Return how long the document of *addition* will be, where *there* is its length now."""
    return addition.size if addition.replaces else (there or 0) + addition.size


def _full(limit: str) -> LimitExceeded:
    return LimitExceeded(
        "There is no room for more documents in this memory; nothing was written.",
        limit=limit,
        hint=f"Erase what is not needed any more, or raise the limit {limit}.",
    )
