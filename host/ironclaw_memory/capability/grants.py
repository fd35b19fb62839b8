"""Standing grants: pure changes of the gate's state."""

from dataclasses import replace

from ironclaw_memory.capability.state import GateState, LeaseState
from ironclaw_memory.model import Grant


def add_grant(state: GateState, grant: Grant, *, grant_id: str) -> tuple[GateState, Grant]:
    """Add *grant* under *grant_id*."""
    added = replace(grant, id=grant_id)
    return replace(state, grants=(*state.grants, added)), added


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


def revoke(state: GateState, key: str) -> tuple[GateState, tuple[str, ...]]:
    """Take back every grant and every open lease whose id or tool is *key*.

    Returns the ids that were taken back. A lease whose call already runs stays.
    """
    grants = tuple(grant for grant in state.grants if key not in (grant.id, grant.tool))
    leases, revoked = [], [g.id for g in state.grants if key in (g.id, g.tool)]
    for lease in state.leases:
        if lease.state is LeaseState.ACTIVE and key in (lease.id, lease.tool):
            revoked.append(lease.id)
            leases.append(replace(lease, state=LeaseState.REVOKED))
        else:
            leases.append(lease)
    if not revoked:
        return state, ()
    return replace(state, grants=grants, leases=tuple(leases)), tuple(revoked)
