"""The worker processes of a host: one per provider and scope, a few at a time."""

import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

from ironclaw_memory.errors import ProviderUnavailable, ScopeBusy
from ironclaw_memory.sandbox.spawn import Child


Key = tuple[object, ...]


class Slot:
    """A place for one worker; ``child`` is ``None`` until somebody starts it."""

    def __init__(self) -> None:
        """Hold no worker yet."""
        self.child: Child | None = None
        self.busy = False

    def clear(self) -> None:
        """End the worker, if there is one."""
        child, self.child = self.child, None
        if child is not None:
            child.kill()


class Workers:
    """Slots by what their workers serve; the least recently used idle one makes room."""

    def __init__(self, most: int) -> None:
        """Hold at most *most*."""
        self._most = most
        self._slots: OrderedDict[Key, Slot] = OrderedDict()
        self._changed = Condition()

    @contextmanager
    def lent(self, key: Key, deadline: float) -> Iterator[Slot]:
        """Lend the slot of *key* to this thread alone.

        Waits until *deadline*, then raises `ScopeBusy` if the slot is in use, or
        `ProviderUnavailable` if every slot is.
        """
        slot = self._take(key, deadline)
        try:
            yield slot
        finally:
            with self._changed:
                slot.busy = False
                self._changed.notify_all()

    def close(self) -> None:
        """End every worker, also those that are in the middle of a call."""
        with self._changed:
            slots = list(self._slots.values())
            self._slots.clear()
        for slot in slots:
            slot.clear()

    def _take(self, key: Key, deadline: float) -> Slot:
        evicted: Slot | None = None
        with self._changed:
            ready = self._changed.wait_for(
                lambda: self._is_free(key), timeout=max(0.0, deadline - time.monotonic())
            )
            if not ready:
                raise _busy() if key in self._slots else _full()
            if key not in self._slots:
                evicted = self._make_room()
                self._slots[key] = Slot()
            self._slots.move_to_end(key)
            slot = self._slots[key]
            slot.busy = True
        if evicted is not None:
            evicted.clear()
        return slot

    def _is_free(self, key: Key) -> bool:
        if key in self._slots:
            return not self._slots[key].busy
        return len(self._slots) < self._most or not all(s.busy for s in self._slots.values())

    def _make_room(self) -> Slot | None:
        if len(self._slots) < self._most:
            return None
        oldest = next(key for key, slot in self._slots.items() if not slot.busy)
        return self._slots.pop(oldest)


def _busy() -> ScopeBusy:
    return ScopeBusy(
        "Another call of this process uses the scope and did not end in time.",
        holder="this process",
        hint="Wait for it to finish.",
    )


def _full() -> ProviderUnavailable:
    return ProviderUnavailable(
        "All worker processes are in use.", hint="Repeat the call a little later."
    )
