"""Calls that take their time: progress, cancellation, and others meanwhile."""

import asyncio
from threading import Event
from typing import Any

import pytest
from mcp import MCPError
from tests.unit.mcp.bench import FACT, Bench

from ironclaw_memory.adapters.mcp_server.progress import reporting, step


async def test_indexing_is_reported_to_the_call_that_waits_for_it(bench: Bench, era: str) -> None:
    """Growing, with a total, and before the answer."""
    (bench.files() / "MEMORY.md").write_text("Likes tea.\n", encoding="utf-8")
    steps: Any = [{"indexed": 10, "removed": 0, "remaining": left} for left in (20, 10, 0)]
    bench.guest.answers["refresh"] = steps
    heard: list[tuple[float, float | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total))

    async with bench.client(era) as client:
        await client.call_tool("memory_search", {"query": "tea"}, progress_callback=hear)
    assert heard == [(10, 30), (20, 30), (30, 30)]


async def test_a_client_that_wants_no_progress_gets_none(bench: Bench, era: str) -> None:
    """The answer is all that it hears."""
    (bench.files() / "MEMORY.md").write_text("Likes tea.\n", encoding="utf-8")
    bench.guest.answers["refresh"] = {"indexed": 1, "removed": 0, "remaining": 0}
    async with bench.client(era) as client:
        assert not (await client.call_tool("memory_search", {"query": "tea"})).is_error
    assert not [message for message in bench.told if "Progress" in type(message).__name__]


async def test_a_report_after_its_call_is_dropped() -> None:
    """A cancelled call goes on, and nobody waits for its progress."""
    sent: list[float] = []

    async def send(done: float, total: float, words: str) -> None:
        sent.append(done)

    async with reporting(send):
        report = asyncio.create_task(asyncio.to_thread(step, 1, 2))
        await report
        late = asyncio.get_running_loop().create_task(_late())
    await late
    assert sent == [1]


async def _late() -> None:
    """Report from a task that carries the context of a block that has ended."""
    await asyncio.sleep(0)
    await asyncio.to_thread(step, 2, 2)
    await asyncio.sleep(0)


def test_a_report_outside_any_call_goes_nowhere() -> None:
    """The command line opens hosts too."""
    step(1, 2)


@pytest.mark.parametrize("era", ["legacy"], indirect=True)
async def test_a_cancelled_write_ends_in_order_and_the_server_goes_on(
    bench: Bench, era: str
) -> None:
    """The client has its answer at once; the document is whole."""
    began, may_end, ended = Event(), Event(), Event()

    def during(call: Any) -> None:
        if call.function == "write":
            began.set()
            assert may_end.wait(30)
            ended.set()

    bench.guest.during = during
    async with bench.client(era, allow_write=True) as client:
        write = asyncio.create_task(client.call_tool("memory_write", FACT))
        assert await asyncio.to_thread(began.wait, 30)
        write.cancel()
        with pytest.raises(asyncio.CancelledError):
            await write
        assert not (await client.call_tool("memory_read", {"path": "a.md"})).is_error
        may_end.set()
        assert await asyncio.to_thread(ended.wait, 30)


async def test_a_call_that_hangs_holds_up_no_other(bench: Bench, era: str) -> None:
    """Reads are answered while a write is still running."""
    may_end = Event()
    bench.guest.during = lambda call: call.function != "write" or may_end.wait(30)  # type: ignore[assignment]
    async with bench.client(era, allow_write=True) as client:
        write = asyncio.create_task(client.call_tool("memory_write", FACT))
        reads = [client.call_tool("memory_read", {"path": "a.md"}) for _ in range(5)]
        assert not any(result.is_error for result in await asyncio.gather(*reads))
        assert not write.done()
        may_end.set()
        assert not (await write).is_error


async def test_a_client_that_times_out_can_go_on(bench: Bench) -> None:
    """It gave up on one call, not on the server."""
    may_end = Event()
    bench.guest.during = lambda call: call.function != "read" or may_end.wait(30)  # type: ignore[assignment]
    async with bench.client("legacy") as client:
        with pytest.raises((MCPError, TimeoutError)):
            await client.call_tool("memory_read", {"path": "a.md"}, read_timeout_seconds=0.05)
        may_end.set()
        assert not (await client.call_tool("memory_read", {"path": "a.md"})).is_error
