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
from ironclaw_memory.declared import Hook, Manifest, ToolDeclaration
from ironclaw_memory.errors import ProviderNotApproved
from ironclaw_memory.model import Cell, Effect, Origin


RESERVED_IDS: Final = ("ironclaw.", "mcp-")  # reference.md section 8
MODEST_TRUST: Final = frozenset({"untrusted", "third_party"})  # a request for nothing more


class Trust(Enum):
    """How far the host trusts a provider; it never follows from a request."""

    SANDBOX = "sandbox"
    FIRST_PARTY = "first_party"


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What the host allows. ``bundled`` says that the digest is the shipped one."""

    bundled: bool
    ceiling: frozenset[Effect] = CEILING
    hooks: frozenset[Hook] = frozenset(Hook)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One thing that was taken away; ``component info`` prints it."""

    subject: str
    requested: str
    effective: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Effective:
    """What a provider gets. One that is ``refused`` may not be used at all.

    ``tools`` is by tool id.
    """

    refused: bool
    trust: Trust
    hooks: frozenset[Hook]
    tools: Mapping[str, ToolRules]
    differences: tuple[Difference, ...]


def clamp(manifest: Manifest, policy: Policy) -> Effective:
    """Return what *policy* leaves of *manifest*, and each difference with its reason."""
    notes: list[Difference] = []
    return Effective(
        refused=_is_refused(manifest, policy, notes),
        trust=_trust(manifest, policy, notes),
        hooks=_hooks(manifest, policy, notes),
        tools={tool.id: _tool(tool, policy, notes) for tool in manifest.tools},
        differences=tuple(notes),
    )


def refuse_reserved(effective: Effective) -> None:
    """Raise `ProviderNotApproved` if the provider is refused, which is for a reserved id."""
    if effective.refused:
        raise ProviderNotApproved(
            "The component uses a reserved id.",
            code="reserved-id",
            hint=f"{effective.differences[0].reason.capitalize()}.",
        )


def _is_refused(manifest: Manifest, policy: Policy, notes: list[Difference]) -> bool:
    if policy.bundled or not manifest.id.startswith(RESERVED_IDS):
        return False
    reason = "ids under ironclaw. and mcp- are reserved; only the bundled component may use one"
    notes.append(_difference("id", manifest.id, "refused", reason))
    return True


def _trust(manifest: Manifest, policy: Policy, notes: list[Difference]) -> Trust:
    if policy.bundled:
        return Trust.FIRST_PARTY
    if manifest.trust not in MODEST_TRUST:
        reason = "trust follows from the component's digest, never from its manifest"
        notes.append(_difference("trust", manifest.trust, Trust.SANDBOX.value, reason))
    return Trust.SANDBOX


def _hooks(manifest: Manifest, policy: Policy, notes: list[Difference]) -> frozenset[Hook]:
    declared = frozenset(manifest.memory.lifecycle)
    for hook in sorted(declared - policy.hooks, key=lambda hook: hook.value):
        reason = "the policy does not offer this lifecycle hook"
        notes.append(_difference("lifecycle", hook.value, "dropped", reason))
    return declared & policy.hooks


def _tool(tool: ToolDeclaration, policy: Policy, notes: list[Difference]) -> ToolRules:
    permission = Permission(tool.default_permission)
    return ToolRules(
        tool=tool.id,
        matrix=_matrix(tool, permission, notes),
        effects=_effects(tool, policy, notes),
        permission=permission,
    )


def _effects(tool: ToolDeclaration, policy: Policy, notes: list[Difference]) -> frozenset[Effect]:
    requested = frozenset(tool.effects)
    ceiling = policy.ceiling & TOOL_CEILINGS.get(tool.id, policy.ceiling)
    for effect in sorted(requested - ceiling, key=lambda effect: effect.value):
        reason = "the effect is beyond the policy's ceiling for this tool"
        notes.append(_difference(f"{tool.id} effects", effect.value, "dropped", reason))
    return requested & ceiling


def _matrix(
    tool: ToolDeclaration, permission: Permission, notes: list[Difference]
) -> Mapping[Origin, Cell] | None:
    if tool.origin_gate_matrix is None:
        reason = "without a matrix no origin may use the tool"
        notes.append(_difference(f"{tool.id} matrix", "none", "forbidden", reason))
        return None
    effective = {}
    for origin, cell in tool.origin_gate_matrix.items():
        effective[origin] = clamped_cell(tool.id, origin, cell, permission)
        if effective[origin] is not cell:
            subject, reason = f"{tool.id} {origin.value}", _CELL_REASONS[cell]
            notes.append(_difference(subject, cell.value, effective[origin].value, reason))
    return effective


_CELL_REASONS: Final = {
    Cell.UNGATED: "ungated is left to reviewed tools, for loop_run, with default permission allow",
    Cell.CONSENT_SUFFICIENT: "consent is sufficient for the product origin alone",
}


def _difference(subject: str, requested: str, effective: str, reason: str) -> Difference:
    return Difference(subject=subject, requested=requested, effective=effective, reason=reason)
