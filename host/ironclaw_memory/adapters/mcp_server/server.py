"""The server: the handlers of one scope, put together."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, TypeVar

import anyio
from mcp import MCPError, types
from mcp.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import ListenHandler

from ironclaw_memory import config
from ironclaw_memory.adapters.granting import grant_command
from ironclaw_memory.adapters.mcp_server.approvals import Approvals, Context, writing_grants
from ironclaw_memory.adapters.mcp_server.calls import ToolCalls
from ironclaw_memory.adapters.mcp_server.changes import Changes
from ironclaw_memory.adapters.mcp_server.resources import READ, Resources
from ironclaw_memory.adapters.mcp_server.tools import served
from ironclaw_memory.async_host import AsyncMemoryHost
from ironclaw_memory.contract.for_models import as_offered
from ironclaw_memory.errors import ApprovalRequired
from ironclaw_memory.model import Effect, Origin, Scope


NAME: Final = "ironclaw-memory"

P = TypeVar("P")
R = TypeVar("R", bound=types.Result)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Serving:
    """What is served: the one scope, whether writes need no asking, and how to grant them.

    ``flags`` are the global options of the command line that a grant must repeat to reach
    this data directory and this provider.
    """

    scope: Scope
    allow_write: bool = False
    flags: Sequence[str] = ()


class MemoryServer(Server[None]):
    """A low-level server that says that its list of resources changes, where it has one."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *args: Any, **kwargs: Any
    ) -> InitializationOptions:
        """Return what a client is told at the start, on every transport."""
        said = notification_options or NotificationOptions(resources_changed=True)
        return super().create_initialization_options(said, *args, **kwargs)


@dataclass(frozen=True, kw_only=True)
class _Documents:
    """The scope's documents as resources, and the watch that tells which of them changed."""

    resources: Resources
    changes: Changes

    def handlers(self) -> dict[str, Any]:
        """Return what a server needs to offer them."""
        return {
            "lifespan": _watching(self.changes),
            "on_list_resources": _contained(self.resources.list),
            "on_list_resource_templates": _contained(self.resources.templates),
            "on_read_resource": _contained(self.resources.read),
            "on_subscribe_resource": _contained(self.changes.subscribe),
            "on_unsubscribe_resource": _contained(self.changes.unsubscribe),
            "on_subscriptions_listen": ListenHandler(self.changes.bus),
        }


async def built(host: AsyncMemoryHost, serving: Serving) -> MemoryServer:
    """Return the server of *serving*'s scope on *host*, which stays the caller's to close."""
    tools = served(host.tools())
    from_start = writing_grants(tuple(tools.values()), serving.scope) if serving.allow_write else ()
    approvals = Approvals(host, serving.scope, from_start=from_start)
    documents = _documents(host, serving.scope, approvals)
    calls = ToolCalls(
        host=host,
        scope=serving.scope,
        flags=serving.flags,
        approvals=approvals,
        wrote=documents.changes.look_soon if documents else lambda: None,
    )
    lines = (await standing_grant_lines(host, serving), host.guidance)
    said = as_offered("\n\n".join(line for line in lines if line), calls.names())
    return _assembled(calls, documents, instructions=said or None)


async def standing_grant_lines(host: AsyncMemoryHost, serving: Serving) -> str:
    """Return the commands that let a model save, or why none does, where nothing lets it yet."""
    if serving.allow_write:
        return ""
    lines = []
    for tool in served(host.tools()).values():
        if Effect.WRITE_FILESYSTEM in tool.effects:
            try:
                await host.require(tool.id, scope=serving.scope, origin=Origin.LOOP_RUN)
            except ApprovalRequired as asked:
                lines.append(_how_to_allow(host, tool.id, asked, serving))
    return "\n".join(lines)


def _how_to_allow(
    host: AsyncMemoryHost, tool_id: str, asked: ApprovalRequired, serving: Serving
) -> str:
    if not asked.is_grantable:
        return asked.message
    command = grant_command(host, tool_id, serving.scope, serving.flags)
    return f"{tool_id} needs the user's permission; this grants it: `{command}`"


def _documents(host: AsyncMemoryHost, scope: Scope, approvals: Approvals) -> _Documents | None:
    """Return the documents, or nothing where they cannot be read and so nobody follows them."""
    ids = {tool.verb: tool.id for tool in served(host.tools()).values()}
    if READ not in ids:
        return None
    return _Documents(
        resources=Resources(host=host, scope=scope, approvals=approvals, tools=ids),
        changes=Changes(lambda: host.documents(scope)),
    )


def _assembled(
    calls: ToolCalls, documents: _Documents | None, *, instructions: str | None
) -> MemoryServer:
    server = MemoryServer(
        NAME,
        version=_version(),
        title="Memory",
        instructions=instructions,
        on_list_tools=_contained(calls.list),
        on_call_tool=_contained(calls.call),
        **(documents.handlers() if documents else {}),
    )
    if documents:
        server.add_notification_handler(
            "notifications/initialized", types.NotificationParams, documents.changes.hello
        )
    server.middleware.append(
        RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=NAME)
    )
    return server


def _version() -> str:
    try:
        return version(NAME)
    except PackageNotFoundError:
        return "unreleased"  # run from a checkout


def _watching(changes: Changes) -> Callable[[Server[None]], Any]:
    @asynccontextmanager
    async def lifespan(server: Server[None]) -> AsyncIterator[None]:
        await changes.look()  # what changes from now on is news
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(changes.watch)
            yield
            tasks.cancel_scope.cancel()

    return lifespan


def _contained(
    handler: Callable[[Context, P], Awaitable[R]],
) -> Callable[[Context, P], Awaitable[R]]:
    """Let nothing unexpected reach the client, or end the server.

    The transport would end with a result that it cannot write, so it is written here first.
    """

    async def contained(context: Context, params: P) -> R:
        try:
            result = await handler(context, params)
            result.model_dump_json()
        except MCPError:
            raise
        except Exception as problem:  # noqa: BLE001 - the border of the process
            name = type(problem).__name__
            _log.error("%s: unexpected %s.", context.method, name, exc_info=config.wants_debug())
            raise MCPError(types.INTERNAL_ERROR, "The memory server failed at this.") from None
        return result

    return contained
