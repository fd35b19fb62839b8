"""What this server may do beyond the standing grants: what a person allowed for a session."""

from collections import OrderedDict
from contextlib import suppress
from typing import Any, Final

from mcp.server import ServerRequestContext
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from ironclaw_memory.adapters.mcp_server.consent import Choice
from ironclaw_memory.async_host import AsyncMemoryHost
from ironclaw_memory.capability.pending import Always, Once
from ironclaw_memory.capability.state import AskedBecause
from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.host import ToolInfo
from ironclaw_memory.model import Effect, Grant, Origin, Scope


Context = ServerRequestContext[Any, Any]

PIPE: Final = "stdio"  # the one session of a server on pipes
SESSION_HEADER: Final = "mcp-session-id"
MAX_SESSIONS: Final = 100  # as many as the HTTP server keeps open


def session_of(context: Context) -> str | None:
    """Return the session that a request belongs to, or ``None`` where the protocol has none.

    Over HTTP the protocol of 2026-07-28 has no sessions: every request stands alone.
    """
    if context.request is None:
        return PIPE
    if uses_rounds(context):
        return None
    found = context.request.headers.get(SESSION_HEADER)
    return str(found) if found else None


def uses_rounds(context: Context) -> bool:
    """Say whether the client is asked by an answer that it repeats the request for.

    Up to 2025-11-25 a server sends a request of its own, since 2026-07-28 it may not.
    """
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


class Approvals:
    """Grants of this process: those of its start, and per session those of a person's yes."""

    def __init__(
        self, host: AsyncMemoryHost, scope: Scope, *, from_start: tuple[Grant, ...]
    ) -> None:
        """Pass *from_start* with every call."""
        self._host = host
        self._scope = scope
        self._from_start = from_start
        self._by_session: OrderedDict[str, tuple[Grant, ...]] = OrderedDict()

    def of(self, context: Context) -> tuple[Grant, ...]:
        """Return the grants that go with a call."""
        session = session_of(context)
        allowed = self._by_session.get(session, ()) if session else ()
        return (*self._from_start, *allowed)

    async def choices(self, context: Context, request_id: str) -> tuple[Choice, ...]:
        """Return what a yes to the waiting request could mean.

        A tool that asks every time knows "once" alone, and without a session there is
        nothing that a permission could end with.
        """
        waiting = await self._host.pending()
        found = next((one for one in waiting if one.id == request_id), None)
        if found is None or found.asked_because is not AskedBecause.NO_GRANT:
            return (Choice.ONCE,)
        if session_of(context) is None:
            return (Choice.ONCE, Choice.ALWAYS)
        return tuple(Choice)

    async def give(self, context: Context, tool: ToolInfo, request_id: str, choice: Choice) -> None:
        """Approve the waiting request as far as *choice* reaches.

        Raises `InvalidArguments` where it does not wait any more.
        """
        how = Always() if choice is Choice.ALWAYS else Once()
        await self._host.approve(request_id, how)
        session = session_of(context)
        if choice is Choice.SESSION and session is not None:
            granted = exact_grant(tool, self._scope)
            self._by_session[session] = (*self._by_session.get(session, ()), granted)
            while len(self._by_session) > MAX_SESSIONS:
                self._by_session.popitem(last=False)

    async def refuse(self, request_id: str) -> None:
        """Forget the waiting request; it may be gone already, or approved elsewhere."""
        with suppress(InvalidArguments):
            await self._host.decline(request_id)


def exact_grant(tool: ToolInfo, scope: Scope) -> Grant:
    """Return a grant of *tool* for a model's calls on *scope*, as far as its effects go."""
    return Grant.exactly(
        tool=tool.id, scope=scope, origin=Origin.LOOP_RUN, effects=frozenset(tool.effects)
    )


def writing_grants(tools: tuple[ToolInfo, ...], scope: Scope) -> tuple[Grant, ...]:
    """Return grants of every tool that writes: what ``--allow-write`` stands for."""
    return tuple(exact_grant(t, scope) for t in tools if Effect.WRITE_FILESYSTEM in t.effects)
