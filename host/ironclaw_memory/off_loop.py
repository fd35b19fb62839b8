"""Work on threads for an event loop that must not wait.

A step that is cancelled goes on to its end on its thread, because a write must not stop
half-way; `drain` waits for such steps. So a cancelled step may have happened, unless it
had not begun: then it never does.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final, ParamSpec, TypeVar

from ironclaw_memory.errors import HostClosed


T = TypeVar("T")
P = ParamSpec("P")

MAX_THREADS: Final = max(4, 2 * (os.cpu_count() or 1))
"""Steps that run at a time. A guest releases the interpreter lock, and what is around it
does not: every further thread may keep the loop waiting for 5 ms. Measured on two cores
(tests/bench/async_loop.py): the largest wait with 4 threads is that of an idle loop, with
32 it is 56 ms, and no more calls are done."""


class OffLoop:
    """Runs steps on threads. Lifetime: until `drain`."""

    def __init__(
        self, name: str, *, threads: int = MAX_THREADS, shared: ThreadPoolExecutor | None = None
    ) -> None:
        """Use the *shared* threads, or own ones that a debugger shows as *name*.

        No thread is started before there is work.
        """
        self._owns = shared is None
        self.threads = shared or ThreadPoolExecutor(threads, thread_name_prefix=name)
        self.closed = False
        self._running: set[asyncio.Future[Any]] = set()

    async def run(self, step: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what *step* returns; cancelling the caller does not end the step.

        The step sees the caller's context variables. Raises `HostClosed` after `drain`.
        """
        if self.closed:
            raise HostClosed
        context = copy_context()
        work = self.threads.submit(lambda: context.run(step, *args, **kwargs))
        future = asyncio.wrap_future(work)
        self._running.add(future)
        future.add_done_callback(self._finished)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            work.cancel()  # without effect on one that runs
            raise

    async def drain(self) -> None:
        """Wait for every step that still runs, cancelled ones too, and end own threads."""
        await asyncio.gather(*self._running, return_exceptions=True)
        if self._owns:
            self.closed = True
            self.threads.shutdown(wait=False)

    def _finished(self, future: asyncio.Future[Any]) -> None:
        self._running.discard(future)
        if not future.cancelled():
            future.exception()  # looked at, so that an abandoned step's error warns nobody
