"""The gate as a call meets it: asked twice, settled once.

Before the arguments: `Gate.check_early`. With them: `Gate.authorise`, which
decides on the state in memory and, only where the answer spends something or
asks somebody, decides again under the lock on the state on disk and writes what
follows. After the call: `Gate.settle`. Time is an argument everywhere.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ironclaw_memory.capability import leases, settings
from ironclaw_memory.capability.decide import (
    Allow,
    Decision,
    Deny,
    NeedsApproval,
    decide,
    decide_early,
    with_grant,
)
from ironclaw_memory.capability.grants import (
    add_grant,
    grants_in_force,
    refund,
    revoke,
    spend,
)
from ironclaw_memory.capability.question import Question, ToolRules
from ironclaw_memory.capability.state import (
    ApprovedBy,
    AskedBecause,
    ChangeKind,
    GateState,
    Lease,
    PendingRequest,
    ScopeAxes,
)
from ironclaw_memory.capability.statefile import StateFile
from ironclaw_memory.capability.table import Reason
from ironclaw_memory.errors import AccessDenied, InvalidArguments, SettingsUnreadable
from ironclaw_memory.model import Grant, Origin, Scope


if TYPE_CHECKING:
    from ironclaw_memory.capability.pending import Approval

DIRECTORY: Final = "gate"
FILE_NAME: Final = "gate.json"
MOST_OF_TARGET: Final = 256  # characters; a legal path is longer in no file system we know


@dataclass(frozen=True, kw_only=True)
class GateRequest:
    """One call with its arguments looked at.

    ``grants`` are those that came with the call itself; their uses are the
    caller's to count. ``argument_bytes`` is the size of the canonical arguments,
    ``target`` the document that they name, if any, ``change`` what the call would do there
    and ``text_bytes`` the size of the text that it would store.
    """

    rules: ToolRules
    origin: Origin | None
    scope: Scope
    fingerprint: str
    argument_bytes: int
    now_ms: int
    grants: tuple[Grant, ...] = ()
    target: str | None = None
    change: ChangeKind | None = None
    text_bytes: int | None = None


@dataclass(frozen=True, kw_only=True)
class Permit:
    """An allowed call. Give it back with `Gate.settle` when the call is over."""

    decision: Allow
    lease_id: str | None = None
    counted_grant_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """A call that needs approval, and the id under which it waits."""

    decision: NeedsApproval
    request_id: str


Answer = Permit | Deny | Waiting


def random_id(prefix: str) -> str:
    """Return *prefix*, a dash and 48 random bits."""
    return f"{prefix}-{secrets.token_hex(6)}"


class Gate:
    """Decides about calls and keeps grants, leases, requests and settings.

    One per process and root; safe under many threads and processes. Every method
    raises `SettingsUnreadable` where the file does not hold: nothing is allowed then.
    """

    def __init__(self, directory: Path, *, new_id: Callable[[str], str] = random_id) -> None:
        """Keep the state below *directory*, which must lie outside every mount."""
        self._file: StateFile[GateState] = StateFile(
            directory / DIRECTORY / FILE_NAME, initial=GateState()
        )
        self._new_id = new_id

    def create(self) -> None:
        """Write an empty state with the default settings unless there is one."""
        self._file.create()

    def state(self) -> GateState:
        """Return everything as it is now."""
        return self._file.snapshot()

    def check_early(
        self, rules: ToolRules, *, origin: Origin | None, scope: Scope, now_ms: int
    ) -> Deny | None:
        """Answer from table and settings alone, before any argument is looked at."""
        return decide_early(
            Question(
                rules=rules,
                origin=origin,
                scope=scope,
                settings=self._file.snapshot().settings,
                now_ms=now_ms,
            )
        )

    def authorise(self, request: GateRequest) -> Answer:
        """Decide about a call; claim, count or record what the decision asks for."""
        decision = decide(_question(self._file.snapshot(), request))
        match decision:
            case Deny():
                return decision
            case Allow() if not _spends(decision):
                return Permit(decision=decision)
            case _:
                return self._file.update(lambda state: self._commit(state, request))

    def authorise_operator(self, request: GateRequest) -> Answer:
        """Decide about a call that the operator typed: a lease for it comes first.

        The operator's act approves what could be approved. It does not reach what
        the table or the settings deny. The lease is minted for this question alone and
        kept nowhere: whatever becomes of the call, no other can claim it.
        """
        question = _question(self._file.snapshot(), request)
        decision = decide(question)
        if request.origin is not None and decision.reason is not Reason.UNGATED:
            lease = Lease(
                id=self._new_id("lease"),
                fingerprint=request.fingerprint,
                tool=request.rules.tool,
                origin=request.origin,
                expires_ms=request.now_ms + 1,
                approved_by=ApprovedBy.OPERATOR,
            )
            decision = decide(replace(question, leases=(lease,)))
        match decision:
            case Deny():
                return decision
            case Allow():
                return Permit(decision=decision)
            case NeedsApproval():
                raise AssertionError("a lease comes before every rule that asks")

    def settle(self, permit: Permit, *, ran: bool) -> None:
        """Use up what allowed the call, or give it back because the call did not run.

        Never raises: a lease that cannot be settled stays claimed and a use stays
        spent, so nothing more is allowed than before.
        """
        with suppress(SettingsUnreadable):
            self._settle_lease(permit.lease_id, ran=ran)
            self._settle_grant(permit.counted_grant_id, ran=ran)

    def grant(self, grant: Grant, rules: ToolRules, *, now_ms: int) -> Grant:
        """Keep *grant* under a new id.

        Raises `AccessDenied` where it would have no effect: on a forbidden cell, on
        a tool that asks each time, or already expired; `InvalidArguments` where the call
        runs without one. A grant shown is in force.
        """
        grant_id = self._new_id("grant")

        def change(state: GateState) -> tuple[GateState, Grant]:
            _refuse_without_effect(state, grant, rules, now_ms)
            return add_grant(state, grant, grant_id=grant_id)

        return self._file.update(change)

    def grants(self, rules: Mapping[str, ToolRules], *, now_ms: int) -> tuple[Grant, ...]:
        """Return the standing grants that allow something now; *rules* is by tool id."""
        state = self._file.snapshot()
        return tuple(
            grant
            for grant in grants_in_force(state, now_ms)
            if grant.tool in rules and not _objection(state, grant, rules[grant.tool], now_ms)
        )

    def revoke(self, key: str, *, scope: ScopeAxes | None = None) -> tuple[str, ...]:
        """Take back the grants and leases with this id or for this tool; see `grants.revoke`."""
        return self._file.update(lambda state: revoke(state, key, scope=scope))

    def pending(self, *, now_ms: int) -> tuple[PendingRequest, ...]:
        """Return the requests that wait for approval, oldest first."""
        from ironclaw_memory.capability.pending import still_waiting  # noqa: PLC0415 - seldom

        return still_waiting(self._file.snapshot(), now_ms)

    def approve(self, request_id: str, how: Approval, *, now_ms: int) -> Lease | Grant:
        """Approve a waiting request; see `pending.approved`."""
        from ironclaw_memory.capability.pending import Once, approved  # noqa: PLC0415 - seldom

        new_id = self._new_id("lease" if isinstance(how, Once) else "grant")
        return self._file.update(
            lambda state: approved(state, request_id, how, now_ms=now_ms, new_id=new_id)
        )

    def decline(self, request_id: str, *, now_ms: int) -> PendingRequest:
        """Forget a waiting request; the same call asks anew. See `pending.declined`."""
        from ironclaw_memory.capability.pending import declined  # noqa: PLC0415 - seldom

        return self._file.update(lambda state: declined(state, request_id, now_ms=now_ms))

    def set_disabled(self, tool: str, *, disabled: bool) -> None:
        """Take *tool* out of use for every process, or put it back."""
        self._file.update(lambda s: (settings.with_disabled(s, tool, disabled=disabled), None))

    def set_ask_each_time(self, tool: str, *, ask: bool) -> None:
        """Ask before every call of *tool*, or stop doing so."""
        self._file.update(lambda s: (settings.with_ask_each_time(s, tool, ask=ask), None))

    def set_auto_approve(self, *, auto_approve: bool) -> None:
        """Approve every gated call without asking, or stop doing so."""
        self._file.update(
            lambda s: (settings.with_auto_approve(s, auto_approve=auto_approve), None)
        )

    def _settle_lease(self, lease_id: str | None, *, ran: bool) -> None:
        if lease_id is not None:
            move = leases.consume if ran else leases.release
            # Losing "consumed" in a crash leaves it claimed, which allows nothing either.
            self._file.update(lambda state: move(state, lease_id), durable=not ran)

    def _settle_grant(self, grant_id: str | None, *, ran: bool) -> None:
        if grant_id is not None and not ran:
            self._file.update(lambda state: (refund(state, grant_id), None))

    def _commit(self, state: GateState, request: GateRequest) -> tuple[GateState, Answer]:
        decision = decide(_question(state, request))
        match decision:
            case Deny():
                return state, decision
            case NeedsApproval():
                from ironclaw_memory.capability.pending import remembered  # noqa: PLC0415 - seldom

                waiting = _pending(request, decision, request_id=self._new_id("request"))
                kept, waiting = remembered(state, waiting)
                return kept, Waiting(decision=decision, request_id=waiting.id)
            case Allow(lease=Lease(id=lease_id)):
                claimed, _ = leases.claim(state, lease_id)
                return claimed, Permit(decision=decision, lease_id=lease_id)
            case Allow() if _spends(decision):
                grant_id = decision.grant.id if decision.grant else ""
                permit = Permit(decision=decision, counted_grant_id=grant_id)
                return spend(state, grant_id), permit
            case Allow():
                return state, Permit(decision=decision)


def _question(state: GateState, request: GateRequest) -> Question:
    return Question(
        rules=request.rules,
        origin=request.origin,
        scope=request.scope,
        settings=state.settings,
        now_ms=request.now_ms,
        fingerprint=request.fingerprint,
        grants=(*(_unstored(grant) for grant in request.grants), *state.grants),
        leases=state.leases,
    )


def _unstored(grant: Grant) -> Grant:
    # A grant that came with the call must never be taken for a stored one of that id.
    return replace(grant, id="")


def _spends(decision: Allow) -> bool:
    if decision.lease is not None:
        return True
    grant = decision.grant
    return grant is not None and grant.uses_left is not None and bool(grant.id)


def _pending(request: GateRequest, decision: NeedsApproval, *, request_id: str) -> PendingRequest:
    if request.origin is None:
        raise AssertionError("a call without an origin is denied, never asked about")
    return PendingRequest(
        id=request_id,
        fingerprint=request.fingerprint,
        tool=request.rules.tool,
        scope=ScopeAxes.of(request.scope),
        origin=request.origin,
        effects=request.rules.effects,
        asked_because=AskedBecause(decision.reason.value),
        argument_bytes=request.argument_bytes,
        created_ms=request.now_ms,
        target=None if request.target is None else request.target[:MOST_OF_TARGET],
        change=request.change,
        text_bytes=request.text_bytes,
    )


def _refuse_without_effect(state: GateState, grant: Grant, rules: ToolRules, now_ms: int) -> None:
    match _objection(state, grant, rules, now_ms):
        case None:
            return
        case Allow(sentence=sentence):
            raise InvalidArguments(
                f"{rules.tool} needs no grant. {sentence}",
                field="tool",
                code="no-grant-needed",
                hint="Calls of it run already, and no grant was made.",
            )
        case Deny() | NeedsApproval() as refusal:
            raise AccessDenied(
                f"The grant would have no effect. {refusal.sentence}",
                code=refusal.reason.value,
                hint=refusal.remedy,
            )


def _objection(state: GateState, grant: Grant, rules: ToolRules, now_ms: int) -> Decision | None:
    """Return what decides calls though the grant is there, or ``None`` where the grant does."""
    decision = with_grant(
        Question(
            rules=rules,
            origin=grant.origin,
            scope=_example(grant),
            settings=replace(state.settings, auto_approve=False),
            now_ms=now_ms,
        ),
        grant,
    )
    return None if decision.reason is Reason.GRANT else decision


def _example(grant: Grant) -> Scope:
    """Return a scope that the grant's pattern matches."""
    return Scope(tenant=grant.tenant, user=grant.user, agent=grant.agent, project=grant.project)
