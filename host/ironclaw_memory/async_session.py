"""The session for an event loop: the same names and the same contract, awaited.

Every step runs on a thread; the loop is never blocked. A step that is cancelled
goes on to its end on its thread, because a write must not stop half-way, and
leaving the ``async with`` waits for it. So a cancelled `call` or `after_turn`
may have happened; both are atomic per document.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol, Self, runtime_checkable

from ironclaw_memory.model import Scope
from ironclaw_memory.off_loop import OffLoop
from ironclaw_memory.recall.context import DEFAULT_MAX_SNIPPETS
from ironclaw_memory.recall.transcript import GivenContent, GivenMessage
from ironclaw_memory.session import (
    RECORDING_SECONDS,
    MemorySession,
    SessionHost,
    ToolResult,
    TurnContext,
    TurnReport,
)
from ironclaw_memory.upkeep.dialogue import Model, ToolDefinition


@runtime_checkable
class WrapsSessionHost(Protocol):
    """An asynchronous host: its ``sync`` is the one that does the work."""

    @property
    def sync(self) -> SessionHost:
        """The wrapped host."""
        ...

    @property
    def threads(self) -> ThreadPoolExecutor:
        """The threads that its calls run on."""
        ...


class AsyncMemorySession:
    """`MemorySession` with ``await``; arguments and results are the same."""

    def __init__(
        self,
        host: SessionHost | WrapsSessionHost,
        scope: Scope,
        *,
        model: Model | None = None,
        max_snippets: int = DEFAULT_MAX_SNIPPETS,
        recording_seconds: float = RECORDING_SECONDS,
    ) -> None:
        """Begin with no run. The host, of either kind, stays the caller's to close."""
        shared = host.threads if isinstance(host, WrapsSessionHost) else None
        self._session = MemorySession(
            host.sync if isinstance(host, WrapsSessionHost) else host,
            scope,
            model=model,
            max_snippets=max_snippets,
            recording_seconds=recording_seconds,
        )
        self._steps = OffLoop("memory-session", shared=shared)
        self._endings = OffLoop("memory-session-end", threads=1)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        """Wait for steps that were cancelled and still run, then forget the present run."""
        await self._steps.drain()
        await self._endings.drain()
        self._session.__exit__()

    async def before_turn(self, user_message: GivenContent) -> TurnContext:
        """Return what memory adds to the prompt of this run; see `MemorySession.before_turn`.

        If this is cancelled, the note about what is missing comes again the next time.
        """
        context = await self._steps.run(self._session.prepare_turn, user_message)
        self._session.note_was_given(context)
        return context

    async def tools(self) -> tuple[ToolDefinition, ...]:
        """Return the definitions of the declared tools, for the model."""
        return await self._steps.run(self._session.tools)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool as the model asked for it; see `MemorySession.call`."""
        return await self._steps.run(self._session.call, name, arguments)

    async def after_turn(
        self, messages: Sequence[GivenMessage], *, completed: bool = True
    ) -> TurnReport:
        """Record, count and curate; see `MemorySession.after_turn`.

        It has a thread of its own, since a scheduled pass waits for a language model.
        """
        return await self._endings.run(self._session.after_turn, messages, completed=completed)
