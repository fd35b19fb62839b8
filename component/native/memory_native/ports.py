"""What the provider asks of the host: whose memory, what time, and a place for events.

`memory_native.app` binds these to the WIT imports; tests bind them to fakes.
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class Scope:
    """The bound scope; absent agent or project is a scope of its own."""

    tenant_id: str
    user_id: str
    agent_id: str | None = None
    project_id: str | None = None

    def owner_key(self) -> str:
        """Return ``tenant:T:user:U[:agent:A]:project:P|_none`` (reference.md section 1)."""
        agent = f":agent:{self.agent_id}" if self.agent_id is not None else ""
        return f"tenant:{self.tenant_id}:user:{self.user_id}{agent}:project:{self.project_id or '_none'}"


@dataclass(frozen=True, kw_only=True)
class Moment:
    """Unix milliseconds and the user's IANA zone."""

    unix_ms: int
    zone: str = "UTC"


@dataclass(frozen=True, kw_only=True)
class Event:
    """One event for the host's log: enums, hashes and sizes (wit/audit.wit)."""

    kind: str
    path_hash: str | None = None
    reason: str | None = None
    registry: str | None = None
    size: int | None = None


class Host(Protocol):
    """The two imports of the world, as the provider's own code sees them."""

    def scope(self) -> Scope:
        """Return the scope this instance is bound to."""
        ...

    def now(self) -> Moment:
        """Return the time of the current call."""
        ...

    def emit(self, event: Event) -> bool:
        """Record *event*; true means durably recorded."""
        ...
