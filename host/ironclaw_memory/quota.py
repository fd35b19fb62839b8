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
from collections.abc import Callable
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


class Quota:
    """Counts the documents of scopes. Safe under many threads."""

    def __init__(
        self, store: Store, limits: Limits, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Know no scope; *clock* is in seconds and never goes back."""
        self._store = store
        self._limits = limits
        self._clock = clock
        self._counts: OrderedDict[_Axes, _Count] = OrderedDict()
        self._lock = threading.Lock()

    def reserve(self, scope: Scope, addition: Addition) -> None:
        """Take note of a write that is about to run.

        Raises `LimitExceeded` naming ``scope_files`` or ``scope_bytes`` if it does not fit.
        """
        with self._lock:
            count = self._counts.get(scope.axes())
            guess = count and count.plus(1, addition.size)
            if guess is None or self._is_old(guess) or self._may_be_full(guess):
                guess = self._counted(scope, addition)
            self._counts[scope.axes()] = guess
            self._counts.move_to_end(scope.axes())
            while len(self._counts) > KEPT_SCOPES:
                self._counts.popitem(last=False)

    def _is_old(self, count: _Count) -> bool:
        return self._clock() - count.counted >= KEPT_SECONDS

    def _counted(self, scope: Scope, addition: Addition) -> _Count:
        """Return what a walk finds with the *addition*; raises `LimitExceeded`."""
        counted = self._clock()
        mount = self._store.mount(scope, kind=MountKind.DOCUMENTS, access=Access.READ)
        found = scan(mount).documents if mount.exists() else {}
        sizes = {unicodedata.normalize("NFC", path): stamp.size for path, stamp in found.items()}
        there = None if addition.path is None else sizes.get(addition.path)
        grows = addition.size - (there or 0 if addition.replaces else 0)
        before = _Count(documents=len(sizes), bytes=sum(sizes.values()), counted=counted)
        after = before.plus(int(there is None), grows)
        if there is None and after.documents > self._limits.scope_files:
            raise _full("scope_files")
        if grows > 0 and after.bytes > self._limits.scope_bytes:
            raise _full("scope_bytes")
        return after

    def _may_be_full(self, count: _Count) -> bool:
        return count.documents > self._limits.scope_files or count.bytes > self._limits.scope_bytes


def _full(limit: str) -> LimitExceeded:
    return LimitExceeded(
        "There is no room for more documents in this memory; nothing was written.",
        limit=limit,
        hint=f"Erase what is not needed any more, or raise the limit {limit}.",
    )
