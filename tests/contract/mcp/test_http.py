"""``ironclaw-memory mcp --http`` as a process, with the SDK's own client."""

import asyncio
import re
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
from tests.contract.mcp.processes import command, content, environment, started


pytestmark = pytest.mark.sandbox

FACT = {"target": "memory", "content": "Likes tea (said 2026-03-04)."}
WAIT_S = 120
TOKEN = "a-token-that-this-test-made-up"  # noqa: S105 - see what it says


@dataclass(frozen=True)
class Served:
    """A running server: where it is, and the process."""

    url: str
    process: "subprocess.Popen[bytes]"

    @asynccontextmanager
    async def client(self, mode: str, **more: Any) -> AsyncIterator[Client]:
        """Connect with the token."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(headers=headers, timeout=WAIT_S) as web:
            transport = streamable_http_client(self.url, http_client=web)
            async with Client(transport, mode=mode, **more) as client:
                yield client


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Start a server on a free port and wait until it says where it listens."""
    words = ("--root", str(tmp_path), "mcp", "--http", "--port", "0")
    with started(*words, IRONCLAW_MEMORY_MCP_TOKEN=TOKEN) as process:
        assert process.stderr
        for line in process.stderr:
            found = re.search(rb"http://127\.0\.0\.1:\d+/mcp", line)
            if found:
                break
        else:
            pytest.fail("the server ended before it listened")
        yield Served(found.group().decode(), process)


async def allow(context: Any, params: Any) -> types.ElicitResult:
    """Say yes as far as is offered: for the session, or once."""
    offered = params.requested_schema["properties"]["allow"]["enum"]
    said = "session" if "session" in offered else "once"
    return types.ElicitResult(action="accept", content={"allow": said})


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_memory_is_written_and_found_over_http(served: Served, era: str) -> None:
    """With a person's consent, in either era of the protocol."""
    async with served.client(era, elicitation_callback=allow) as client:
        written = await client.call_tool("memory_write", FACT)
        assert not written.is_error, content(written)
        found = await client.call_tool("memory_search", {"query": "tea"})
    assert (found.structured_content or {})["result_count"] == 1


async def test_a_session_s_permission_is_that_session_s(served: Served) -> None:
    """Another client of the same server asks for itself."""
    async with served.client("legacy", elicitation_callback=allow) as one:
        assert not (await one.call_tool("memory_write", FACT)).is_error
        async with served.client("legacy") as other:
            assert (await other.call_tool("memory_write", FACT)).is_error


async def test_where_there_are_no_sessions_none_is_offered(served: Served) -> None:
    """Since 2026-07-28 every request stands alone, so "this session" means nothing."""
    asked: list[Any] = []

    async def hear(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params.requested_schema["properties"]["allow"]["enum"])
        return await allow(context, params)

    async with served.client("auto", elicitation_callback=hear) as client:
        for _ in range(2):
            assert not (await client.call_tool("memory_write", FACT)).is_error
    assert asked == [["once", "always"]] * 2


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"}, 421),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "http://evil.example"}, 403),
    ],
)
async def test_strangers_are_refused(served: Served, headers: Any, status: int) -> None:
    """Without the token, by another name, or from another site's page; on every path and method."""
    async with httpx2.AsyncClient(headers=headers) as web:
        for method in ("POST", "GET", "DELETE", "OPTIONS"):
            for url in (served.url, served.url.removesuffix("mcp")):
                answer = await web.request(method, url)
                assert answer.status_code == status
                assert TOKEN not in answer.text


async def test_many_clients_at_once_are_served(served: Served) -> None:
    """Each gets its own answers."""

    async def look(word: str) -> str:
        async with served.client("auto") as client:
            found = await client.call_tool("memory_search", {"query": word})
            return str((found.structured_content or {})["query"])

    words = [f"word{number}" for number in range(8)]
    assert await asyncio.gather(*(look(word) for word in words)) == words


async def test_termination_ends_it_in_order_with_clients_connected(served: Served) -> None:
    """An open stream does not keep it alive."""
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as web:
        await web.post(served.url, json={})
        served.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(served.process.wait, WAIT_S) == 0


@pytest.mark.parametrize(
    "words",
    [
        ("--host", "0.0.0.0"),  # noqa: S104 - what is refused
        ("--host", "192.168.1.2"),
        ("--token-file", "no-such-file"),
    ],
)
def test_what_would_open_memory_to_others_is_refused(tmp_path: Path, words: Any) -> None:
    """As bad input, before anything listens."""
    done = subprocess.run(
        command("--root", str(tmp_path), "mcp", "--http", *words),
        capture_output=True,
        check=False,
        env=environment(),
        cwd=tmp_path,
    )
    assert done.returncode == 2
    assert done.stdout == b""


def test_a_taken_port_is_said(served: Served, tmp_path: Path) -> None:
    """With what would help."""
    port = served.url.rpartition(":")[2].removesuffix("/mcp")
    done = subprocess.run(
        command("--root", str(tmp_path), "mcp", "--http", "--port", port),
        capture_output=True,
        check=False,
        env=environment(),
    )
    assert done.returncode == 2
    assert b"Use another port" in done.stderr
