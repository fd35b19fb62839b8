"""The same session for an event loop that must never wait."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Event, get_ident
from typing import Any

import pytest

import ironclaw_memory
from ironclaw_memory.async_session import AsyncMemorySession
from ironclaw_memory.errors import ProviderUnavailable
from ironclaw_memory.model import Origin, Scope
from ironclaw_memory.recall import Context
from ironclaw_memory.session import MemorySession
from ironclaw_memory.testing import InMemoryHost, ScriptedLanes


ALICE = Scope(tenant="acme", user="alice", thread="t1")
TURN = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


class _SlowHost(InMemoryHost):
    """Does nothing before it is let go, and says when it has begun."""

    def __init__(self, lanes: ScriptedLanes | None = None) -> None:
        super().__init__(lanes=lanes)
        self.begun, self.release = Event(), Event()
        self.threads: set[int] = set()

    def _wait(self) -> None:
        self.threads.add(get_ident())
        self.begun.set()
        self.release.wait(60)

    def load_context(self, scope: Scope, query: str, max_snippets: int) -> Context:
        self._wait()
        return super().load_context(scope, query, max_snippets)

    def call(
        self, tool_id: str, arguments: Mapping[str, Any], *, scope: Scope, origin: Origin
    ) -> object:
        self._wait()
        return super().call(tool_id, arguments, scope=scope, origin=origin)


async def _begun(host: _SlowHost) -> None:
    assert await asyncio.to_thread(host.begun.wait, 60)


async def test_a_whole_turn_works_with_await() -> None:
    """Same names, same results."""
    host = InMemoryHost(guidance="# Memory")
    async with AsyncMemorySession(host, ALICE) as session:
        context = await session.before_turn("Hi")
        tools = await session.tools()
        result = await session.call(tools[1].name, {"target": "memory", "content": "likes tea"})
        report = await session.after_turn(TURN)

    assert context.text == "# Memory"
    assert not result.is_error
    assert report.recorded
    assert host.provider.of(ALICE)["MEMORY.md"] == "likes tea\n"


async def test_the_loop_runs_while_memory_is_read() -> None:
    """The loop itself lets the reading go; were it blocked, this would never end."""
    host = _SlowHost()
    async with AsyncMemorySession(host, ALICE) as session:
        turn = asyncio.ensure_future(session.before_turn("Hi"))
        await _begun(host)
        host.release.set()
        await turn

    assert get_ident() not in host.threads


async def test_a_cancelled_write_is_whole_when_the_session_is_left() -> None:
    """Cancelling gives the caller back; the write goes on to its end."""
    host = _SlowHost()
    async with AsyncMemorySession(host, ALICE) as session:
        write = asyncio.ensure_future(
            session.call("ironclaw.memory.write", {"target": "memory", "content": "likes tea"})
        )
        await _begun(host)
        write.cancel()
        with pytest.raises(asyncio.CancelledError):
            await write
        host.release.set()

    assert host.provider.of(ALICE)["MEMORY.md"] == "likes tea\n"


async def test_a_cancelled_recall_gives_its_note_the_next_time() -> None:
    """The note counts as given only when the context arrived (statement 184)."""
    host = _SlowHost(ScriptedLanes(long_term=ProviderUnavailable("down")))
    async with AsyncMemorySession(host, ALICE) as session:
        turn = asyncio.ensure_future(session.before_turn("Hi"))
        await _begun(host)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        host.release.set()

        assert (await session.before_turn("Hi")).note
        assert (await session.before_turn("Hi")).note == ""


class _AsyncHost:
    """A host for event loops, as `AsyncMemoryHost` is one."""

    def __init__(self, sync: InMemoryHost) -> None:
        self.sync = sync
        self.threads = ThreadPoolExecutor(1)


async def test_an_asynchronous_host_is_taken_too() -> None:
    """Whichever host an application has open, the session works on it."""
    host = InMemoryHost(guidance="# Memory")

    async with AsyncMemorySession(_AsyncHost(host), ALICE) as session:
        assert (await session.before_turn("Hi")).guidance == "# Memory"


class _RaisingHost(InMemoryHost):
    """Has a bug."""

    def tools(self) -> Any:
        raise ZeroDivisionError


async def test_an_error_reaches_the_caller() -> None:
    """Threads hide nothing."""
    async with AsyncMemorySession(_RaisingHost(), ALICE) as session:
        with pytest.raises(ZeroDivisionError):
            await session.tools()


def test_both_sessions_have_the_same_public_names() -> None:
    """What one learns about the one holds for the other."""
    public = {name for name in vars(AsyncMemorySession) if not name.startswith("_")}

    assert public == {name for name in vars(MemorySession) if not name.startswith("_")} - {
        "prepare_turn",
        "note_was_given",
    }


def test_the_package_exports_both() -> None:
    """Each is found under the package's own name."""
    assert ironclaw_memory.MemorySession is MemorySession
    assert ironclaw_memory.AsyncMemorySession is AsyncMemorySession
