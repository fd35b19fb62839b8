"""Places for workers, and threads for guests."""

import threading
import time

import pytest

from ironclaw_memory.errors import ProviderUnavailable, ScopeBusy
from ironclaw_memory.sandbox.threads import GuestThreads, LastingThread
from ironclaw_memory.sandbox.workers import Workers


SOON = 0.0  # a deadline that has passed


class Mortal:
    """A stand-in for a worker process."""

    def __init__(self) -> None:
        self.killed = False

    def kill(self) -> None:
        """Die."""
        self.killed = True


def test_a_scope_keeps_its_worker() -> None:
    """The second call finds the worker of the first."""
    workers = Workers(most=2)
    with workers.lent(("a",), SOON) as slot:
        slot.child = mortal = Mortal()  # type: ignore[assignment]

    with workers.lent(("a",), SOON) as slot:
        assert id(slot.child) == id(mortal)


def test_the_least_recently_used_makes_room() -> None:
    """Beyond the limit the worker that was idle longest ends."""
    workers, mortals = Workers(most=2), [Mortal(), Mortal()]
    for name, mortal in zip("ab", mortals, strict=True):
        with workers.lent((name,), SOON) as slot:
            slot.child = mortal  # type: ignore[assignment]
    with workers.lent(("a",), SOON):
        pass

    with workers.lent(("c",), SOON):
        pass

    assert [mortal.killed for mortal in mortals] == [False, True]


def test_one_call_at_a_time_per_scope() -> None:
    """A second call of the same scope waits, and says who it waited for."""
    workers = Workers(most=2)

    with workers.lent(("a",), SOON), pytest.raises(ScopeBusy), workers.lent(("a",), SOON):
        pass


def test_when_all_are_busy_a_new_scope_waits() -> None:
    """No worker that is in use is ended for another scope."""
    workers = Workers(most=1)

    with (
        workers.lent(("a",), SOON),
        pytest.raises(ProviderUnavailable),
        workers.lent(("b",), SOON),
    ):
        pass


def test_a_returned_place_is_noticed() -> None:
    """Whoever waits goes on when a place is given back."""
    workers, taken, let_go = Workers(most=1), threading.Event(), threading.Event()

    def hold() -> None:
        with workers.lent(("a",), SOON):
            taken.set()
            let_go.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    taken.wait()
    let_go.set()
    with workers.lent(("b",), time.monotonic() + 60):
        pass
    holder.join()


def test_closing_ends_every_worker() -> None:
    """Also the one that is in the middle of a call."""
    workers, mortal = Workers(most=1), Mortal()
    with workers.lent(("a",), SOON) as slot:
        slot.child = mortal  # type: ignore[assignment]
        workers.close()

    assert mortal.killed


def test_guests_never_run_on_the_main_thread() -> None:
    """Signals arrive there, and a guest cannot take one (tech-notes.md section 0)."""
    threads = GuestThreads()

    ran_on = [threads.run(threading.current_thread) for _ in range(3)]

    assert threading.main_thread() not in ran_on
    threads.close()


def test_other_threads_work_themselves() -> None:
    """A thread that is not the main one needs no other."""
    threads, seen = GuestThreads(), []

    def work() -> None:
        seen.append(threads.run(threading.current_thread) is threading.current_thread())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]


@pytest.mark.parametrize("threads", [GuestThreads(), LastingThread()])
def test_an_error_is_raised_where_the_work_was_asked_for(
    threads: GuestThreads | LastingThread,
) -> None:
    """The error passes, and the thread is there for the next piece of work."""

    def fail() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        threads.run(fail)
    assert threads.run(lambda: 7) == 7
    threads.close()


def test_a_lasting_thread_does_everything_itself() -> None:
    """What dies with its thread needs one that stays."""
    lasting = LastingThread()

    assert lasting.run(threading.get_ident) == lasting.run(threading.get_ident)
    lasting.close()
