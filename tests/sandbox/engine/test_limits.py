"""Limits: each is named, costs one call, and leaves the host serving."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox.engine.conftest import SHORT, Bench

from ironclaw_memory.errors import (
    LimitExceeded,
    ProviderTrapped,
)
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.limits import MIB, Limits
from ironclaw_memory.sandbox.process import ProcessRunner
from ironclaw_memory.scopes import LocalStore


pytestmark = pytest.mark.sandbox

SMALL = Limits(scope_bytes=20 * MIB, file_bytes=10 * MIB, scope_files=300, worker_files=64)


@pytest.fixture
def small(probe: Artifact, cache: Cache, tmp_path: Path) -> Iterator[Bench]:
    """Ask the probe in workers with little room on disk."""
    runner = ProcessRunner(LocalStore(tmp_path / "root"), cache, SMALL)
    yield Bench(runner, probe, tmp_path / "root")
    runner.close()


@pytest.mark.parametrize(
    ("verb", "words", "limit"),
    [
        ("loop", {}, "deadline_ms"),
        ("deep", {"levels": 5_000}, "stack_bytes"),
        ("log", {"size": 200_000}, "stderr_bytes"),
    ],
)
def test_a_crossed_limit_is_named_and_the_next_call_works(
    bench: Bench, verb: str, words: dict[str, Any], limit: str
) -> None:
    """The instance is gone, with whatever it remembered."""
    bench.ask("remember", word="before")
    with pytest.raises(LimitExceeded) as caught:
        bench.ask(verb, change=SHORT, **words)

    assert caught.value.limit == limit
    assert bench.ask("remember", word="after") == ["after"]


@pytest.mark.parametrize(("verb", "words"), [("crash", {}), ("leave", {"status": 3})])
def test_a_trap_costs_one_call(bench: Bench, verb: str, words: dict[str, Any]) -> None:
    """The error is ours, without a word of the guest's traceback or the engine's."""
    with pytest.raises(ProviderTrapped) as caught:
        bench.ask(verb, **words)

    assert "ZeroDivisionError" not in f"{caught.value.message}{caught.value.hint}"
    assert "wasm" not in caught.value.message
    assert bench.ask("echo", text="next") == "next"


def test_a_call_without_time_is_refused_and_harms_nothing(bench: Bench) -> None:
    """Time that is used up before the guest is reached does not leave half an instance."""
    with pytest.raises(LimitExceeded) as caught:
        bench.ask("echo", change={"deadline_ms": 0}, text="x")

    assert caught.value.limit == "deadline_ms"
    assert bench.ask("echo", text="next") == "next"


def test_memory_is_bounded(bench: Bench) -> None:
    """A guest that asks for too much is told no, and may go on."""
    assert bench.ask("grow", mebibytes=50) == 50 * MIB
    assert bench.ask("grow", mebibytes=400) == "MemoryError: None"


def test_a_large_answer_is_not_taken(threads: Bench) -> None:
    """Bytes and parts of an answer are counted before they are read."""
    with pytest.raises(LimitExceeded) as caught:
        threads.ask("echo", text="x" * 2 * MIB)
    assert caught.value.limit == "reply_bytes"

    assert len(threads.plain("tools", "read", request={"path": "x" * MIB})["content"]) == 2 * MIB
    with pytest.raises(LimitExceeded) as caught:
        threads.plain("tools", "search", request={"query": "", "limit": 70_000})
    assert caught.value.limit == "reply_items"


def test_a_log_within_the_limit_is_counted_per_call(bench: Bench) -> None:
    """An honest provider may log a little in every call for ever."""
    sizes = [bench.reply("log", size=40_000).log_bytes for _ in range(5)]

    assert sizes == [40_000] * 5


def test_a_database_is_not_locked_for_ever(bench: Bench) -> None:
    """A guest that is stopped while it holds a lock does not lock out those after it."""
    with pytest.raises(LimitExceeded):
        bench.ask("seize", change=SHORT)

    assert bench.ask("tables", count=5) == 5


def test_descriptors_are_the_workers_own(small: Bench) -> None:
    """A guest that hoards files meets the worker's limit, and the next call starts afresh."""
    assert small.ask("hoard", count=10_000) == -1
    assert small.ask("remember", word="next") == ["next"]


def test_a_flood_in_one_file_stops_at_its_size(small: Bench) -> None:
    """The system cuts a single file off; the guest is told."""
    assert small.ask("flood", mebibytes=50).startswith("OSError")
    assert (small.home / "flood").stat().st_size <= SMALL.file_bytes


def test_a_hole_is_as_large_as_it_looks(small: Bench) -> None:
    """A sparse file meets the same limit."""
    assert small.ask("hole", size=1 << 40).startswith("OSError")


def test_many_files_are_noticed(small: Bench) -> None:
    """Files are counted during the call, and the call fails."""
    with pytest.raises(LimitExceeded) as caught:
        small.ask("sprinkle", count=100_000)
    assert caught.value.limit == "scope_files"
    assert len(list(small.home.iterdir())) < 100_000

    assert small.ask("echo", text="next") == "next"


def test_a_quick_flood_is_noticed_before_it_is_acknowledged(small: Bench) -> None:
    """A call that ends before the first look is looked at all the same."""
    with pytest.raises(LimitExceeded) as caught:
        small.ask("sprinkle", count=SMALL.scope_files + 1)
    assert caught.value.limit == "scope_files"
