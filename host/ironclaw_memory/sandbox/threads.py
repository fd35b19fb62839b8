"""Threads for guest calls, since a guest must never run on the main thread.

Python delivers signals there, and a KeyboardInterrupt inside a host import is a
segmentation fault (tech-notes.md section 0.1). The threads are daemons: a process that
is told to end does, its locks go with it, and documents are replaced atomically.
"""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, NamedTuple, TypeVar


T = TypeVar("T")


class GuestThreads:
    """As many threads as there are calls at a time, kept for the next ones."""

    def __init__(self) -> None:
        """Start none."""
        self._idle: list[_Inbox] = []

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
            inbox = _Inbox()
            threading.Thread(target=self._serve, args=(inbox,), name="guest", daemon=True).start()
        inbox.put(job)
        return job.result()

    def close(self) -> None:
        """Let the threads end."""
        while self._idle:
            self._idle.pop().put(None)

    def _serve(self, inbox: "_Inbox") -> None:
        while (job := inbox.get()) is not None:
            job.work()
            del job
            self._idle.append(inbox)


class LastingThread:
    """One thread that does all its work itself and lives until it is closed.

    A child process that asked to die with its parent dies with the *thread* that started
    it, so workers are started from one that stays.
    """

    def __init__(self) -> None:
        """Start nothing yet."""
        self._inbox = _Inbox()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def run(self, work: Callable[[], T]) -> T:
        """Return what *work* returns, or raise what it raises."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="spawner", daemon=True)
                self._thread.start()
        job = _Job(work)
        self._inbox.put(job)
        return job.result()

    def close(self) -> None:
        """Let the thread end."""
        self._inbox.put(None)

    def _serve(self) -> None:
        while (job := self._inbox.get()) is not None:
            job.work()
            del job


class _Job(Generic[T]):
    """A piece of work and the place where its outcome is waited for."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._outcome: SimpleQueue[_Returned[T] | _Raised] = SimpleQueue()

    def work(self) -> None:
        try:
            self._outcome.put(_Returned(self._work()))
        except BaseException as problem:  # noqa: BLE001 - it is raised where it is waited for
            self._outcome.put(_Raised(problem))

    def result(self) -> T:
        outcome = self._outcome.get()
        if isinstance(outcome, _Raised):
            raise outcome.problem
        return outcome.value


class _Returned(NamedTuple, Generic[T]):
    value: T


class _Raised(NamedTuple):
    problem: BaseException


_Inbox = SimpleQueue[_Job[Any] | None]
