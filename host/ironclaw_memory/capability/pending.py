"""Calls that wait for approval: pure changes of the gate's state."""

from dataclasses import dataclass, replace
from typing import Final

from ironclaw_memory.capability.grants import add_grant
from ironclaw_memory.capability.leases import with_lease
from ironclaw_memory.capability.state import (
    ApprovedBy,
    AskedBecause,
    GateState,
    Lease,
    PendingRequest,
)
from ironclaw_memory.demands import demand_whole
from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.model import Grant


KEPT_MS: Final = 7 * 24 * 60 * 60 * 1000  # a request older than a week is forgotten
MAX_PENDING: Final = 200  # a loop that asks for ever pushes out its own oldest requests
LEASE_MS: Final = 24 * 60 * 60 * 1000  # how long an approved call may take to come back


@dataclass(frozen=True)
class Once:
    """Approve exactly this call, once."""


@dataclass(frozen=True, kw_only=True)
class ForMs:
    """Approve calls like this one for so many milliseconds."""

    duration_ms: int


@dataclass(frozen=True)
class Always:
    """Approve calls like this one until it is revoked."""


Approval = Once | ForMs | Always


def demand_approval(given: object) -> None:
    """Raise `InvalidArguments` for what is none of the three, such as its name in a string."""
    if not isinstance(given, Once | ForMs | Always):
        raise InvalidArguments(
            "how: is none of the ways to approve.",
            field="how",
            hint="Give `Once()`, `ForMs(duration_ms=3_600_000)` or `Always()` of `ironclaw_memory`.",
        )
    if isinstance(given, ForMs):
        demand_whole(given.duration_ms, "duration_ms", least=1)


def remembered(state: GateState, request: PendingRequest) -> tuple[GateState, PendingRequest]:
    """Keep *request*, or return the one that waits for the same call already."""
    waiting = find_same(state, request)
    if waiting is not None:
        return state, waiting
    kept = still_waiting(state, request.created_ms)[-(MAX_PENDING - 1) :]
    return replace(state, pending=(*kept, request)), request


def find_same(state: GateState, request: PendingRequest) -> PendingRequest | None:
    """Return the request for the same call from the same origin for the same reason."""
    for waiting in still_waiting(state, request.created_ms):
        if (waiting.fingerprint, waiting.origin, waiting.asked_because) == (
            request.fingerprint,
            request.origin,
            request.asked_because,
        ):
            return waiting
    return None


def still_waiting(state: GateState, now_ms: int) -> tuple[PendingRequest, ...]:
    """Return the requests that are not too old, oldest first."""
    return tuple(request for request in state.pending if now_ms < request.created_ms + KEPT_MS)


def approved(
    state: GateState, request_id: str, how: Approval, *, now_ms: int, new_id: str
) -> tuple[GateState, Lease | Grant]:
    """Turn a waiting request into a lease (`Once`) or a grant, and forget the request.

    Raises `InvalidArguments` where no such request waits, where *how* is none of the three, or
    where a standing grant would have no effect because the tool asks every time.
    """
    demand_approval(how)
    rest, request = declined(state, request_id, now_ms=now_ms)
    match how:
        case Once():
            lease = _lease(request, now_ms=now_ms, lease_id=new_id)
            return with_lease(rest, lease, now_ms=now_ms), lease
        case ForMs(duration_ms=duration_ms):
            grant = _grant(request, expires_ms=now_ms + duration_ms)
            return add_grant(rest, grant, grant_id=new_id)
        case Always():
            return add_grant(rest, _grant(request, expires_ms=None), grant_id=new_id)


def declined(state: GateState, request_id: str, *, now_ms: int) -> tuple[GateState, PendingRequest]:
    """Forget a waiting request and return it.

    Raises `InvalidArguments` where no such request waits.
    """
    request = next((r for r in still_waiting(state, now_ms) if r.id == request_id), None)
    if request is None:
        raise InvalidArguments(
            "No request with this id waits for approval.",
            field="request_id",
            hint="`ironclaw-memory pending` lists the requests that wait.",
        )
    return replace(state, pending=tuple(r for r in state.pending if r.id != request_id)), request


def _lease(request: PendingRequest, *, now_ms: int, lease_id: str) -> Lease:
    return Lease(
        id=lease_id,
        fingerprint=request.fingerprint,
        tool=request.tool,
        origin=request.origin,
        expires_ms=now_ms + LEASE_MS,
        approved_by=ApprovedBy.REQUEST,
        scope=request.scope,
    )


def _grant(request: PendingRequest, *, expires_ms: int | None) -> Grant:
    if request.asked_because is not AskedBecause.NO_GRANT:
        raise InvalidArguments(
            "This tool asks every time, so a standing approval would have no effect.",
            field="how",
            hint=f"`ironclaw-memory approve {request.id} --once` approves this one call.",
        )
    return Grant.exactly(
        tool=request.tool,
        scope=request.scope.as_scope(),
        origin=request.origin,
        effects=request.effects,
        expires_ms=expires_ms,
    )
