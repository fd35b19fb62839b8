"""Standing grants: pure changes of the gate's state."""

from dataclasses import replace

from ironclaw_memory.capability.state import (
    AskedBecause,
    GateState,
    Lease,
    LeaseState,
    PendingRequest,
    ScopeAxes,
)
from ironclaw_memory.errors import InvalidScope
from ironclaw_memory.model import Grant


def add_grant(state: GateState, grant: Grant, *, grant_id: str) -> tuple[GateState, Grant]:
    """Add *grant* under *grant_id*; the calls that waited for one like it wait no longer.

    Else approving one of them later would leave a lease that outlives the grant.
    """
    added = replace(grant, id=grant_id)
    waiting = tuple(request for request in state.pending if not _answers(added, request))
    return replace(state, grants=(*state.grants, added), pending=waiting), added


def _answers(grant: Grant, request: PendingRequest) -> bool:
    try:
        scope = request.scope.as_scope()
    except InvalidScope:  # the file was edited
        return False
    return request.asked_because is AskedBecause.NO_GRANT and grant.covers(
        tool=request.tool, scope=scope, origin=request.origin, effects=request.effects
    )


def grants_in_force(state: GateState, now_ms: int) -> tuple[Grant, ...]:
    """Return the grants that have neither expired nor been used up."""
    return tuple(grant for grant in state.grants if grant.in_force(now_ms))


def spend(state: GateState, grant_id: str) -> GateState:
    """Take one use of a counted grant; one without a count stays as it is."""
    return _count(state, grant_id, -1)


def refund(state: GateState, grant_id: str) -> GateState:
    """Give one use back, because the call did not run. A revoked grant stays gone."""
    return _count(state, grant_id, +1)


def _count(state: GateState, grant_id: str, step: int) -> GateState:
    def counted(grant: Grant) -> Grant:
        if grant.id != grant_id or grant.uses_left is None:
            return grant
        return replace(grant, uses_left=grant.uses_left + step)

    grants = tuple(counted(grant) for grant in state.grants)
    return state if grants == state.grants else replace(state, grants=grants)


def revoke(
    state: GateState, key: str, *, scope: ScopeAxes | None = None
) -> tuple[GateState, tuple[str, ...]]:
    """Take back every grant and every open lease whose id or tool is *key*.

    With *scope*, those of a tool in this scope alone; an id is taken back whatever its scope.
    Returns the ids that were taken back. A lease whose call already runs stays; one that does
    not say its scope goes, since too much taken back is only asked for again.
    """
    grants = tuple(g for g in state.grants if not _is_meant(g, _scope_of(g), key, scope))
    leases, revoked = [], [g.id for g in state.grants if g not in grants]
    for lease in state.leases:
        if lease.state is LeaseState.ACTIVE and _is_meant(lease, lease.scope, key, scope):
            revoked.append(lease.id)
            leases.append(replace(lease, state=LeaseState.REVOKED))
        else:
            leases.append(lease)
    if not revoked:
        return state, ()
    return replace(state, grants=grants, leases=tuple(leases)), tuple(revoked)


def _is_meant(one: Grant | Lease, of: ScopeAxes | None, key: str, scope: ScopeAxes | None) -> bool:
    return one.id == key or (one.tool == key and (None in (of, scope) or of == scope))


def _scope_of(grant: Grant) -> ScopeAxes:
    return ScopeAxes(tenant=grant.tenant, user=grant.user, agent=grant.agent, project=grant.project)
