"""Values that the tests of the gate share."""

from ironclaw_memory.capability.question import Permission, Question, ToolRules
from ironclaw_memory.capability.state import ApprovedBy, Lease, Settings
from ironclaw_memory.model import Cell, Effect, Grant, Origin, Scope


NOW = 1_000_000
SCOPE = Scope(tenant="acme", user="alice", project="p1")
FINGERPRINT = "sha256:" + "a" * 64
READ = "ironclaw.memory.read"
WRITE = "ironclaw.memory.write"
DEFAULTS = Settings()
EFFECTS = frozenset({Effect.DISPATCH_CAPABILITY, Effect.WRITE_FILESYSTEM})


def rules(
    cell: Cell | None = Cell.GATED_UNLESS_GRANTED,
    *,
    tool: str = WRITE,
    origin: Origin = Origin.LOOP_RUN,
    permission: Permission = Permission.ALLOW,
    effects: frozenset[Effect] = EFFECTS,
) -> ToolRules:
    """Return the rules of a tool with one cell; ``None`` leaves the cell out."""
    matrix = {} if cell is None else {origin: cell}
    return ToolRules(tool=tool, matrix=matrix, effects=effects, permission=permission)


def grant(
    *,
    tool: str = WRITE,
    origin: Origin = Origin.LOOP_RUN,
    expires_ms: int | None = None,
    uses_left: int | None = None,
    effects: frozenset[Effect] = EFFECTS,
) -> Grant:
    """Return a grant for `SCOPE`."""
    return Grant.exactly(
        tool=tool,
        scope=SCOPE,
        origin=origin,
        effects=effects,
        expires_ms=expires_ms,
        uses_left=uses_left,
    )


def lease(
    *, tool: str = WRITE, origin: Origin = Origin.LOOP_RUN, lease_id: str = "lease-1"
) -> Lease:
    """Return an active lease for `FINGERPRINT`."""
    return Lease(
        id=lease_id,
        fingerprint=FINGERPRINT,
        tool=tool,
        origin=origin,
        expires_ms=NOW + 1,
        approved_by=ApprovedBy.REQUEST,
    )


def question(
    tool_rules: ToolRules,
    *,
    origin: Origin | None = Origin.LOOP_RUN,
    settings: Settings = DEFAULTS,
    grants: tuple[Grant, ...] = (),
    leases: tuple[Lease, ...] = (),
    now_ms: int = NOW,
    scope: Scope = SCOPE,
) -> Question:
    """Return a question about a call with `FINGERPRINT`."""
    return Question(
        rules=tool_rules,
        origin=origin,
        scope=scope,
        settings=settings,
        now_ms=now_ms,
        fingerprint=FINGERPRINT,
        grants=grants,
        leases=leases,
    )
