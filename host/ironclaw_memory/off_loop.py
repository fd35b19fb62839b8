"""Work on threads for an event loop that must not wait.

A step that is cancelled goes on to its end on its thread, because a write must not stop
half-way; `drain` waits for such steps. So a cancelled step may have happened.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final, ParamSpec, TypeVar


T = TypeVar("T")
P = ParamSpec("P")

MAX_THREADS: Final = 32
"""Calls that run at a time; a guest releases the interpreter lock while it runs."""


class OffLoop:
    """Runs steps on threads of its own. Lifetime: until `drain`."""

    def __init__(self, name: str, *, threads: int = MAX_THREADS) -> None:
        """Start no thread before there is work; *name* is what a debugger shows."""
        self._threads = ThreadPoolExecutor(max_workers=threads, thread_name_prefix=name)
        self._running: set[asyncio.Future[Any]] = set()

    async def run(self, step: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what *step* returns; cancelling the caller does not end the step.

        The step sees the caller's context variables.
        """
        loop, context = asyncio.get_running_loop(), copy_context()
        future = loop.run_in_executor(self._threads, lambda: context.run(step, *args, **kwargs))
        self._running.add(future)
        future.add_done_callback(self._finished)
        return await asyncio.shield(future)

    async def drain(self) -> None:
        """Wait for every step that still runs, cancelled ones too, and end the threads."""
        await asyncio.gather(*self._running, return_exceptions=True)
        self._threads.shutdown(wait=False)

    def _finished(self, future: asyncio.Future[Any]) -> None:
        self._running.discard(future)
        if not future.cancelled():
            future.exception()  # looked at, so that an abandoned step's error warns nobody
