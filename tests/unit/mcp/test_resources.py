"""Documents as resources, and word of their changes."""

import asyncio
import os
from typing import Any

import pytest
from mcp import MCPError, types
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated
from tests.unit.mcp.bench import FACT, WRITE, Bench

from ironclaw_memory.adapters.mcp_server import changes
from ironclaw_memory.adapters.mcp_server.uris import PAGE, uri_of
from ironclaw_memory.capability.records import Kind
from ironclaw_memory.errors import IronclawMemoryError
from ironclaw_memory.model import Failure


MEMORY = "memory:///MEMORY.md"
OF_OLD = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the watch look as often as it can, so that no test waits for its time."""
    monkeypatch.setattr(changes, "EVERY_S", 0.01)
    monkeypatch.setattr(changes, "IDLE_SHARE", 0)


def write(bench: Bench, path: str, text: str = "Likes tea.\n") -> None:
    """Write a document as a person does."""
    file = bench.files() / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


async def until(told: list[Any], kind: type) -> Any:
    """Wait until the client was told something of that kind."""
    while True:
        for message in told:
            if isinstance(message, kind):
                return message
        await asyncio.sleep(0)


async def test_documents_are_listed_with_what_the_host_sees(bench: Bench, era: str) -> None:
    """Path, type, size and time; the provider's own files are no documents."""
    write(bench, "notes/a b.md")
    write(bench, ".store/index.db")
    os.utime(bench.files() / "notes/a b.md", (1_700_000_000, 1_700_000_000))
    async with bench.client(era) as client:
        (found,) = (await client.list_resources()).resources
    assert found.uri == "memory:///notes/a%20b.md"
    assert (found.name, found.mime_type, found.size) == ("notes/a b.md", "text/markdown", 11)
    assert found.annotations
    assert found.annotations.last_modified == "2023-11-14T22:13:20+00:00"


async def test_listing_an_empty_memory_makes_no_directory(bench: Bench, era: str) -> None:
    """Looking leaves no trace in memory."""
    async with bench.client(era) as client:
        assert (await client.list_resources()).resources == []
    assert not (bench.wiring.store.root / "memory").exists()


async def test_a_long_listing_comes_in_pages(bench: Bench, era: str) -> None:
    """Together they are all documents, once each."""
    names = [f"{number:04}.md" for number in range(PAGE + 1)]
    for name in names:
        write(bench, name)
    seen, cursor = [], None
    async with bench.client(era) as client:
        while True:
            page = await client.list_resources(cursor=cursor)
            seen += [resource.name for resource in page.resources]
            cursor = page.next_cursor
            if cursor is None:
                break
    assert seen == names


async def test_a_cursor_of_another_kind_is_refused(bench: Bench, era: str) -> None:
    """The client made it up."""
    async with bench.client(era) as client:
        with pytest.raises(MCPError, match="cursor"):
            await client.list_resources(cursor="17")


async def test_one_template_addresses_every_document(bench: Bench, era: str) -> None:
    """A client can read a path that search showed without listing anything."""
    async with bench.client(era) as client:
        (template,) = (await client.list_resource_templates()).resource_templates
    assert template.uri_template == "memory:///{+path}"


async def test_a_document_is_read_through_the_read_tool(bench: Bench, era: str) -> None:
    """The guest is asked for the decoded path."""
    async with bench.client(era) as client:
        (content,) = (await client.read_resource(uri_of("notes/a b.md"))).contents
    assert isinstance(content, types.TextResourceContents)
    assert content.text == "text"
    assert bench.guest.calls[-1].arguments == {"request": {"path": "notes/a b.md"}}


@pytest.mark.parametrize("uri", ["file:///etc/passwd", "memory:///", "memory:///%ff", "x"])
async def test_an_address_of_another_kind_is_not_found(bench: Bench, era: str, uri: str) -> None:
    """It reaches no guest as a path of ours."""
    async with bench.client(era) as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(uri)
    assert refused.value.code in {-32002, types.INVALID_PARAMS}
    assert bench.guest.calls == []


async def test_a_document_that_is_not_there_is_not_found(bench: Bench, era: str) -> None:
    """The code is that of the protocol's version."""
    bench.guest.answers["read"] = Failure(kind="input", code="document-missing", field_name="path")
    async with bench.client(era) as client:
        with pytest.raises(MCPError, match="names no document") as refused:
            await client.read_resource(MEMORY)
        old = client.protocol_version == "2025-11-25"
    assert refused.value.code == (-32002 if old else types.INVALID_PARAMS)


async def test_a_listing_is_gated_like_the_tree_tool(bench: Bench, era: str) -> None:
    """What an operator takes out of use is not shown in another way."""
    bench.wiring.gate.set_disabled("ironclaw.memory.tree", disabled=True)
    async with bench.client(era) as client:
        with pytest.raises(MCPError) as refused:
            await client.list_resources()
    assert (refused.value.data or {})["code"] == "tool-disabled"
    assert str(refused.value).startswith("The operator disabled memory_tree. ")
    assert "`ironclaw-memory policy enable ironclaw.memory.tree`" in str(refused.value)


async def test_a_listing_is_in_the_audit_log(bench: Bench) -> None:
    """As a call of the tool that it resembles."""
    async with bench.client("auto") as client:
        await client.list_resources()
    tools = [entry.tool for entry in bench.host.audit() if entry.kind is Kind.DECISION]
    assert tools == ["ironclaw.memory.tree"]


async def test_a_new_document_is_told(bench: Bench) -> None:
    """Whoever wrote it; up to 2025-11-25 without being asked."""
    async with bench.client("legacy") as client:
        await client.list_tools()
        write(bench, "MEMORY.md")
        await asyncio.wait_for(until(bench.told, types.ResourceListChangedNotification), 30)


@OF_OLD
async def test_a_followed_document_is_told_until_it_is_followed_no_more(bench: Bench) -> None:
    """Others are not told of."""
    write(bench, "MEMORY.md")
    write(bench, "notes/a.md")
    async with bench.client("legacy") as client:
        await client.subscribe_resource(MEMORY)
        write(bench, "notes/a.md", "Likes jam.\n\n")
        write(bench, "MEMORY.md", "Likes jam.\n\n")
        told = await asyncio.wait_for(until(bench.told, types.ResourceUpdatedNotification), 30)
        assert told.params.uri == MEMORY
        await client.unsubscribe_resource(MEMORY)
        bench.told.clear()
        write(bench, "MEMORY.md", "Likes neither.\n")
        write(bench, "new.md")
        await asyncio.wait_for(until(bench.told, types.ResourceListChangedNotification), 30)
        assert not any(isinstance(t, types.ResourceUpdatedNotification) for t in bench.told)


async def test_a_write_is_told_to_a_listener(bench: Bench) -> None:
    """Since 2026-07-28 a client opens a stream for what it wants to hear."""
    write(bench, "MEMORY.md")
    bench.guest.during = lambda call: write(bench, "MEMORY.md", "Likes tea. Likes jam.\n")
    async with (
        bench.client("auto", allow_write=True) as client,
        client.listen(resources_list_changed=True, resource_subscriptions=[MEMORY]) as heard,
    ):
        await client.call_tool("memory_write", FACT)
        event = await asyncio.wait_for(anext(heard), 30)
        assert event == ResourceUpdated(uri=MEMORY)
        write(bench, "new.md")
        assert await asyncio.wait_for(anext(heard), 30) == ResourcesListChanged()


async def test_a_look_that_fails_is_made_up_for(bench: Bench, monkeypatch: Any) -> None:
    """A directory that cannot be read now may be readable later."""
    look, broken = bench.host.documents, True

    def documents(scope: Any) -> Any:
        if broken:
            raise IronclawMemoryError("no")
        return look(scope)

    monkeypatch.setattr(bench.host, "documents", documents)
    async with bench.client("legacy") as client:
        await client.list_tools()
        broken = False
        await asyncio.sleep(0.05)
        write(bench, "MEMORY.md")
        await asyncio.wait_for(until(bench.told, types.ResourceListChangedNotification), 30)


async def test_a_provider_without_read_has_no_resources(bench: Bench, monkeypatch: Any) -> None:
    """Nothing is offered that could not be served."""
    tools = tuple(tool for tool in bench.host.tools() if tool.id == WRITE)
    monkeypatch.setattr(bench.host, "tools", lambda: tools)
    async with bench.client("legacy") as client:
        assert client.server_capabilities.resources is None
        assert [tool.name for tool in (await client.list_tools()).tools] == ["memory_write"]


async def test_documents_that_nobody_can_follow_are_not_walked(
    bench: Bench, monkeypatch: Any, era: str
) -> None:
    """Not at the start, not after a write and not as time goes by."""
    tools = tuple(tool for tool in bench.host.tools() if tool.id == WRITE)
    walks: list[Any] = []
    monkeypatch.setattr(bench.host, "tools", lambda: tools)
    monkeypatch.setattr(bench.host, "documents", walks.append)
    async with bench.client(era, allow_write=True) as client:
        assert not (await client.call_tool("memory_write", FACT)).is_error
        await asyncio.sleep(0.05)
    assert walks == []
