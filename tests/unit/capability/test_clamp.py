"""A manifest asks; what policy leaves of it, and that every loss is told."""

import pytest
from tests.unit.capability.manifests import manifest, tool

from ironclaw_memory.capability.clamp import Policy, Trust, clamp
from ironclaw_memory.capability.table import TOOL_CEILINGS, UNGATED_LOOP_RUN
from ironclaw_memory.declared import Hook
from ironclaw_memory.model import Cell, Effect, Origin


FOREIGN = Policy(bundled=False)
ALL_EFFECTS = tuple(Effect)


def _cell(tool_id: str, origin: Origin, cell: Cell, permission: str = "allow") -> Cell:
    asked = tool(tool_id, matrix={origin: cell}, permission=permission)
    matrix = clamp(manifest(asked), FOREIGN).tools[tool_id].matrix
    assert matrix is not None
    return matrix[origin]


def test_the_reviewed_list_is_pinned() -> None:
    """Ungated for a running agent are four ids (reference.md statement 214, memory's part)."""
    names = {"read", "search", "tree", "profile_set"}
    assert {f"ironclaw.memory.{name}" for name in names} == UNGATED_LOOP_RUN


@pytest.mark.parametrize("tool_id", sorted(UNGATED_LOOP_RUN))
def test_a_reviewed_tool_keeps_ungated_for_a_run_and_for_nobody_else(tool_id: str) -> None:
    """Statement 209: the allow-list and the column both count."""
    assert _cell(tool_id, Origin.LOOP_RUN, Cell.UNGATED) is Cell.UNGATED
    for origin in (Origin.PRODUCT, Origin.AUTOMATION):
        assert _cell(tool_id, origin, Cell.UNGATED) is Cell.GATED_UNLESS_GRANTED


@pytest.mark.parametrize("tool_id", ["ironclaw.memory.write", "acme.memory.read"])
def test_ungated_beside_the_list_becomes_gated(tool_id: str) -> None:
    """An ungated write, or a tool of one's own, is clamped."""
    assert _cell(tool_id, Origin.LOOP_RUN, Cell.UNGATED) is Cell.GATED_UNLESS_GRANTED


@pytest.mark.parametrize("permission", ["ask", "deny"])
def test_a_tool_that_wants_to_be_asked_about_is_not_ungated(permission: str) -> None:
    """A manifest that contradicts itself gets the stricter of the two."""
    cell = _cell("ironclaw.memory.read", Origin.LOOP_RUN, Cell.UNGATED, permission)
    assert cell is Cell.GATED_UNLESS_GRANTED


def test_consent_belongs_to_the_product_alone() -> None:
    """A person's act is no consent to what a run or a routine does."""
    assert _cell("a.b", Origin.PRODUCT, Cell.CONSENT_SUFFICIENT) is Cell.CONSENT_SUFFICIENT
    for origin in (Origin.LOOP_RUN, Origin.AUTOMATION):
        assert _cell("a.b", origin, Cell.CONSENT_SUFFICIENT) is Cell.FORBIDDEN


@pytest.mark.parametrize("cell", [Cell.FORBIDDEN, Cell.ASK_ALWAYS, Cell.GATED_UNLESS_GRANTED])
def test_strict_cells_stay(cell: Cell) -> None:
    """Clamping never gives."""
    assert all(_cell("ironclaw.memory.read", origin, cell) is cell for origin in Origin)


@pytest.mark.parametrize("tool_id", sorted(TOOL_CEILINGS))
def test_a_reviewed_read_cannot_ask_for_a_writable_mount(tool_id: str) -> None:
    """It is ungated, so it must not be able to write."""
    effective = clamp(manifest(tool(tool_id, effects=ALL_EFFECTS)), FOREIGN)
    assert effective.tools[tool_id].effects == {
        Effect.DISPATCH_CAPABILITY,
        Effect.READ_FILESYSTEM,
    }


def test_effects_beyond_the_ceiling_are_dropped_one_by_one() -> None:
    """Network and secrets go, each with a line of its own."""
    effective = clamp(manifest(tool("acme.memory.x", effects=ALL_EFFECTS, matrix={})), FOREIGN)
    lost = {d.requested for d in effective.differences if d.subject.endswith("effects")}
    assert lost == {"network", "use_secret"}
    assert Effect.WRITE_FILESYSTEM in effective.tools["acme.memory.x"].effects


def test_a_missing_matrix_stays_missing_and_is_told() -> None:
    """Nothing is put in its place."""
    effective = clamp(manifest(tool(matrix=None)), FOREIGN)
    assert effective.tools["ironclaw.memory.read"].matrix is None
    assert [d.effective for d in effective.differences] == ["forbidden"]


@pytest.mark.parametrize("extension_id", ["ironclaw.memory", "ironclaw.x", "mcp-server"])
def test_reserved_ids_are_for_the_bundled_component(extension_id: str) -> None:
    """A manifest cannot name itself into the family."""
    asked = manifest(extension_id=extension_id)
    assert clamp(asked, FOREIGN).refused
    assert not clamp(asked, Policy(bundled=True)).refused


@pytest.mark.parametrize(
    ("trust", "told"),
    [
        ("untrusted", False),
        ("third_party", False),
        ("first_party_requested", True),
        ("system_requested", True),
    ],
)
def test_trust_follows_from_the_digest(trust: str, told: bool) -> None:
    """Whatever a foreign manifest asks for, it is sandboxed; asking for more is told."""
    effective = clamp(manifest(trust=trust), FOREIGN)
    assert effective.trust is Trust.SANDBOX
    assert bool(effective.differences) == told
    assert clamp(manifest(trust=trust), Policy(bundled=True)).trust is Trust.FIRST_PARTY


def test_hooks_that_policy_withholds_are_dropped() -> None:
    """A hook that is not offered is never called."""
    asked = manifest(hooks=(Hook.RECORD_INTERACTION, Hook.PROFILE_READ))
    policy = Policy(bundled=False, hooks=frozenset({Hook.PROFILE_READ}))
    effective = clamp(asked, policy)
    assert effective.hooks == {Hook.PROFILE_READ}
    assert [d.requested for d in effective.differences] == ["record_interaction"]


def test_a_modest_request_loses_nothing() -> None:
    """No difference is told where there is none."""
    asked = manifest(tool(), hooks=tuple(Hook))
    effective = clamp(asked, FOREIGN)
    assert effective.differences == ()
    assert effective.hooks == set(Hook)
