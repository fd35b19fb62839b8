"""`MemoryHost` for an event loop: the same names, arguments and results, awaited.

The loop is never blocked; calls of different scopes run side by side. Cancelling a call
does not stop it half-way: it ends on its thread, and leaving the ``async with`` waits.
"""

from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from ironclaw_memory.capability.audit_reading import Entry, Selection
from ironclaw_memory.capability.pending import Approval
from ironclaw_memory.capability.state import Lease, PendingRequest, Settings
from ironclaw_memory.contract.outputs import Output
from ironclaw_memory.host import MemoryHost, ToolInfo
from ironclaw_memory.model import Grant, Message, Origin, Scope
from ironclaw_memory.off_loop import OffLoop
from ironclaw_memory.recall import Context, Profile
from ironclaw_memory.reports import (
    Adoption,
    Change,
    Erasure,
    RefreshReport,
    SweepReport,
    VersionRow,
)
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.scopes import Odd, Stamp
from ironclaw_memory.upkeep.dialogue import Model
from ironclaw_memory.upkeep.report import CurationReport


if TYPE_CHECKING:
    from ironclaw_memory.upkeep.snapshots import Snapshot

T = TypeVar("T")


class Closable(Protocol):
    """What ends with an awaited ``close``."""

    async def close(self) -> None:
        """End it."""
        ...


C = TypeVar("C", bound=Closable)


class Opening(Generic[C]):
    """Something that is being opened: await it, or enter it with ``async with``; once."""

    def __init__(self, open_: Callable[[], Coroutine[Any, Any, C]]) -> None:
        """Begin nothing yet; *open_* is called when this is awaited or entered."""
        self._open = open_
        self._opened: C | None = None

    def __await__(self) -> Generator[Any, None, C]:
        return self._open().__await__()

    async def __aenter__(self) -> C:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(self, *exc_info: object) -> None:
        if self._opened is not None:
            await self._opened.close()


class AsyncMemoryHost:
    """An open host for one event loop. Every method is `MemoryHost`'s, and raises the same."""

    def __init__(self, host: MemoryHost) -> None:
        """Take over *host*; `open` is the way to get one."""
        self.sync = host
        self._steps = OffLoop("memory")

    @classmethod
    def open(cls, **choices: Any) -> "Opening[Self]":
        """Open a host; the choices are those of `MemoryHost.open`.

        ``await AsyncMemoryHost.open()`` is the host, and ``async with AsyncMemoryHost.open()
        as host`` closes it at the end.
        """
        return Opening(lambda: cls._open(choices))

    @classmethod
    async def _open(cls, choices: Mapping[str, Any]) -> Self:
        opening = OffLoop("memory-open", threads=1)
        try:
            return cls(await opening.run(MemoryHost.open, **choices))
        finally:
            await opening.drain()

    async def close(self) -> None:
        """Wait for calls that still run, then close the host; once it is closed, do nothing."""
        if self._steps.closed:
            return
        try:
            await self._steps.run(self.sync.close)
        finally:
            await self._steps.drain()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def threads(self) -> ThreadPoolExecutor:
        """The threads that calls run on; sessions of this host share them."""
        return self._steps.threads

    async def off_loop(self, step: Callable[[], T]) -> T:
        """Run *step*, which may use ``sync``, on one of this host's threads."""
        return await self._steps.run(step)

    # Calls

    async def call(
        self,
        tool_id: str,
        arguments: Mapping[str, Any],
        *,
        scope: Scope,
        origin: Origin | str | None,
        grants: Iterable[Grant] = (),
    ) -> Output:
        """Run a tool as *origin*."""
        return await self._steps.run(
            self.sync.call, tool_id, arguments, scope=scope, origin=origin, grants=tuple(grants)
        )

    async def call_as_operator(
        self, tool_id: str, arguments: Mapping[str, Any], *, scope: Scope
    ) -> Output:
        """Run a tool that a person asked for."""
        return await self._steps.run(self.sync.call_as_operator, tool_id, arguments, scope=scope)

    def tools(self) -> tuple[ToolInfo, ...]:
        """Return the tools; nothing is waited for."""
        return self.sync.tools()

    def tool_id(self, name: str) -> str:
        """Return the id of the tool that is called *name* for short; nothing is waited for."""
        return self.sync.tool_id(name)

    def command_line(self, *words: str) -> str:
        """Return the command that reaches this host's memory; nothing is waited for."""
        return self.sync.command_line(*words)

    # Around a turn

    @property
    def guidance(self) -> str | None:
        """The provider's guidance text."""
        return self.sync.guidance

    @property
    def limits(self) -> Limits:
        """The limits that hold for this host's calls and scopes."""
        return self.sync.limits

    @property
    def keeps_transcripts(self) -> bool:
        """Whether the provider records at all."""
        return self.sync.keeps_transcripts

    async def load_context(
        self,
        scope: Scope,
        query: str,
        max_snippets: int = 8,
        *,
        context_profile: str = "default",
    ) -> Context:
        """Recall what matters for *query*."""
        return await self._steps.run(
            self.sync.load_context, scope, query, max_snippets, context_profile=context_profile
        )

    async def record_interaction(
        self, scope: Scope, messages: Sequence[Message | Mapping[str, Any]], run_id: str | None
    ) -> bool:
        """Keep the transcript of one run."""
        return await self._steps.run(self.sync.record_interaction, scope, messages, run_id)

    async def read_profile(self, scope: Scope) -> Profile | None:
        """Return the user's profile."""
        return await self._steps.run(self.sync.read_profile, scope)

    async def complete_turn(self, scope: Scope, run_id: str) -> int:
        """Count a completed run."""
        return await self._steps.run(self.sync.complete_turn, scope, run_id)

    async def run_due_passes(
        self, scope: Scope, model: Model, run_id: str
    ) -> tuple[CurationReport, ...]:
        """Run the provider's passes that are due."""
        return await self._steps.run(self.sync.run_due_passes, scope, model, run_id)

    async def curate(
        self, scope: Scope, model: Model, *, dry_run: bool = False
    ) -> tuple[CurationReport, ...]:
        """Run every scheduled pass now."""
        return await self._steps.run(self.sync.curate, scope, model, dry_run=dry_run)

    # The gate

    async def grant(
        self,
        tool_id: str,
        *,
        scope: Scope,
        origin: Origin | str = Origin.LOOP_RUN,
        for_ms: int | None = None,
        uses: int | None = None,
    ) -> Grant:
        """Allow a tool."""
        return await self._steps.run(
            self.sync.grant, tool_id, scope=scope, origin=origin, for_ms=for_ms, uses=uses
        )

    async def require(
        self,
        tool_id: str,
        *,
        scope: Scope,
        origin: Origin | str | None,
        grants: Iterable[Grant] = (),
    ) -> None:
        """Ask whether a call would run as things stand."""
        await self._steps.run(
            self.sync.require, tool_id, scope=scope, origin=origin, grants=tuple(grants)
        )

    async def grants(self) -> tuple[Grant, ...]:
        """Return the standing grants."""
        return await self._steps.run(self.sync.grants)

    async def settings(self) -> Settings:
        """Return what the operator decided about tools."""
        return await self._steps.run(self.sync.settings)

    async def set_disabled(self, tool_id: str, *, disabled: bool) -> None:
        """Take a tool out of use, or put it back."""
        await self._steps.run(self.sync.set_disabled, tool_id, disabled=disabled)

    async def set_ask_each_time(self, tool_id: str, *, ask: bool) -> None:
        """Ask before every call of a tool, or stop doing so."""
        await self._steps.run(self.sync.set_ask_each_time, tool_id, ask=ask)

    async def set_auto_approve(self, *, auto_approve: bool) -> None:
        """Approve what only a grant is missing for, or go back to asking."""
        await self._steps.run(self.sync.set_auto_approve, auto_approve=auto_approve)

    async def revoke(self, key: str, *, scope: Scope | None = None) -> tuple[str, ...]:
        """Take grants and leases back, of a tool in *scope* or in every one."""
        return await self._steps.run(self.sync.revoke, key, scope=scope)

    async def pending(self) -> tuple[PendingRequest, ...]:
        """Return the calls that wait for approval."""
        return await self._steps.run(self.sync.pending)

    async def approve(self, request_id: str, how: Approval) -> Lease | Grant:
        """Approve a waiting call: `Once()`, `ForMs(duration_ms=…)` or `Always()`."""
        return await self._steps.run(self.sync.approve, request_id, how)

    async def decline(self, request_id: str) -> PendingRequest:
        """Forget a waiting call because a person said no."""
        return await self._steps.run(self.sync.decline, request_id)

    async def audit(self, selection: Selection | None = None) -> list[Entry]:
        """Return the log's entries, oldest first."""
        return await self._steps.run(lambda: list(self.sync.audit(selection)))

    # The owner's operations

    async def documents(self, scope: Scope) -> Mapping[str, Stamp]:
        """Return every document by path, as the host's own walk sees them."""
        return await self._steps.run(self.sync.documents, scope)

    async def left_out(self, scope: Scope) -> tuple[Odd, ...]:
        """Return what lies there and `documents` lacks."""
        return await self._steps.run(self.sync.left_out, scope)

    async def history(self, scope: Scope, path: str) -> tuple[VersionRow, ...]:
        """Return the kept versions of a document."""
        return await self._steps.run(self.sync.history, scope, path)

    async def version(self, scope: Scope, path: str, number: int) -> str:
        """Return the body of one version."""
        return await self._steps.run(self.sync.version, scope, path, number)

    async def current(self, scope: Scope, path: str) -> str:
        """Return the document as it is now."""
        return await self._steps.run(self.sync.current, scope, path)

    async def diff(
        self, scope: Scope, path: str, a: int | None = None, b: int | None = None
    ) -> str:
        """Return a unified diff."""
        return await self._steps.run(self.sync.diff, scope, path, a, b)

    async def restore(self, scope: Scope, path: str, number: int) -> Change:
        """Make a version the document again."""
        return await self._steps.run(self.sync.restore, scope, path, number)

    async def delete(self, scope: Scope, path: str) -> Change:
        """Take a document away, keeping its history."""
        return await self._steps.run(self.sync.delete, scope, path)

    async def deleted(self, scope: Scope) -> tuple[str, ...]:
        """Return the documents that are gone and have a history."""
        return await self._steps.run(self.sync.deleted, scope)

    async def rename(self, scope: Scope, path: str, to: str) -> Change:
        """Give a document another name."""
        return await self._steps.run(self.sync.rename, scope, path, to)

    async def erase(self, scope: Scope, path: str, number: int | None = None) -> Erasure:
        """Remove content for good."""
        return await self._steps.run(self.sync.erase, scope, path, number)

    async def sweep(self, scope: Scope, *, dry_run: bool) -> SweepReport:
        """Apply retention, or say what it would remove."""
        return await self._steps.run(self.sync.sweep, scope, dry_run=dry_run)

    async def refresh(
        self,
        scope: Scope,
        *,
        everything: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> RefreshReport:
        """Bring the index in step; *progress* is called on a thread."""
        return await self._steps.run(
            self.sync.refresh, scope, everything=everything, progress=progress
        )

    async def check(self, scope: Scope, *, repair: bool = False) -> dict[str, Any]:
        """Return what is wrong with a store."""
        return await self._steps.run(self.sync.check, scope, repair=repair)

    async def describe(self, scope: Scope, path: str) -> dict[str, Any]:
        """Return a document's metadata."""
        return await self._steps.run(self.sync.describe, scope, path)

    async def explain(
        self, scope: Scope, query: str, *, limit: int = 5, path: str | None = None
    ) -> dict[str, Any]:
        """Return why documents were found."""
        return await self._steps.run(self.sync.explain, scope, query, limit=limit, path=path)

    async def adopt(
        self, scope: Scope, path: str, row: VersionRow, content: str | None
    ) -> Adoption:
        """Add a version from elsewhere to a document's history."""
        return await self._steps.run(self.sync.adopt, scope, path, row, content)

    async def snapshots(self, scope: Scope) -> "tuple[Snapshot, ...]":
        """Return the snapshots of a whole scope."""
        return await self._steps.run(self.sync.snapshots, scope)

    async def take_snapshot(self, scope: Scope) -> "Snapshot | None":
        """Take a snapshot now."""
        return await self._steps.run(self.sync.take_snapshot, scope)

    async def restore_snapshot(self, scope: Scope, snapshot_id: str) -> "Snapshot | None":
        """Replace a whole scope by a snapshot."""
        return await self._steps.run(self.sync.restore_snapshot, scope, snapshot_id)
