"""The rules of the gate, as one table (design.md section 7).

`RULES` is read from the top and the first row that applies decides. The last
row applies to everything, so a call that no rule allows needs approval. Rows
marked ``early`` do not look at arguments, grants or leases; they come first, so
the check before the arguments and the check after them cannot disagree.
"""

from collections.abc import Callable
from enum import Enum
from typing import Final, NamedTuple

from ironclaw_memory.capability.question import Permission, Question, ToolRules
from ironclaw_memory.capability.state import Lease
from ironclaw_memory.model import Cell, Effect, Grant, Origin


# The reviewed list: ids whose `ungated` survives, for loop_run only (reference.md section 7).
UNGATED_LOOP_RUN: Final = frozenset(
    f"ironclaw.memory.{name}" for name in ("read", "search", "tree", "profile_set")
)

# What any memory provider may do at most (reference.md section 7, the policy's ceiling).
CEILING: Final = frozenset(
    {Effect.DISPATCH_CAPABILITY, Effect.READ_FILESYSTEM, Effect.WRITE_FILESYSTEM}
)

_READS: Final = frozenset({Effect.DISPATCH_CAPABILITY, Effect.READ_FILESYSTEM})

# What a reviewed id may do. Without it a manifest could ask for an ungated `read` that writes.
TOOL_CEILINGS: Final = {
    "ironclaw.memory.read": _READS,
    "ironclaw.memory.search": _READS,
    "ironclaw.memory.tree": _READS,
}


class Verdict(Enum):
    """What a rule says."""

    ALLOW = "allow"
    DENY = "deny"
    ASK = "ask"


class Reason(Enum):
    """The reason code of a decision: what programs and the audit log see."""

    NO_ORIGIN = "no-origin"
    NO_MATRIX = "no-matrix"
    FORBIDDEN = "forbidden"
    NO_EFFECTS = "no-effects"
    TOOL_DISABLED = "tool-disabled"
    LEASE = "lease"
    ASK_ALWAYS = "ask-always"
    ASK_EACH_TIME = "ask-each-time"
    UNGATED = "ungated"
    CONSENT_SUFFICIENT = "consent-sufficient"
    GRANT = "grant"
    AUTO_APPROVE = "auto-approve"
    NO_GRANT = "no-grant"


def clamped_cell(tool: str, origin: Origin, cell: Cell, permission: Permission) -> Cell:
    """Return the cell that host policy leaves of a requested one.

    ``ungated`` needs loop_run, the reviewed list and a default permission of
    ``allow``, else it is gated; ``consent_sufficient`` belongs to product alone
    and forbids elsewhere.
    """
    match cell:
        case Cell.UNGATED:
            reviewed = origin is Origin.LOOP_RUN and tool in UNGATED_LOOP_RUN
            free = reviewed and permission is Permission.ALLOW
            return Cell.UNGATED if free else Cell.GATED_UNLESS_GRANTED
        case Cell.CONSENT_SUFFICIENT:
            return cell if origin is Origin.PRODUCT else Cell.FORBIDDEN
        case _:
            return cell


def cell_of_tool(rules: ToolRules, origin: Origin | None) -> Cell:
    """Return the cell that governs a tool for *origin*; whatever is missing is forbidden."""
    if origin is None or rules.matrix is None:
        return Cell.FORBIDDEN
    requested = rules.matrix.get(origin, Cell.FORBIDDEN)
    return clamped_cell(rules.tool, origin, requested, rules.permission)


def cell_of(question: Question) -> Cell:
    """Return the cell that governs *question*."""
    return cell_of_tool(question.rules, question.origin)


def open_lease(question: Question) -> Lease | None:
    """Return the lease for exactly this call, if one may be claimed now."""
    for lease in question.leases:
        if lease.tool == question.rules.tool and lease.is_open(
            fingerprint=question.fingerprint, origin=question.origin, now_ms=question.now_ms
        ):
            return lease
    return None


def covering_grant(question: Question) -> Grant | None:
    """Return a grant that covers the call, one that is not used up by it if possible."""
    rules, origin, counted = question.rules, question.origin, None
    if origin is None:
        return None
    for grant in question.grants:
        if grant.in_force(question.now_ms) and grant.covers(
            tool=rules.tool, scope=question.scope, origin=origin, effects=rules.effects
        ):
            if grant.uses_left is None:
                return grant
            counted = counted or grant
    return counted


def _is_disabled(question: Question) -> bool:
    return question.rules.tool in question.settings.disabled


def _asks_each_time(question: Question) -> bool:
    return question.rules.tool in question.settings.ask_each_time


def _is_auto_approved(question: Question) -> bool:
    return question.settings.auto_approve and question.rules.permission is not Permission.DENY


class Rule(NamedTuple):
    """One row. ``when`` says in words what ``applies`` tests; the docs print it.

    ``sentence`` and ``remedy`` may name ``{tool}`` and ``{origin}``.
    """

    reason: Reason
    verdict: Verdict
    when: str
    sentence: str
    applies: Callable[[Question], bool]
    remedy: str = ""
    early: bool = False


RULES: Final = (
    Rule(
        reason=Reason.NO_ORIGIN,
        verdict=Verdict.DENY,
        early=True,
        when="the call has no origin",
        sentence="Nobody said who caused this call.",
        remedy="Give the call an origin: loop_run, product or automation.",
        applies=lambda q: q.origin is None,
    ),
    Rule(
        reason=Reason.NO_MATRIX,
        verdict=Verdict.DENY,
        early=True,
        when="the tool has no origin gate matrix",
        sentence="{tool} does not say which origins may use it, so none may.",
        remedy="The provider's manifest has to give the tool an origin_gate_matrix.",
        applies=lambda q: q.rules.matrix is None,
    ),
    Rule(
        reason=Reason.FORBIDDEN,
        verdict=Verdict.DENY,
        early=True,
        when="the cell is `forbidden`, or the matrix leaves it out",
        sentence="{tool} is forbidden for {origin}.",
        remedy="No grant changes that; only another origin may use the tool.",
        applies=lambda q: cell_of(q) is Cell.FORBIDDEN,
    ),
    Rule(
        reason=Reason.NO_EFFECTS,
        verdict=Verdict.DENY,
        early=True,
        when="the tool has no effects, so nothing says what it would need",
        sentence="{tool} does not say what it does, so it may do nothing.",
        remedy="The provider's manifest has to list the tool's effects.",
        applies=lambda q: not q.rules.effects,
    ),
    Rule(
        reason=Reason.TOOL_DISABLED,
        verdict=Verdict.DENY,
        early=True,
        when="the operator disabled the tool",
        sentence="The operator disabled {tool}.",
        remedy="The operator enables it again with `ironclaw-memory policy enable {tool}`.",
        applies=_is_disabled,
    ),
    Rule(
        reason=Reason.LEASE,
        verdict=Verdict.ALLOW,
        when="a one-shot lease for exactly this call is active and not expired",
        sentence="This very call was approved once.",
        applies=lambda q: open_lease(q) is not None,
    ),
    Rule(
        reason=Reason.ASK_ALWAYS,
        verdict=Verdict.ASK,
        when="the cell is `ask_always`",
        sentence="{tool} asks before every call from {origin}.",
        remedy="Only the approval of this very request allows it; a standing grant does not.",
        applies=lambda q: cell_of(q) is Cell.ASK_ALWAYS,
    ),
    Rule(
        reason=Reason.ASK_EACH_TIME,
        verdict=Verdict.ASK,
        when="the operator wants to be asked each time",
        sentence="The operator wants to be asked about every call of {tool}.",
        remedy="Only the approval of this very request allows it, until "
        "`ironclaw-memory policy enable {tool}` ends the asking.",
        applies=_asks_each_time,
    ),
    Rule(
        reason=Reason.UNGATED,
        verdict=Verdict.ALLOW,
        when="the cell is `ungated`",
        sentence="{tool} is ungated for {origin}.",
        applies=lambda q: cell_of(q) is Cell.UNGATED,
    ),
    Rule(
        reason=Reason.CONSENT_SUFFICIENT,
        verdict=Verdict.ALLOW,
        when="the cell is `consent_sufficient`",
        sentence="The person's own act is consent enough for {tool}.",
        applies=lambda q: cell_of(q) is Cell.CONSENT_SUFFICIENT,
    ),
    Rule(
        reason=Reason.GRANT,
        verdict=Verdict.ALLOW,
        when="a standing grant covers tool, scope, origin and effects, has not expired "
        "and has uses left",
        sentence="A standing grant covers {tool} for {origin}.",
        applies=lambda q: covering_grant(q) is not None,
    ),
    Rule(
        reason=Reason.AUTO_APPROVE,
        verdict=Verdict.ALLOW,
        when="the operator switched auto-approval on and the tool's default permission "
        "is not `deny`",
        sentence="The operator approves calls like this one automatically.",
        applies=_is_auto_approved,
    ),
    Rule(
        reason=Reason.NO_GRANT,
        verdict=Verdict.ASK,
        when="otherwise",
        sentence="{tool} needs approval for {origin}, and no grant covers this call.",
        remedy="Allow it from now on with `ironclaw-memory grant {tool} --origin {origin}{scope}`.",
        applies=lambda q: True,
    ),
)
