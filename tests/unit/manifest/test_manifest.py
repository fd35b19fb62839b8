"""A manifest that does not hold is one clear error; one that holds survives freezing."""

import re
from pathlib import Path

import pytest

from ironclaw_memory.build import Sources
from ironclaw_memory.declared import Hook, Package, freeze, thaw
from ironclaw_memory.errors import InvalidManifest, UndeclaredTool
from ironclaw_memory.manifest import read_package
from ironclaw_memory.model import Cell, Origin
from ironclaw_memory.package import Carried


ROOT = Path(__file__).parents[3]
SOURCES = Sources(provider=ROOT / "component" / "native", wit=ROOT / "wit", asset_roots=(ROOT,))


@pytest.fixture(scope="module")
def carried() -> Carried:
    """What the bundled provider carries."""
    return SOURCES.carried()


@pytest.fixture(scope="module")
def package(carried: Carried) -> Package:
    """The bundled provider's package."""
    return read_package(carried)


def test_the_bundled_manifest_declares_the_contract(package: Package) -> None:
    """Five tools in the contract's order, four hooks, one pass."""
    manifest = package.manifest
    assert [tool.name for tool in manifest.tools] == [
        "read",
        "write",
        "search",
        "tree",
        "profile_set",
    ]
    assert set(manifest.memory.lifecycle) == set(Hook)
    op = manifest.memory.scheduled_ops[0]
    assert (op.trigger, op.interval_turns, op.max_model_calls) == ("after_turn", 10, 10)
    assert [tool.rsplit(".", 1)[-1] for tool in op.tools] == ["read", "search", "write"]


def test_every_tool_has_a_matrix_with_the_contracts_cells(package: Package) -> None:
    """reference.md section 7; statement 215."""
    for tool in package.manifest.tools:
        assert tool.origin_gate_matrix == {
            Origin.LOOP_RUN: Cell.GATED_UNLESS_GRANTED if tool.name == "write" else Cell.UNGATED,
            Origin.PRODUCT: Cell.FORBIDDEN,
            Origin.AUTOMATION: Cell.FORBIDDEN,
        }


def test_freezing_loses_nothing(package: Package) -> None:
    """The hot path reads what the build validated."""
    assert thaw(freeze(package)) == package


def test_an_unknown_tool_is_undeclared(package: Package) -> None:
    """Closed by default (statement 203)."""
    with pytest.raises(UndeclaredTool):
        package.tool("ironclaw.memory.delete")


EDITS = {
    "an unknown top-level field": ("trust = ", "colour = 1\ntrust = "),
    "an unknown tool field": ('visibility = "model"', 'visibility = "model"\ncolour = 1'),
    "an unknown lifecycle token": ('"read_long_term"', '"read_minds"'),
    "a tool declared twice": ('id = "ironclaw.memory.tree"', 'id = "ironclaw.memory.read"'),
    "a tool outside the namespace": ('id = "ironclaw.memory.tree"', 'id = "builtin.shell"'),
    "a dangling schema": ("tree.input.v1.json", "tree.input.v9.json"),
    "a reference with dots": ('"prompts/tools/tree.md"', '"prompts/../../etc/passwd"'),
    "an absolute reference": ('"prompts/tools/tree.md"', '"/etc/passwd"'),
    "another schema version": ("manifest.v3", "manifest.v2"),
    "another runtime": ('kind = "wasm"', 'kind = "native"'),
    "an unknown effect": ('"write_filesystem"', '"launch_rockets"'),
    "an effect twice": (
        '["dispatch_capability", "read_filesystem"]',
        '["read_filesystem", "read_filesystem"]',
    ),
    "an unknown cell": ('"gated_unless_granted"', '"please"'),
    "an unknown upkeep function": ('"history"', '"format_disk"'),
    "a pass with an undeclared tool": (
        'tools = ["ironclaw.memory.read",',
        'tools = ["ironclaw.memory.rm",',
    ),
    "a guidance text that is not carried": ("memory_guidance.md", "no_guidance.md"),
    "a blank description": ('description = "List memory', 'description = "   "\n# "List memory'),
    "broken TOML": ("[memory]", "[memory"),
}


@pytest.mark.parametrize("edit", EDITS, ids=lambda name: name.replace(" ", "-"))
def test_a_manifest_that_does_not_hold_is_refused(carried: Carried, edit: str) -> None:
    """One error, of one kind, that names a field."""
    old, new = EDITS[edit]
    assert old in carried.manifest
    edited = Carried(manifest=carried.manifest.replace(old, new), files=carried.files)
    with pytest.raises(InvalidManifest) as caught:
        read_package(edited)
    assert re.fullmatch(r"Manifest: .+: .+\.", caught.value.message)


def test_a_manifest_of_megabytes_is_refused(carried: Carried) -> None:
    """256 KiB is the limit of reference.md section 8."""
    with pytest.raises(InvalidManifest, match="larger"):
        read_package(Carried(manifest=carried.manifest + "#" * 300_000, files=carried.files))


def test_a_key_of_thousands_of_parts_is_refused_before_it_is_parsed(carried: Carried) -> None:
    """The parser of the standard library takes the square of their number, 22 s for these."""
    long = ".".join(["a"] * 20_000)
    with pytest.raises(InvalidManifest, match="dots"):
        read_package(Carried(manifest=f"{carried.manifest}\n{long} = 1\n", files=carried.files))
