"""What the gate keeps on disk, as frozen values. Nothing here does I/O."""

from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Literal

from ironclaw_memory.capability.frozen_json import LATER
from ironclaw_memory.model import Effect, Grant, Origin, Scope


class LeaseState(Enum):
    """How far a one-shot lease has come; only an active one may be claimed."""

    ACTIVE = "active"
    CLAIMED = "claimed"
    CONSUMED = "consumed"
    REVOKED = "revoked"


class ApprovedBy(Enum):
    """Where a lease came from."""

    OPERATOR = "operator"  # typed on the command line: the act is the approval
    REQUEST = "request"  # a recorded request that the operator approved


class AskedBecause(Enum):
    """Which rule asked; a standing grant helps against the last one only."""

    ASK_ALWAYS = "ask-always"
    ASK_EACH_TIME = "ask-each-time"
    NO_GRANT = "no-grant"


class ChangeKind(Enum):
    """What a call would do to a document."""

    APPEND = "append"
    REPLACE = "replace"
    PATCH = "patch"
    CLEAR = "clear"
    DELETE = "delete"
    RENAME = "rename"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the operator decided about tools. Auto-approval is off by default."""

    disabled: frozenset[str] = frozenset()
    ask_each_time: frozenset[str] = frozenset()
    auto_approve: bool = False


@dataclass(frozen=True, kw_only=True)
class ScopeAxes:
    """The four axes of a scope, without the thread."""

    tenant: str
    user: str
    agent: str | None = None
    project: str | None = None

    @classmethod
    def of(cls, scope: Scope) -> "ScopeAxes":
        """Take the axes that isolate from *scope*."""
        return cls(tenant=scope.tenant, user=scope.user, agent=scope.agent, project=scope.project)

    def as_scope(self) -> Scope:
        """Return the scope with these axes; raises `InvalidScope` for ids that do not hold."""
        return _scope_with(self)


@lru_cache(maxsize=1024)  # every audit record checks its scope
def _scope_with(axes: ScopeAxes) -> Scope:
    return Scope(tenant=axes.tenant, user=axes.user, agent=axes.agent, project=axes.project)


@dataclass(frozen=True, kw_only=True)
class Lease:
    """Permission for exactly one call: the one with this fingerprint and origin.

    The fingerprint holds the scope of the call; ``scope`` repeats it for who takes leases back.
    """

    id: str
    fingerprint: str
    tool: str
    origin: Origin
    expires_ms: int
    approved_by: ApprovedBy
    state: LeaseState = LeaseState.ACTIVE
    scope: ScopeAxes | None = field(default=None, metadata={LATER: True})

    def is_open(self, *, fingerprint: str | None, origin: Origin | None, now_ms: int) -> bool:
        """Say whether the lease may be claimed for that call now."""
        return (
            self.state is LeaseState.ACTIVE
            and self.fingerprint == fingerprint
            and self.origin is origin
            and now_ms < self.expires_ms
        )


@dataclass(frozen=True, kw_only=True)
class PendingRequest:
    """A call that needs approval: what it was, without a word of what it would save.

    ``target`` is the document that it names, cut short: a model wrote it. ``change`` is what
    it would do there, ``text_bytes`` the size of the text that it would store.
    """

    id: str
    fingerprint: str
    tool: str
    scope: ScopeAxes
    origin: Origin
    effects: frozenset[Effect]
    asked_because: AskedBecause
    argument_bytes: int
    created_ms: int
    target: str | None = field(default=None, metadata={LATER: True})
    change: ChangeKind | None = field(default=None, metadata={LATER: True})
    text_bytes: int | None = field(default=None, metadata={LATER: True})


@dataclass(frozen=True, kw_only=True)
class GateState:
    """The whole content of the gate's file."""

    format: Literal[1] = 1
    settings: Settings = Settings()
    grants: tuple[Grant, ...] = ()
    leases: tuple[Lease, ...] = ()
    pending: tuple[PendingRequest, ...] = ()
