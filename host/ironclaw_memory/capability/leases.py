"""One-shot leases: pure changes of the gate's state.

active → claimed (the call runs) → consumed, or back to active where the call did
not run. A host that dies in between leaves a lease claimed for ever: it allowed
one call and will not allow a second.
"""

from dataclasses import replace

from ironclaw_memory.capability.state import GateState, Lease, LeaseState


_OVER = frozenset({LeaseState.CONSUMED, LeaseState.REVOKED})


def with_lease(state: GateState, lease: Lease, *, now_ms: int) -> GateState:
    """Add *lease* and forget those that can never allow anything again."""
    kept = (old for old in state.leases if old.state not in _OVER and now_ms < old.expires_ms)
    return replace(state, leases=(*kept, lease))


def claim(state: GateState, lease_id: str) -> tuple[GateState, bool]:
    """Claim an active lease; false where somebody else was first."""
    return _move(state, lease_id, LeaseState.ACTIVE, LeaseState.CLAIMED)


def consume(state: GateState, lease_id: str) -> tuple[GateState, bool]:
    """Use a claimed lease up, because its call ran."""
    return _move(state, lease_id, LeaseState.CLAIMED, LeaseState.CONSUMED)


def release(state: GateState, lease_id: str) -> tuple[GateState, bool]:
    """Make a claimed lease active again, because its call did not run."""
    return _move(state, lease_id, LeaseState.CLAIMED, LeaseState.ACTIVE)


def _move(
    state: GateState, lease_id: str, before: LeaseState, after: LeaseState
) -> tuple[GateState, bool]:
    moved, leases = False, []
    for lease in state.leases:
        if lease.id == lease_id and lease.state is before:
            leases.append(replace(lease, state=after))
            moved = True
        else:
            leases.append(lease)
    return (replace(state, leases=tuple(leases)), True) if moved else (state, False)
