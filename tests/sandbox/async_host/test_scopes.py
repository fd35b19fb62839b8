"""Many scopes at once on one event loop, and cancellation in the middle, on the real provider."""

import asyncio
from pathlib import Path

import pytest

from ironclaw_memory import AsyncMemoryHost, AsyncMemorySession, Origin, Scope


pytestmark = pytest.mark.sandbox

WRITE = "ironclaw.memory.write"
SCOPES = [Scope(tenant="acme", user=f"user{number}", thread="t") for number in range(12)]
TURN = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


async def write(host: AsyncMemoryHost, scope: Scope, line: str) -> None:
    """Append a line as a model that may."""
    arguments = {"target": "memory", "content": line}
    await host.call(WRITE, arguments, scope=scope, origin=Origin.LOOP_RUN)


async def test_many_scopes_are_served_at_once_and_kept_apart(tmp_path: Path) -> None:
    """Each finds its own lines, in the order in which it wrote them."""

    async def fill(host: AsyncMemoryHost, scope: Scope) -> str:
        await host.grant(WRITE, scope=scope)
        for number in range(3):
            await write(host, scope, f"{scope.user} line {number}")
        return await host.current(scope, "MEMORY.md")

    async with await AsyncMemoryHost.open(root=tmp_path) as host:
        found = await asyncio.gather(*(fill(host, scope) for scope in SCOPES))
    assert found == ["".join(f"{s.user} line {n}\n" for n in range(3)) for s in SCOPES]


async def test_cancelled_writes_leave_whole_lines_and_a_sound_store(tmp_path: Path) -> None:
    """Each write happened or did not; the history and the index agree with the document."""
    scope = SCOPES[0]
    async with await AsyncMemoryHost.open(root=tmp_path) as host:
        await host.grant(WRITE, scope=scope)
        writes = [asyncio.create_task(write(host, scope, f"line {n:02}")) for n in range(20)]
        await writes[0]
        for task in writes[1::2]:
            task.cancel()
        await asyncio.gather(*writes, return_exceptions=True)
    async with await AsyncMemoryHost.open(root=tmp_path) as host:
        lines = (await host.current(scope, "MEMORY.md")).splitlines()
        assert len(set(lines)) == len(lines)
        assert set(lines) >= {f"line {n:02}" for n in range(0, 20, 2)}
        assert set(lines) <= {f"line {n:02}" for n in range(20)}
        assert (await host.check(scope))["findings"] == []


async def test_sessions_of_many_scopes_take_their_turns_at_once(tmp_path: Path) -> None:
    """Recall, recording and counting, on one loop."""

    async def turn(host: AsyncMemoryHost, scope: Scope) -> bool:
        async with AsyncMemorySession(host, scope) as session:
            await session.before_turn(f"Hello from {scope.user}")
            return (await session.after_turn(TURN)).recorded

    async with await AsyncMemoryHost.open(root=tmp_path) as host:
        assert all(await asyncio.gather(*(turn(host, scope) for scope in SCOPES)))
