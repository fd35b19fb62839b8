"""From the host's reports of indexing to progress notifications of the call that waits for it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Final


Report = Callable[[int, int], None]
"""Told what is done and what there is in all, on whatever thread the work is done."""

Send = Callable[[float, float, str], Awaitable[None]]
"""Sends one notification: done, total and a message."""

WORDS: Final = "Bringing the search index in step"

_report: ContextVar[Report | None] = ContextVar("report", default=None)


def step(done: int, total: int) -> None:
    """Pass a report on to the call that it was made for; the host is opened with this."""
    report = _report.get()
    if report is not None and total:
        report(done, total)


@asynccontextmanager
async def reporting(send: Send) -> AsyncIterator[None]:
    """Send what is reported within the block, which belongs to the running event loop.

    A report does not wait for its notification; the end of the block does. One that comes
    after the block, from a call that was cancelled, is dropped.
    """
    loop = asyncio.get_running_loop()
    sending: set[asyncio.Future[None]] = set()
    is_open = True

    def on_loop(done: int, total: int) -> None:
        if is_open:
            sending.add(asyncio.ensure_future(send(done, total, WORDS)))

    def report(done: int, total: int) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(on_loop, done, total)

    token = _report.set(report)
    try:
        yield
        await asyncio.gather(*sending)
    finally:
        is_open = False
        _report.reset(token)
