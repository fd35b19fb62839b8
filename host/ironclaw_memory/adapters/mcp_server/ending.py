"""Ending in order when the process is told to."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final


SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def on_signal(stop: Callable[[], None]) -> Iterator[None]:
    """Call *stop* for Ctrl-C and a request to terminate within the block.

    Outside the main thread, where signals do not arrive, the block runs without.
    """
    loop = asyncio.get_running_loop()
    with suppress(ValueError, RuntimeError, NotImplementedError):
        for number in SIGNALS:
            loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
