"""What the gate is asked. Data only: the rules are in `table`."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from ironclaw_memory.capability.state import Lease, Settings
from ironclaw_memory.model import Cell, Effect, Grant, Origin, Scope


class Permission(Enum):
    """A tool's ``default_permission`` (reference.md section 7)."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, kw_only=True)
class ToolRules:
    """What the gate knows about one tool of one provider, after clamping.

    ``matrix`` maps an origin to its cell; an origin that is missing is forbidden,
    and no matrix at all denies every origin.
    """

    tool: str
    matrix: Mapping[Origin, Cell] | None
    effects: frozenset[Effect]
    permission: Permission


@dataclass(frozen=True, kw_only=True)
class Question:
    """One call, put to the gate. Everything a rule may look at is in here.

    ``fingerprint`` is ``None`` before the arguments have been looked at; then no
    lease can match. Settings that cannot be read are an error before there is a question.
    ``grants`` and ``leases`` are all there are: the rules pick those that fit.
    """

    rules: ToolRules
    origin: Origin | None
    scope: Scope
    settings: Settings
    now_ms: int
    fingerprint: str | None = None
    grants: tuple[Grant, ...] = ()
    leases: tuple[Lease, ...] = ()
