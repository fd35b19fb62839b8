"""The gate's half of a host: who may do what, what waits for approval, and what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from ironclaw_memory.calls import Wiring
from ironclaw_memory.calls.acts import permitted, require
from ironclaw_memory.calls.wiring import served
from ironclaw_memory.capability.records import Kind, Outcome, Record
from ironclaw_memory.capability.state import Lease, PendingRequest, ScopeAxes, Settings
from ironclaw_memory.demands import demand_flag, demand_mapping, demand_text, demand_whole
from ironclaw_memory.errors import AuditUnavailable, UndeclaredTool
from ironclaw_memory.model import (
    TOOL_FORM,
    Grant,
    Invocation,
    Origin,
    Scope,
    demand_grants,
    demand_scope,
)


if TYPE_CHECKING:
    from ironclaw_memory.capability.audit_reading import Entry, Selection
    from ironclaw_memory.capability.pending import Approval


class Permissions:
    """Grants, approvals and the audit log of an open host."""

    _wiring: Wiring

    def require(
        self,
        tool_id: str,
        *,
        scope: Scope,
        origin: Origin | str | None,
        grants: Iterable[Grant] = (),
    ) -> None:
        """Ask whether a call would run as things stand; nothing runs and nothing is recorded.

        Raises `UndeclaredTool`, or `AccessRefused` with what would allow it.
        """
        require(
            self._wiring,
            tool_id,
            scope=scope,
            origin=Origin.of(origin),
            grants=demand_grants(grants),
        )

    def permitted(
        self,
        tool_id: str,
        act: Mapping[str, Any],
        *,
        scope: Scope,
        origin: Origin | str | None,
        grants: Iterable[Grant] = (),
    ) -> AbstractContextManager[None]:
        """Return a block that runs as gated, and as recorded, as a call of *tool_id*.

        For acts of a model that are no tool of the contract, such as deleting. *act* says
        what is done; an approval is bound to it. Entering raises `AccessRefused`.
        """
        invocation = Invocation(
            tool_id=tool_id,
            arguments=act,
            scope=scope,
            origin=Origin.of(origin),
            grants=demand_grants(grants),
        )
        demand_mapping(act, "act")
        return permitted(self._wiring, invocation)

    def command_line(self, *words: str) -> str:
        """Return the command of *words*, for a shell, that reaches this host's memory.

        For instance ``host.command_line("pending")``: it names the data directory and the
        provider where they are not the configured ones.
        """
        for word in words:
            demand_text(word, "words")
        return self._wiring.command_line(*words)

    @served
    def grant(
        self,
        tool_id: str,
        *,
        scope: Scope,
        origin: Origin | str = Origin.LOOP_RUN,
        for_ms: int | None = None,
        uses: int | None = None,
    ) -> Grant:
        """Allow *tool_id* for calls of *origin* on *scope*, for a time, for some uses, or for good.

        Raises `AccessDenied` where the grant would have no effect, and `InvalidArguments`
        with the code ``no-grant-needed`` where the call runs without one, or for a time or
        number of uses that is no whole number from 1.
        """
        demand_scope(scope)
        demand_text(tool_id, "tool_id", hint=TOOL_FORM)
        for field, given in (("for_ms", for_ms), ("uses", uses)):
            if given is not None:
                demand_whole(given, field, least=1)
        rules = self._wiring.effective.tools.get(tool_id)
        if rules is None:
            raise UndeclaredTool(
                f"There is no tool {tool_id!r:.80} to grant.",
                hint=self._wiring.package.meant(tool_id),
            )
        now_ms = self._wiring.now_ms()
        wanted = Grant.exactly(
            tool=tool_id,
            scope=scope,
            origin=Origin.of(origin) or Origin.LOOP_RUN,
            effects=rules.effects,
            expires_ms=None if for_ms is None else now_ms + for_ms,
            uses_left=uses,
        )
        kept = self._wiring.gate.grant(wanted, rules, now_ms=now_ms)
        with self._in_force_only_if_recorded(kept.id):
            self._record_gate(Kind.GRANT, tool=tool_id, subject=kept.id, scope=scope)
        return kept

    @served
    def grants(self) -> tuple[Grant, ...]:
        """Return the standing grants that allow something now."""
        now_ms = self._wiring.now_ms()
        return self._wiring.gate.grants(self._wiring.effective.tools, now_ms=now_ms)

    @served
    def revoke(self, key: str, *, scope: Scope | None = None) -> tuple[str, ...]:
        """Take back the grants and leases with this id or for this tool; return their ids.

        With *scope*, those for the tool in this scope alone; without, those of every scope. An
        id is taken back whatever its scope.
        """
        demand_text(key, "key")
        if scope is not None:
            demand_scope(scope)
        axes = None if scope is None else ScopeAxes.of(scope)
        gone = self._wiring.gate.revoke(key, scope=axes)
        for grant_id in gone:
            self._record_gate(Kind.REVOKE, subject=grant_id)
        return gone

    @served
    def pending(self) -> tuple[PendingRequest, ...]:
        """Return the calls that wait for approval, oldest first."""
        return self._wiring.gate.pending(now_ms=self._wiring.now_ms())

    @served
    def approve(self, request_id: str, how: Approval) -> Lease | Grant:
        """Approve a waiting call: `Once()`, `ForMs(duration_ms=…)` or `Always()`.

        `ApprovalRequired.request_id` and `pending` name it; the caller then repeats the call.
        Raises `InvalidArguments` where no such call waits, and for any other *how*.
        """
        approved = self._wiring.gate.approve(request_id, how, now_ms=self._wiring.now_ms())
        with self._in_force_only_if_recorded(approved.id):
            self._record_gate(Kind.APPROVE, tool=approved.tool, subject=approved.id)
        return approved

    @served
    def decline(self, request_id: str) -> PendingRequest:
        """Forget a waiting call because a person said no; the same call would ask anew."""
        declined = self._wiring.gate.decline(request_id, now_ms=self._wiring.now_ms())
        self._record_gate(Kind.DECLINE, tool=declined.tool, subject=declined.id)
        return declined

    @served
    def settings(self) -> Settings:
        """Return what the operator decided about tools, for every scope of this root."""
        return self._wiring.gate.state().settings

    @served
    def set_disabled(self, tool_id: str, *, disabled: bool) -> None:
        """Take a tool out of use for every scope and process, or put it back."""
        demand_text(tool_id, "tool_id", hint=TOOL_FORM)
        demand_flag(disabled, "disabled")
        with self._recorded_setting("disabled" if disabled else "enabled", tool_id):
            self._wiring.gate.set_disabled(tool_id, disabled=disabled)

    @served
    def set_ask_each_time(self, tool_id: str, *, ask: bool) -> None:
        """Ask before every call of a tool, whatever is granted, or stop doing so."""
        demand_text(tool_id, "tool_id", hint=TOOL_FORM)
        demand_flag(ask, "ask")
        with self._recorded_setting("ask-each-time" if ask else "ask-once", tool_id):
            self._wiring.gate.set_ask_each_time(tool_id, ask=ask)

    @served
    def set_auto_approve(self, *, auto_approve: bool) -> None:
        """Approve what only a grant is missing for, or go back to asking."""
        demand_flag(auto_approve, "auto_approve")
        with self._recorded_setting("auto-approve-on" if auto_approve else "auto-approve-off"):
            self._wiring.gate.set_auto_approve(auto_approve=auto_approve)

    def audit(
        self, selection: Selection | None = None, *, wait: Callable[[], bool] | None = None
    ) -> Iterator[Entry]:
        """Yield the log's entries, oldest first.

        With *wait* those that come later too: it is called whenever there is nothing new,
        and sleeps, or returns false to stop.
        """
        from ironclaw_memory.capability.audit_reading import (  # noqa: PLC0415 - seldom needed
            Selection,
            follow,
        )

        self._wiring.audit.close()  # what was noted is part of the log
        return follow(
            self._wiring.audit.files, selection or Selection(), wait=wait or (lambda: False)
        )

    def _recorded_setting(
        self, reason: str, tool_id: str | None = None
    ) -> AbstractContextManager[None]:
        """Put a decision on record before the block makes it; raises `UndeclaredTool` for no tool."""
        if tool_id is not None:
            self._wiring.package.tool(tool_id)
        return self._wiring.audit.around(
            Record(
                at_ms=self._wiring.now_ms(),
                kind=Kind.SETTING,
                tool=tool_id,
                reason=reason,
                outcome=Outcome.ALLOWED,
                by_operator=True,
            )
        )

    @contextmanager
    def _in_force_only_if_recorded(self, key: str) -> Iterator[None]:
        """Take a grant or lease back where the log could not take it in."""
        try:
            yield
        except AuditUnavailable:
            self._wiring.gate.revoke(key)
            raise

    def _record_gate(
        self,
        kind: Kind,
        *,
        subject: str,
        tool: str | None = None,
        scope: Scope | None = None,
    ) -> None:
        self._wiring.audit.require(
            Record(
                at_ms=self._wiring.now_ms(),
                kind=kind,
                tool=tool,
                subject=subject,
                scope=None if scope is None else ScopeAxes.of(scope),
                outcome=Outcome.SUCCEEDED,
                by_operator=True,
            )
        )
