"""``ironclaw-memory mcp`` as a process, with the SDK's own client at its pipes."""

import asyncio
import json
import os
import re
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, types
from tests.contract.mcp.processes import (
    MAIN,
    command,
    content,
    environment,
    memory_of,
    server,
    started,
)


pytestmark = pytest.mark.sandbox

ERAS = ("legacy", "auto")
FACT = {"target": "memory", "content": "Likes tea (said 2026-03-04)."}
WAIT_S = 120  # a component is compiled once per machine


async def allow_session(context: Any, params: Any) -> types.ElicitResult:
    """Say yes for this session."""
    return types.ElicitResult(action="accept", content={"allow": "session"})


@pytest.mark.parametrize("era", ERAS)
async def test_what_one_session_saves_the_next_finds(tmp_path: Path, era: str) -> None:
    """Saved with a person's consent, found by another process, read as a resource."""
    async with Client(server(tmp_path), mode=era, elicitation_callback=allow_session) as client:
        saved = await client.call_tool("memory_write", FACT)
        assert not saved.is_error, content(saved)
    async with Client(server(tmp_path), mode=era) as client:
        found = await client.call_tool("memory_search", {"query": "tea"})
        tree = await client.call_tool("memory_tree", {})
        (resource,) = (await client.list_resources()).resources
        (text,) = (await client.read_resource(resource.uri)).contents
    assert (found.structured_content or {})["result_count"] == 1
    assert tree.structured_content == {"entries": ["MEMORY.md"]}
    assert isinstance(text, types.TextResourceContents)
    assert text.text == memory_of(tmp_path).read_text(encoding="utf-8")


async def test_the_command_that_the_error_names_grants_it(tmp_path: Path) -> None:
    """Run as it stands, in another process, while the server runs."""
    async with Client(server(tmp_path)) as client:
        refused = await client.call_tool("memory_write", FACT)
        assert refused.is_error
        (line,) = re.findall("`(ironclaw-memory grant [^`]*)`", content(refused))
        granting = command(*shlex.split(line)[1:])
        await asyncio.to_thread(subprocess.run, granting, check=True, env=environment())
        saved = await client.call_tool("memory_write", FACT)
    assert not saved.is_error, content(saved)


async def test_the_scope_comes_from_the_environment_and_flags(tmp_path: Path) -> None:
    """Two servers with two scopes do not see each other's memory."""
    alice = server(tmp_path, "--allow-write", IRONCLAW_MEMORY_USER="alice")
    bob = server(tmp_path, "--user", "bob", IRONCLAW_MEMORY_USER="alice")
    async with Client(alice) as one, Client(bob) as other:
        assert not (await one.call_tool("memory_write", FACT)).is_error
        mine = await one.call_tool("memory_tree", {})
        theirs = await other.call_tool("memory_tree", {})
    assert mine.structured_content == {"entries": ["MEMORY.md"]}
    assert theirs.structured_content == {"entries": []}


async def test_reading_makes_no_directory(tmp_path: Path) -> None:
    """A client that only looks leaves no memory behind."""
    root = tmp_path / "new"
    async with Client(server(root)) as client:
        assert not (await client.call_tool("memory_tree", {})).is_error
        assert (await client.list_resources()).resources == []
    assert not (root / "memory").exists()


async def test_a_person_s_edit_is_found_and_told(tmp_path: Path) -> None:
    """An editor beside the server is no special case."""
    told: list[Any] = []

    async def hear(message: Any) -> None:
        told.append(type(message))

    parameters = server(tmp_path, "--allow-write")
    async with Client(parameters, mode="legacy", message_handler=hear) as client:
        assert not (await client.call_tool("memory_write", FACT)).is_error
        memory_of(tmp_path).with_name("jam.md").write_text("Likes jam.\n", encoding="utf-8")
        found: Any = {}
        while not found.get("result_count"):  # seen within 2 s in a running host
            result = await client.call_tool("memory_search", {"query": "jam"})
            found = result.structured_content
        while types.ResourceListChangedNotification not in told:
            await client.list_tools()
    assert found["results"][0]["path"] == "jam.md"


HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call(number: int, name: str, arguments: object) -> dict[str, Any]:
    """Return a request for a tool."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


HOSTILE = (
    b"not json\n",
    b"\xff\xfe\x00\n",
    b"\n",
    b"[]\n",
    b'"text"\n',
    b"[" * 5_000 + b"\n",
    b'{"jsonrpc":"2.0"}\n',
    b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}\n',
    b'{"jsonrpc":"2.0","id":{"a":1},"method":"tools/list"}\n',
    b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":7}}\n',
    b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory_read","arguments":[1]}}\n',
    b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"memory_read","arguments":{"path":"\\ud800"}}}\n',
    b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"memory_read","arguments":{"path":"a\\u0000b"}}}\n',
    b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"memory_tree","arguments":{"depth":1e400}}}\n',
    b'{"jsonrpc":"2.0","id":7,"method":"no/such"}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}\n',
    b'{"jsonrpc":"2.0","id":999,"result":{}}\n',
    b'{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"memory:///../../etc/passwd"}}\n',
    b'{"jsonrpc":"2.0","id":9,"method":"resources/subscribe","params":{"uri":"'
    + b"x" * 100_000
    + b'"}}\n',
)


def test_standard_output_carries_messages_and_nothing_else(tmp_path: Path) -> None:
    """Whatever comes in, every line that goes out is one message, and the server goes on."""
    with started("--root", str(tmp_path), "mcp") as process:
        talk = Talk(process)
        talk.ask(HELLO)
        talk.say(READY)
        for line in HOSTILE:
            talk.put(line)
        tree = talk.ask(call(100, "memory_tree", {}))
    assert tree["result"]["structuredContent"] == {"entries": []}
    assert {message["jsonrpc"] for message in talk.heard} == {"2.0"}
    assert "Traceback" not in json.dumps(talk.heard)


NOISY = f"""
import subprocess, sys, ironclaw_memory.host as host
real = host.MemoryHost.call
def call(self, *words, **more):
    print("noise from Python")
    subprocess.run([sys.executable, "-c", "print('noise of a child')"])
    return real(self, *words, **more)
host.MemoryHost.call = call
{MAIN}
"""


def test_what_is_printed_goes_to_standard_error(tmp_path: Path) -> None:
    """Also what Python keeps in a buffer until the end, and what a child process writes."""
    with started("--root", str(tmp_path), "mcp", main=NOISY) as process:
        talk = Talk(process)
        talk.ask(HELLO)
        talk.say(READY)
        assert not talk.ask(call(1, "memory_tree", {}))["result"]["isError"]
        rest, errors = process.communicate(timeout=WAIT_S)
    assert rest == b""
    assert b"noise from Python" in errors
    assert b"noise of a child" in errors


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_order(tmp_path: Path, number: signal.Signals) -> None:
    """Also while it waits for a client that says nothing."""
    with started("--root", str(tmp_path), "mcp") as process:
        Talk(process).ask(HELLO)
        process.send_signal(number)
        assert process.wait(WAIT_S) == 0


def test_a_client_that_stops_reading_ends_it_in_order(tmp_path: Path) -> None:
    """It has left, whether or not it closed the end it writes to."""
    with started("--root", str(tmp_path), "mcp") as process:
        talk = Talk(process)
        talk.ask(HELLO)
        assert process.stdout
        process.stdout.close()
        talk.say({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert process.wait(WAIT_S) == 0
        assert process.stderr
        assert b"error:" not in process.stderr.read()


def workers(process: int) -> list[int]:
    """Return the processes that *process* started."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(word) for task in tasks for word in task.read_text(encoding="ascii").split()]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc to find workers")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_provider_that_dies_or_hangs_is_an_error_and_the_server_goes_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    """Its worker process is killed, or stops answering, between two calls."""
    variables = {"IRONCLAW_MEMORY_ISOLATION": "process"}
    with started("--root", str(tmp_path), "mcp", **variables) as process:
        talk = Talk(process)
        talk.ask(HELLO)
        talk.say(READY)
        assert not talk.ask(call(1, "memory_tree", {}))["result"]["isError"]
        for worker in workers(process.pid):
            os.kill(worker, number)
        struck = talk.ask(call(2, "memory_tree", {}))["result"]
        if struck["isError"]:
            assert "Traceback" not in json.dumps(struck)
        assert struck["isError"] or number is signal.SIGKILL
        assert not talk.ask(call(3, "memory_tree", {}))["result"]["isError"]


class Talk:
    """Lines to and from a server, without a client between; what came is kept."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        """Talk to *process*."""
        assert process.stdin
        assert process.stdout
        self._out, self._in = process.stdin, process.stdout
        self.heard: list[dict[str, Any]] = []

    def put(self, line: bytes) -> None:
        """Send a line as it is."""
        self._out.write(line)
        self._out.flush()

    def say(self, message: dict[str, Any]) -> None:
        """Send a message."""
        self.put(json.dumps(message).encode() + b"\n")

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its answer."""
        self.say(request)
        while True:
            message: dict[str, Any] = json.loads(self._in.readline())
            self.heard.append(message)
            if message.get("id") == request["id"]:
                return message
