"""Warm instances, and the clock that ends calls."""

import os
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ironclaw_memory.errors import HostFault
from ironclaw_memory.sandbox.engine import TICK_MS, Engine, ticks
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.sandbox.runner import InstancePool


class Idle:
    """A stand-in for an instance."""

    def __init__(self) -> None:
        self.closed = False

    def close(self) -> None:
        """Be closed."""
        self.closed = True


def _pool(most: int) -> InstancePool:
    return InstancePool(Limits(warm_instances=most))


def test_an_instance_serves_only_what_it_is_bound_to() -> None:
    """Another key finds nothing, and the same key finds it once."""
    pool, mine = _pool(2), Idle()
    pool.give(("a", "read"), mine)  # type: ignore[arg-type]

    assert pool.take(("a", "write")) is None
    assert id(pool.take(("a", "read"))) == id(mine)
    assert pool.take(("a", "read")) is None


def test_the_least_recently_used_is_closed() -> None:
    """Beyond the limit the instance goes that was given back first."""
    pool, instances = _pool(2), [Idle(), Idle(), Idle()]
    for name, instance in zip("abc", instances, strict=True):
        pool.give((name,), instance)  # type: ignore[arg-type]

    assert [instance.closed for instance in instances] == [True, False, False]
    assert pool.take(("a",)) is None


def test_closing_closes_them_all() -> None:
    """Nothing stays warm."""
    pool, instance = _pool(2), Idle()
    pool.give(("a",), instance)  # type: ignore[arg-type]
    pool.close()

    assert instance.closed
    assert pool.take(("a",)) is None


@given(st.floats(min_value=0, max_value=1e6))
def test_a_deadline_never_comes_early(milliseconds: float) -> None:
    """The first tick may come at once, so one more than the time holds is needed."""
    assert (ticks(milliseconds) - 1) * TICK_MS >= milliseconds
    assert ticks(milliseconds) * TICK_MS <= milliseconds + 3 * TICK_MS


def test_the_clock_stands_still_without_calls() -> None:
    """No thread is started before a call, and it ends with the engine."""
    engine, before = Engine(), threading.active_count()
    with engine.ticking():
        assert threading.active_count() == before + 1
    engine.close()

    if engine._ticker is not None:
        engine._ticker.join(timeout=60)
    assert threading.active_count() == before


def test_another_process_may_not_use_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork has none of the threads."""
    engine = Engine()
    engine.check_process()
    monkeypatch.setattr(os, "getpid", lambda: -1)

    with pytest.raises(HostFault) as caught:
        engine.check_process()
    assert caught.value.code == "used-after-fork"


def test_the_clock_catches_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a late tick counts for the time that has passed."""
    engine, counted, now = Engine(), [], iter([0.0, 0.055, 0.055, 0.055])

    class Counting:
        def increment_epoch(self) -> None:
            counted.append(1)

    def sleep(seconds: float) -> None:
        if counted:
            engine._running = 0
            engine.close()

    monkeypatch.setattr(engine, "raw", Counting())
    monkeypatch.setattr(time, "monotonic", lambda: next(now))
    monkeypatch.setattr(time, "sleep", sleep)
    engine._running = 1

    engine._tick()

    assert len(counted) == 5
