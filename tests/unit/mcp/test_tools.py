"""Tools over MCP: what is offered, what is answered, and who is asked."""

import re
from dataclasses import replace
from typing import Any

import pytest
from mcp import MCPError, types
from tests.unit.calls.scripted_host import ScriptedHost
from tests.unit.mcp.bench import FACT, SCOPE, WRITE, Bench, Person, no, text_of, yes

from ironclaw_memory.capability.audit_reading import Selection
from ironclaw_memory.capability.pending import Once
from ironclaw_memory.errors import LimitExceeded, ProviderTrapped
from ironclaw_memory.model import Failure


ACCEPTED_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


async def test_the_declared_tools_are_offered_with_names_that_clients_accept(
    bench: Bench, era: str
) -> None:
    """Dots are refused by several clients."""
    async with bench.client(era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    verbs = ("read", "write", "search", "tree", "profile_set")
    assert tools.keys() == {f"memory_{verb}" for verb in verbs}
    assert all(ACCEPTED_NAME.fullmatch(name) for name in tools)
    for name, tool in tools.items():
        (declared,) = [t for t in bench.host.tools() if f"memory_{t.verb}" == name]
        page = declared.documentation.strip().replace("ironclaw.memory.", "memory_")
        assert page in (tool.description or "")
        assert tool.input_schema["type"] == "object"
        assert (tool.output_schema or {})["type"] == "object"


async def test_annotations_say_what_each_tool_may_do(bench: Bench) -> None:
    """Read-only, destructive, idempotent, and a closed world throughout."""
    async with bench.client("auto") as client:
        tools = (await client.list_tools()).tools
    said = {
        tool.name: (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint)
        for tool in tools
        if (hints := tool.annotations)
    }
    assert said == {
        "memory_read": (True, False, True),
        "memory_search": (True, False, True),
        "memory_tree": (True, False, True),
        "memory_write": (False, True, False),
        "memory_profile_set": (False, True, True),
    }
    assert all(tool.annotations and tool.annotations.open_world_hint is False for tool in tools)


async def test_no_tool_takes_a_scope(bench: Bench) -> None:
    """Whose memory it is was fixed when the server started."""
    async with bench.client("auto") as client:
        for tool in (await client.list_tools()).tools:
            names = set(tool.input_schema["properties"])
            assert not names & {"scope", "tenant", "user", "agent", "project", "thread"}


async def test_an_answer_is_structured_and_text(bench: Bench, era: str) -> None:
    """A client that knows no structured content reads the same as text."""
    async with bench.client(era) as client:
        result = await client.call_tool("memory_read", {"path": "a.md"})
    assert result.structured_content == {"path": "a.md", "content": "text", "word_count": 1}
    assert '"content": "text"' in text_of(result)


@pytest.mark.parametrize("era", ["legacy", "auto"], indirect=True)
async def test_the_instructions_show_the_grant_first_and_then_the_guidance(
    bench: Bench, era: str
) -> None:
    """A fresh agent cannot save without it."""
    async with bench.client(era, flags=("--root", "/srv/memory")) as client:
        said = client.instructions or ""
    first, _, rest = said.partition("\n\n")
    assert "`ironclaw-memory grant ironclaw.memory.write --tenant acme --user alice" in first
    assert "--root /srv/memory" in first
    assert first.startswith("memory_write needs the user's permission")
    assert rest == (bench.host.guidance or "").replace("ironclaw.memory.", "memory_")
    bench.wiring.gate.set_ask_each_time(WRITE, ask=True)
    async with bench.client(era) as client:
        first = (client.instructions or "").partition("\n\n")[0]
    assert first == "The operator wants to be asked about every call of memory_write."


async def test_a_write_without_a_grant_names_the_command_that_grants_it(
    bench: Bench, era: str
) -> None:
    """The client cannot ask, so the model is told what to tell."""
    async with bench.client(era) as client:
        result = await client.call_tool("memory_write", FACT)
    assert result.is_error
    assert result.structured_content is None
    assert f"`ironclaw-memory grant {WRITE} --tenant acme --user alice`" in text_of(result)
    assert text_of(result).startswith("memory_write needs approval")
    assert bench.guest.calls == []


async def test_where_each_call_is_asked_about_no_grant_is_named(bench: Bench, era: str) -> None:
    """It would have no effect; the approval of the very call has."""
    bench.wiring.gate.set_ask_each_time(WRITE, ask=True)
    async with bench.client(era) as client:
        told = text_of(await client.call_tool("memory_write", FACT))
        (waiting,) = bench.host.pending()
        bench.host.approve(waiting.id, Once())
        assert not (await client.call_tool("memory_write", FACT)).is_error
        assert "ironclaw-memory grant" not in (client.instructions or "") + told
    assert f"`ironclaw-memory approve {waiting.id} --once`" in told


async def test_the_command_reaches_the_directory_of_the_host(bench: Bench, era: str) -> None:
    """Without flags of a command line too, and once only where both know it."""
    bench.host = ScriptedHost(replace(bench.wiring, flags_to_reach={"--root": "/srv/memory"}))
    for flags in ((), ("--root", "/srv/memory")):
        async with bench.client(era, flags=flags) as client:
            result = await client.call_tool("memory_write", FACT)
        assert "--user alice --root /srv/memory`" in text_of(result)


async def test_once_allows_this_call_alone(bench: Bench, era: str) -> None:
    """The next call asks again, the same one too."""
    person = yes("once")
    async with bench.client(era, person=person) as client:
        for _ in range(2):
            assert not (await client.call_tool("memory_write", FACT)).is_error
    assert len(person.asked) == 2
    assert bench.host.grants() == ()


async def test_session_allows_until_the_client_leaves(bench: Bench, era: str) -> None:
    """The next session asks again, and nothing is left behind."""
    for _ in range(2):
        person = yes("session")
        async with bench.client(era, person=person) as client:
            for content in ("Likes tea.", "Likes jam."):
                written = await client.call_tool("memory_write", {**FACT, "content": content})
                assert not written.is_error
        assert len(person.asked) == 1
    assert bench.host.grants() == ()
    assert bench.host.pending() == ()


async def test_always_is_a_standing_grant(bench: Bench, era: str) -> None:
    """It is there for the next session, and for the command line."""
    async with bench.client(era, person=yes("always")) as client:
        assert not (await client.call_tool("memory_write", FACT)).is_error
    (grant,) = bench.host.grants()
    assert (grant.tool, grant.tenant, grant.user, grant.project) == (WRITE, "acme", "alice", None)
    async with bench.client(era) as client:
        assert not (await client.call_tool("memory_write", FACT)).is_error


async def test_a_yes_to_what_was_granted_meanwhile_is_a_yes(bench: Bench, era: str) -> None:
    """The grant answered the request, which waits no longer when the person does."""

    class Slow(Person):
        async def answer(self, context: Any, params: Any) -> types.ElicitResult:
            bench.host.grant(WRITE, scope=SCOPE)
            return await super().answer(context, params)

    async with bench.client(era, person=Slow(yes("once").says)) as client:
        assert not (await client.call_tool("memory_write", FACT)).is_error
    assert bench.host.pending() == ()


@pytest.mark.parametrize("person", [no(), no("cancel"), yes("everything"), yes("")])
async def test_anything_but_a_yes_is_a_no(bench: Bench, era: str, person: Any) -> None:
    """Nothing runs, and the model is told not to go on asking."""
    async with bench.client(era, person=person) as client:
        result = await client.call_tool("memory_write", FACT)
    assert result.is_error
    assert "did not allow" in text_of(result)
    assert bench.guest.calls == []
    assert bench.host.pending() == ()


async def test_a_tool_that_asks_each_time_is_allowed_once_at_most(bench: Bench, era: str) -> None:
    """A longer yes would have no effect, so it is not offered."""
    bench.wiring.gate.set_ask_each_time(WRITE, ask=True)
    person = yes("once")
    async with bench.client(era, person=person) as client:
        assert not (await client.call_tool("memory_write", FACT)).is_error
    (asked,) = person.asked
    assert asked.requested_schema["properties"]["allow"]["enum"] == ["once"]


async def test_allow_write_grants_for_the_session(bench: Bench, era: str) -> None:
    """The operator said so on the command line; nothing stands afterwards."""
    async with bench.client(era, allow_write=True) as client:
        assert not (await client.call_tool("memory_write", FACT)).is_error
        assert WRITE not in (client.instructions or "").partition("\n\n")[0]
    assert bench.host.grants() == ()


async def test_calls_are_those_of_a_loop_run(bench: Bench) -> None:
    """The audit log says who asked."""
    async with bench.client("auto", allow_write=True) as client:
        await client.call_tool("memory_write", FACT)
    origins = {entry.fields.get("origin") for entry in bench.host.audit(Selection())}
    assert origins <= {"loop_run", None}
    assert "loop_run" in origins


HOSTILE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("memory_read", {}),
    ("memory_read", {"path": 7}),
    ("memory_read", {"path": ["MEMORY.md"]}),
    ("memory_read", {"path": {"a": 1}}),
    ("memory_read", {"path": None}),
    ("memory_read", {"path": "a.md", "scope": {"user": "bob"}}),
    ("memory_read", {"path": "a.md", "tenant": "other"}),
    ("memory_search", {"query": ""}),
    ("memory_search", {"query": 3}),
    ("memory_search", {"query": "tea", "limit": "many"}),
    ("memory_search", {"query": "tea", "limit": [1]}),
    ("memory_tree", {"depth": "deep"}),
    ("memory_tree", {"path": 1}),
    ("memory_profile_set", {}),
    ("memory_profile_set", {"locale": "x" * 100}),
    ("memory_write", {"target": "/etc/passwd", "content": "x"}),
    ("memory_write", {"target": "../x", "content": "x"}),
    ("memory_write", {"target": "a\\b", "content": "x"}),
    ("memory_write", {"content": 5}),
    ("memory_write", {"metadata": "x", "content": "y"}),
    ("memory_write", {"origin": "product", "content": "y"}),
)


@pytest.mark.parametrize(("name", "arguments"), HOSTILE)
async def test_arguments_that_do_not_hold_are_an_error_to_read(
    bench: Bench, name: str, arguments: dict[str, Any]
) -> None:
    """A sentence and a hint, never a trace, and the guest never hears of it."""
    async with bench.client("auto", allow_write=True) as client:
        result = await client.call_tool(name, arguments)
    assert result.is_error
    assert "Traceback" not in text_of(result)
    assert len(text_of(result).split(". ")) > 1 or "`" in text_of(result)
    assert bench.guest.calls == []


async def test_deep_nesting_is_an_error_to_read(bench: Bench) -> None:
    """Nor does it exhaust a stack."""
    deep: Any = {}
    for _ in range(100):
        deep = {"a": deep}
    async with bench.client("legacy", allow_write=True) as client:
        result = await client.call_tool("memory_write", {"content": "x", "metadata": deep})
    assert "nested deeper" in text_of(result)


@pytest.mark.parametrize(
    "problem",
    [
        ProviderTrapped("The provider was stopped.", hint="Repeat the call."),
        LimitExceeded("The provider took too long.", limit="deadline_ms", hint="Repeat."),
        Failure(kind="unavailable", code="x", field_name=None),
    ],
)
async def test_a_dead_provider_is_an_error_and_the_server_goes_on(
    bench: Bench, era: str, problem: Any
) -> None:
    """The next call is served."""
    answer = bench.guest.answers["read"]
    bench.guest.answers["read"] = problem
    async with bench.client(era) as client:
        assert (await client.call_tool("memory_read", {"path": "a.md"})).is_error
        bench.guest.answers["read"] = answer
        assert not (await client.call_tool("memory_read", {"path": "a.md"})).is_error


async def test_a_fault_of_ours_says_nothing_and_the_server_goes_on(bench: Bench, era: str) -> None:
    """What an unexpected exception says may be memory."""
    answer = bench.guest.answers["read"]
    bench.guest.answers["read"] = RuntimeError("Likes tea.")
    async with bench.client(era) as client:
        with pytest.raises(MCPError) as failed:
            await client.call_tool("memory_read", {"path": "a.md"})
        assert "tea" not in str(failed.value)
        bench.guest.answers["read"] = answer
        assert not (await client.call_tool("memory_read", {"path": "a.md"})).is_error


@pytest.mark.parametrize("content", ["\ud800", "tea\udfff"])
async def test_a_result_that_cannot_be_written_is_an_error_and_the_server_goes_on(
    bench: Bench, era: str, content: str
) -> None:
    """On a pipe it would be written after the call, where an exception ends the server."""
    answer = bench.guest.answers["read"]
    bench.guest.answers["read"] = {"path": "a.md", "content": content, "word_count": 1}
    async with bench.client(era) as client:
        with pytest.raises(MCPError, match="failed at this"):
            await client.call_tool("memory_read", {"path": "a.md"})
        with pytest.raises(MCPError, match="failed at this"):
            await client.read_resource("memory:///a.md")
        bench.guest.answers["read"] = answer
        assert not (await client.call_tool("memory_read", {"path": "a.md"})).is_error


async def test_an_unknown_tool_is_a_protocol_error(bench: Bench, era: str) -> None:
    """There is nothing whose result could be an error."""
    async with bench.client(era) as client:
        with pytest.raises(MCPError, match="no tool"):
            await client.call_tool("memory_erase", {})
