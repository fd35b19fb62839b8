"""The host for an event loop: the same names, never in the way, and whole after cancellation."""

import asyncio
import inspect
from contextvars import ContextVar
from pathlib import Path
from threading import Event, get_ident
from typing import Any

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, native_package, wired
from tests.unit.calls.scripted_host import ScriptedHost

from ironclaw_memory.async_host import AsyncMemoryHost
from ironclaw_memory.errors import ApprovalRequired
from ironclaw_memory.host import MemoryHost
from ironclaw_memory.model import Origin, Scope
from ironclaw_memory.off_loop import OffLoop


READ = "ironclaw.memory.read"
WRITE = "ironclaw.memory.write"
SCOPE = Scope(tenant="acme", user="alice")

SYNC_ALONE = {
    "permitted": "a block; `off_loop` runs one on a thread",
    "read_lane": "what recall calls, on its own threads",
    "reads_lanes_at_once": "likewise",
}
ANOTHER_FORM = {
    "open": "a factory that is awaited takes the same choices",
    "audit": "a list, since following a log means waiting",
}
"""What differs from `MemoryHost`, and why."""


def public(kind: type) -> dict[str, Any]:
    """Return the public attributes of a class."""
    return {name: getattr(kind, name) for name in dir(kind) if not name.startswith("_")}


def shape(function: Any) -> list[tuple[str, Any, Any]]:
    """Return what callers of a function see of its parameters."""
    parameters = inspect.signature(function).parameters.values()
    return [(one.name, one.kind, one.default) for one in parameters]


def test_the_names_and_arguments_are_those_of_the_host() -> None:
    """Whoever knows one knows the other."""
    sync, awaited = public(MemoryHost), public(AsyncMemoryHost)
    assert sync.keys() - awaited.keys() == SYNC_ALONE.keys()
    assert awaited.keys() - sync.keys() == {"off_loop", "threads"}
    for name in (sync.keys() & awaited.keys()) - ANOTHER_FORM.keys():
        if callable(sync[name]):
            assert shape(sync[name]) == shape(awaited[name]), name


@pytest.fixture
def guest() -> ScriptedGuest:
    """A guest that answers everything well."""
    return ScriptedGuest()


@pytest.fixture
def host(tmp_path: Path, guest: ScriptedGuest) -> AsyncMemoryHost:
    """An open host; a test closes it by leaving it."""
    return AsyncMemoryHost(ScriptedHost(wired(tmp_path, guest, package=native_package())))


async def call(host: AsyncMemoryHost, tool: str = READ, **arguments: Any) -> Any:
    """Call a tool as a model does."""
    return await host.call(tool, arguments, scope=SCOPE, origin=Origin.LOOP_RUN)


async def test_the_loop_runs_while_a_guest_does(host: AsyncMemoryHost, guest: Any) -> None:
    """The loop itself lets the guest go; were it blocked, this would never end."""
    begun, release, threads = Event(), Event(), set()

    def during(_: Any) -> None:
        threads.add(get_ident())
        begun.set()
        assert release.wait(60)

    guest.during = during
    async with host:
        reading = asyncio.create_task(call(host, path="a.md"))
        assert await asyncio.to_thread(begun.wait, 60)
        release.set()
        assert (await reading)["content"] == "text"
    assert get_ident() not in threads


async def test_calls_run_side_by_side(host: AsyncMemoryHost, guest: Any) -> None:
    """Each waits for the other, so neither would end alone."""
    first, second = Event(), Event()

    def during(asked: Any) -> None:
        mine, other = (first, second) if asked.function == "read" else (second, first)
        mine.set()
        assert other.wait(60)

    guest.during = during
    async with host:
        await asyncio.gather(call(host, path="a.md"), call(host, "ironclaw.memory.tree"))


async def test_a_cancelled_call_ends_on_its_thread_before_the_host_closes(
    host: AsyncMemoryHost, guest: Any
) -> None:
    """The caller is free at once; the store is whole when the host is left."""
    begun, release, ended = Event(), Event(), Event()

    def during(_: Any) -> None:
        begun.set()
        assert release.wait(60)
        ended.set()

    guest.during = during
    async with host:
        reading = asyncio.create_task(call(host, path="a.md"))
        assert await asyncio.to_thread(begun.wait, 60)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert not ended.is_set()
        release.set()
    assert ended.is_set()


async def test_an_error_is_that_of_the_host(host: AsyncMemoryHost) -> None:
    """With the request that waits."""
    async with host:
        with pytest.raises(ApprovalRequired) as asked:
            await call(host, WRITE, target="memory", content="x")
        (waiting,) = await host.pending()
    assert waiting.id == asked.value.request_id


async def test_an_abandoned_call_s_error_warns_nobody(host: AsyncMemoryHost, guest: Any) -> None:
    """It was cancelled; what became of it is in the audit log."""
    begun, release = Event(), Event()

    def during(_: Any) -> None:
        begun.set()
        assert release.wait(60)
        raise RuntimeError

    guest.during = during
    warned: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: warned.append(context))
    async with host:
        reading = asyncio.create_task(call(host, path="a.md"))
        assert await asyncio.to_thread(begun.wait, 60)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        release.set()
    assert warned == []


async def test_any_step_of_the_host_can_be_run_off_the_loop(host: AsyncMemoryHost) -> None:
    """A gated block, for one."""

    def listed() -> list[str]:
        act = {"list": "documents"}
        gate = host.sync.permitted("ironclaw.memory.tree", act, scope=SCOPE, origin=Origin.LOOP_RUN)
        with gate:
            return list(host.sync.documents(SCOPE))

    async with host:
        assert await host.off_loop(listed) == []


WORD: ContextVar[str] = ContextVar("word", default="")


async def test_a_step_sees_the_context_of_its_caller() -> None:
    """And what it sets stays with it."""
    steps = OffLoop("test")

    def step() -> str:
        seen = WORD.get()
        WORD.set("changed")
        return seen

    WORD.set("said")
    assert await steps.run(step) == "said"
    assert WORD.get() == "said"
    await steps.drain()


async def test_a_step_that_was_cancelled_before_it_began_never_runs() -> None:
    """It waited for a thread, so there is nothing to leave half-done."""
    steps, release = OffLoop("test", threads=1), Event()
    ran: list[str] = []
    first = asyncio.create_task(steps.run(release.wait, 60))
    second = asyncio.create_task(steps.run(ran.append, "second"))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    release.set()
    await first
    await steps.drain()
    assert ran == []


async def test_shared_threads_outlive_those_who_share_them() -> None:
    """A session that ends leaves its host's threads alone."""
    host = OffLoop("host")
    session = OffLoop("session", shared=host.threads)
    assert await session.run(lambda: 1) == 1
    await session.drain()
    assert await host.run(lambda: 2) == 2
    await host.drain()
