"""Threads for guest calls, since a guest must never run on the main thread.

Python delivers signals there, and a KeyboardInterrupt inside a host import is a
segmentation fault (tech-notes.md section 0.1). The threads are daemons: a process that
is told to end does, its locks go with it, and documents are replaced atomically.
"""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Generic, TypeVar


T = TypeVar("T")


class GuestThreads:
    """As many threads as there are calls at a time, kept for the next ones."""

    def __init__(self) -> None:
        """Start none."""
        self._idle: list[SimpleQueue[_Job[object] | None]] = []

    def run(self, work: Callable[[], T]) -> T:
        """Return what *work* returns, or raise what it raises, off the main thread.

        Any other thread does the work itself. If the waiting is interrupted, the work
        goes on to its end.
        """
        if threading.current_thread() is not threading.main_thread():
            return work()
        job = _Job(work)
        try:
            inbox = self._idle.pop()
        except IndexError:
            inbox = SimpleQueue()
            threading.Thread(target=self._serve, args=(inbox,), name="guest", daemon=True).start()
        inbox.put(job)
        return job.result()

    def close(self) -> None:
        """Let the threads end."""
        while self._idle:
            self._idle.pop().put(None)

    def _serve(self, inbox: "SimpleQueue[_Job[object] | None]") -> None:
        while (job := inbox.get()) is not None:
            job.work()
            del job
            self._idle.append(inbox)


class _Job(Generic[T]):
    """A piece of work and the place where its outcome is waited for."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._outcome: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

    def work(self) -> None:
        try:
            self._outcome.put((self._work(), None))
        except BaseException as problem:  # noqa: BLE001 - it is raised where it is waited for
            self._outcome.put((None, problem))

    def result(self) -> T:
        value, problem = self._outcome.get()
        if problem is not None:
            raise problem
        return value  # type: ignore[return-value] - it is T when there is no problem
