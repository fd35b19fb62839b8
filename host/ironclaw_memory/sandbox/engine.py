"""The engine: compiled-code settings and the clock that ends overlong calls.

Epoch interruption costs 12 to 28 percent of CPU time, fuel 19 to 45 (tech-notes.md
section 5), so time is bounded by epochs: a thread counts ticks while calls run, and a
store traps when its deadline in ticks has come.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import wasmtime

from ironclaw_memory.errors import HostFault
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS, Limits


TICK_MS: Final = 10  # tech-notes.md section 5: costs nothing that can be measured

SETTINGS: Final = {"epoch_interruption": True}
"""The settings that compiled code depends on; they are part of the cache's key."""


class Engine:
    """One engine with its ticker, for all components of a process.

    Lifetime: the process's. The ticker sleeps while no call runs.
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        """Make an engine; the thread starts with the first call."""
        config = wasmtime.Config()
        for name, value in SETTINGS.items():
            setattr(config, name, value)
        config.max_wasm_stack = limits.stack_bytes
        self.raw = wasmtime.Engine(config)
        self._pid = os.getpid()
        self._running = 0
        self._closed = False
        self._changed = threading.Condition()
        self._ticker: threading.Thread | None = None

    def check_process(self) -> None:
        """Refuse to run in a process that was forked off: its threads are not there."""
        if os.getpid() != self._pid:
            raise HostFault(
                "The sandbox was opened before this process was forked.",
                code="used-after-fork",
                hint="Open a MemoryHost of its own in each process.",
            )

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Keep the epoch advancing every `TICK_MS` milliseconds for the time of a call."""
        with self._changed:
            self._running += 1
            if self._ticker is None:
                self._ticker = threading.Thread(target=self._tick, name="epoch", daemon=True)
                self._ticker.start()
            if self._running == 1:
                self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1

    def close(self) -> None:
        """End the ticker; calls that still run are no longer bounded."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _tick(self) -> None:
        while not self._closed:
            with self._changed:
                self._changed.wait_for(lambda: self._running > 0 or self._closed)
            last = time.monotonic()
            while self._running:
                time.sleep(TICK_MS / 1000)
                passed = int((time.monotonic() - last) * 1000 / TICK_MS)
                last += passed * TICK_MS / 1000
                for _ in range(passed):
                    self.raw.increment_epoch()


def ticks(milliseconds: float) -> int:
    """Return the number of ticks after which *milliseconds* have certainly passed."""
    return max(1, int(milliseconds / TICK_MS) + 2)
