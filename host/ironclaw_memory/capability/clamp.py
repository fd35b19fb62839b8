"""What a manifest asks for, and what host policy leaves of it.

A manifest is a request of somebody nobody trusts yet. `clamp` is the only way
from the request to the `ToolRules` that the gate works with, and it keeps a
note of everything it took away.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from ironclaw_memory.capability.question import Permission, ToolRules
from ironclaw_memory.capability.table import CEILING, TOOL_CEILINGS, clamped_cell
from ironclaw_memory.model import Cell, Effect, Origin


MEMORY_TOOLS: Final = "ironclaw.memory."  # the namespace every memory provider serves
RESERVED_IDS: Final = ("ironclaw.", "mcp-")  # reference.md section 8


class Trust(Enum):
    """How far the host trusts a provider; it never follows from a request."""

    SANDBOX = "sandbox"
    FIRST_PARTY = "first_party"


class Hook(Enum):
    """The lifecycle hooks there are (reference.md section 3)."""

    READ_LONG_TERM = "read_long_term"
    READ_SHORT_TERM = "read_short_term"
    RECORD_INTERACTION = "record_interaction"
    PROFILE_READ = "profile_read"


@dataclass(frozen=True, kw_only=True)
class RequestedTool:
    """One tool as a manifest declares it. A missing matrix is ``None``."""

    tool: str
    effects: frozenset[Effect]
    permission: Permission
    matrix: Mapping[Origin, Cell] | None


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a manifest asks for. ``trust`` and ``lifecycle`` are its own words."""

    extension_id: str
    trust: str
    lifecycle: tuple[str, ...]
    tools: tuple[RequestedTool, ...]


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What the host allows. ``bundled`` says that the digest is the shipped one."""

    bundled: bool
    ceiling: frozenset[Effect] = CEILING


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One thing that was taken away; ``component info`` prints it."""

    subject: str
    requested: str
    effective: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Effective:
    """What a provider gets. One that is ``refused`` may not be used at all."""

    extension_id: str
    refused: bool
    trust: Trust
    lifecycle: frozenset[Hook]
    tools: tuple[ToolRules, ...]
    differences: tuple[Difference, ...]


def clamp(request: Request, policy: Policy) -> Effective:
    """Return what host policy leaves of *request*, and each difference with its reason."""
    notes: list[Difference] = []
    return Effective(
        extension_id=request.extension_id,
        refused=_is_refused(request, policy, notes),
        trust=_trust(request, policy, notes),
        lifecycle=_lifecycle(request, notes),
        tools=_tools(request, policy, notes),
        differences=tuple(notes),
    )


def _is_refused(request: Request, policy: Policy, notes: list[Difference]) -> bool:
    reserved = request.extension_id.startswith(RESERVED_IDS)
    if not reserved or policy.bundled:
        return False
    reason = "ids under ironclaw. and mcp- are reserved; only the bundled component may use one"
    notes.append(_difference("id", request.extension_id, "refused", reason))
    return True


def _trust(request: Request, policy: Policy, notes: list[Difference]) -> Trust:
    trust = Trust.FIRST_PARTY if policy.bundled else Trust.SANDBOX
    wants_more = request.trust not in {"untrusted", "third_party"}
    if wants_more and trust is Trust.SANDBOX:
        reason = "trust follows from the component's digest, never from its manifest"
        notes.append(_difference("trust", request.trust, trust.value, reason))
    return trust


def _lifecycle(request: Request, notes: list[Difference]) -> frozenset[Hook]:
    known = {hook.value for hook in Hook}
    for word in request.lifecycle:
        if word not in known:
            reason = "this host has no such lifecycle hook"
            notes.append(_difference("lifecycle", word, "dropped", reason))
    return frozenset(Hook(word) for word in request.lifecycle if word in known)


def _tools(request: Request, policy: Policy, notes: list[Difference]) -> tuple[ToolRules, ...]:
    own = (f"{request.extension_id}.", MEMORY_TOOLS)
    kept = []
    for tool in request.tools:
        if tool.tool.startswith(own):
            kept.append(_tool(tool, policy, notes))
        else:
            reason = "a tool's id starts with the extension's id or with ironclaw.memory."
            notes.append(_difference(tool.tool, "offered", "dropped", reason))
    return tuple(kept)


def _tool(tool: RequestedTool, policy: Policy, notes: list[Difference]) -> ToolRules:
    return ToolRules(
        tool=tool.tool,
        matrix=_matrix(tool, notes),
        effects=_effects(tool, policy, notes),
        permission=tool.permission,
    )


def _effects(tool: RequestedTool, policy: Policy, notes: list[Difference]) -> frozenset[Effect]:
    ceiling = policy.ceiling & TOOL_CEILINGS.get(tool.tool, policy.ceiling)
    for effect in sorted(tool.effects - ceiling, key=lambda effect: effect.value):
        reason = "the effect is beyond the policy's ceiling for this tool"
        notes.append(_difference(f"{tool.tool} effects", effect.value, "dropped", reason))
    return tool.effects & ceiling


def _matrix(tool: RequestedTool, notes: list[Difference]) -> Mapping[Origin, Cell] | None:
    if tool.matrix is None:
        reason = "without a matrix no origin may use the tool"
        notes.append(_difference(f"{tool.tool} matrix", "none", "forbidden", reason))
        return None
    effective = {}
    for origin, cell in tool.matrix.items():
        effective[origin] = clamped_cell(tool.tool, origin, cell, tool.permission)
        if effective[origin] is not cell:
            subject, reason = f"{tool.tool} {origin.value}", _CELL_REASONS[cell]
            notes.append(_difference(subject, cell.value, effective[origin].value, reason))
    return effective


_CELL_REASONS: Final = {
    Cell.UNGATED: "ungated is left to reviewed tools, for loop_run, with default permission allow",
    Cell.CONSENT_SUFFICIENT: "consent is sufficient for the product origin alone",
}


def _difference(subject: str, requested: str, effective: str, reason: str) -> Difference:
    return Difference(subject=subject, requested=requested, effective=effective, reason=reason)
