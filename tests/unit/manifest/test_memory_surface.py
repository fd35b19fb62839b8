"""The ``[memory]`` table: any part of it may be left out, nothing in it may dangle."""

from pathlib import Path

import pytest

from ironclaw_memory.declared import Hook, Package
from ironclaw_memory.errors import InvalidManifest
from ironclaw_memory.manifest import read_package
from ironclaw_memory.model import Cell, Origin
from ironclaw_memory.package import Carried


REPOSITORY = Path(__file__).parents[3]
MANIFEST = (REPOSITORY / "component" / "minimal" / "manifest.toml").read_text(encoding="utf-8")
DECLARED = 'lifecycle = ["read_long_term"]'


def package(memory: str, **texts: str) -> Package:
    """Return the tutorial's package with another line in its memory table."""
    files = {
        path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8")
        for path in (REPOSITORY / "schemas").rglob("*.json")
    }
    return read_package(Carried(manifest=MANIFEST.replace(DECLARED, memory), files=files | texts))


@pytest.mark.parametrize("count", range(len(Hook) + 1))
def test_any_part_of_the_hooks_may_be_declared(count: int) -> None:
    """None at all, some, or the four."""
    hooks = [hook.value for hook in Hook][:count]

    found = package(f"lifecycle = {hooks}")

    assert [hook.value for hook in found.manifest.memory.lifecycle] == hooks


def test_a_provider_without_hooks_is_tools_only() -> None:
    """The line may be missing altogether."""
    assert package("").manifest.memory.lifecycle == ()


def test_guidance_that_is_not_carried_is_an_error() -> None:
    """A reference that leads nowhere is found at build and at install, not in a turn."""
    with pytest.raises(InvalidManifest, match=r"guide\.md"):
        package('guidance_doc = "prompts/guide.md"')


def test_guidance_that_is_carried_is_found() -> None:
    """The provider's own text, by its name in the package."""
    found = package('guidance_doc = "prompts/guide.md"', **{"prompts/guide.md": "# Save facts"})

    assert found.guidance == "# Save facts"


def test_guidance_that_is_not_declared_is_none() -> None:
    """Nothing is put into a prompt that nobody declared."""
    assert package(DECLARED).guidance is None


def test_a_cell_that_is_left_out_is_forbidden() -> None:
    """The tutorial asks for one origin; the others get nothing."""
    matrix = package(DECLARED).tool("example.minimal.read").origin_gate_matrix

    assert matrix == {
        Origin.LOOP_RUN: Cell.GATED_UNLESS_GRANTED,
        Origin.PRODUCT: Cell.FORBIDDEN,
        Origin.AUTOMATION: Cell.FORBIDDEN,
    }
