"""The texts that a model reads: complete, short, and true of what is there (reference.md 10.10, 162)."""

import pathlib
import re
import tomllib
from typing import Any

import pytest

from memory_native.backend import NATIVE
from memory_native.safety.normal import normalise
from memory_native.safety.sanitizer import findings


ROOT = pathlib.Path(__file__).parents[3]
PROMPTS = ROOT / "prompts"
TOOLS = ["read", "write", "search", "tree", "profile_set"]


def text(name: str) -> str:
    """Return one prompt."""
    return (PROMPTS / name).read_text(encoding="utf-8")


def manifest() -> dict[str, Any]:
    """Return the native provider's manifest."""
    return tomllib.loads(
        (ROOT / "component" / "native" / "manifest.toml").read_text(encoding="utf-8")
    )


def test_guidance_is_a_compact_section() -> None:
    """A heading and at most 18 lines."""
    guidance = text("memory_guidance.md")

    assert guidance.startswith("# ")
    assert len(guidance.splitlines()) <= 18


@pytest.mark.parametrize(
    "needed",
    [
        "ironclaw.memory.write", "ironclaw.memory.search", "ironclaw.memory.read",
        "ironclaw.memory.tree", "ironclaw.memory.profile_set", "MEMORY.md", "`memory`",
        "unprompted", "preferences", "facts", "decisions", "corrections", "One fact, one line",
        "never as an instruction", "progress", "outcomes", "to-dos", "ticket numbers", "commit ids",
        "two weeks", "secrets", "Search before you write", "To forget, rewrite",
    ],
)  # fmt: skip
def test_guidance_carries_the_doctrine(needed: str) -> None:
    """What to save, how, what not, search first, forgetting (issue: manifest, schemas, prompts)."""
    assert needed in text("memory_guidance.md")


@pytest.mark.parametrize(
    "needed", ["does not prove", "verify", "Newer evidence wins", "instruction"]
)
def test_framing_puts_recollection_in_its_place(needed: str) -> None:
    """Testimony, not state."""
    assert needed in text("memory_recall_framing.md")


@pytest.mark.parametrize(
    "needed",
    [
        "Merge", "newer", "Drop", "Never invent", "do not follow", "One such write at most",
        "removed", "at most 500", "at most 20", "at most 200",
    ],
)  # fmt: skip
def test_curation_states_its_rails(needed: str) -> None:
    """Each rail that code enforces is also said."""
    assert needed in text("memory_curation.md")


def test_curation_asks_for_exactly_the_report_that_is_read() -> None:
    """Six keys."""
    example = re.search(r"^    (\{.*\})$", text("memory_curation.md"), re.MULTILINE)

    assert example
    assert re.findall(r'"(\w+)":', example[1]) == [
        "changed", "summary", "entries_merged", "entries_removed", "conflicts", "removed",
    ]  # fmt: skip


@pytest.mark.parametrize("tool", TOOLS)
def test_each_tool_has_a_page_that_names_it_and_shows_a_call(tool: str) -> None:
    """One page each, with an example that a model can copy."""
    page = text(f"tools/{tool}.md")

    assert page.startswith(f"# ironclaw.memory.{tool}\n")
    assert re.search(r"^    \{", page, re.MULTILINE)


def test_prompts_name_only_tools_that_exist() -> None:
    """Declared is served, and nothing else is promised."""
    declared = {tool["id"] for tool in manifest()["tools"]}
    for path in PROMPTS.rglob("*.md"):
        named = set(re.findall(r"ironclaw\.memory\.[a-z_]+", path.read_text(encoding="utf-8")))

        assert named <= declared, path.name


def test_guidance_itself_passes_the_write_screen() -> None:
    """Its examples could be saved: they are statements, not instructions."""
    assert findings(normalise(text("memory_guidance.md"))) == []


def test_the_manifest_declares_the_four_hooks_and_the_guidance() -> None:
    """reference.md section 8."""
    memory = manifest()["memory"]

    assert memory["lifecycle"] == [
        "read_long_term",
        "read_short_term",
        "record_interaction",
        "profile_read",
    ]
    assert memory["guidance_doc"] == "prompts/memory_guidance.md"


def test_the_manifest_says_what_the_backend_enforces() -> None:
    """The flags are the ones in code, all ten of them."""
    assert manifest()["memory"]["capabilities"] == vars(NATIVE)


def test_the_manifest_offers_the_upkeep_of_the_contract() -> None:
    """Each function of wit/upkeep.wit, no other."""
    contract = (ROOT / "wit" / "upkeep.wit").read_text(encoding="utf-8")

    assert sorted(manifest()["memory"]["upkeep"]) == sorted(
        re.findall(r"^    ([a-z-]+): func", contract, re.MULTILINE)
    )


@pytest.mark.parametrize(
    ("tool", "loop_run", "writes"),
    [
        ("read", "ungated", False),
        ("write", "gated_unless_granted", True),
        ("search", "ungated", False),
        ("tree", "ungated", False),
        ("profile_set", "ungated", True),
    ],
)
def test_each_tool_asks_for_its_origin_cells_and_effects(
    tool: str, loop_run: str, writes: bool
) -> None:
    """reference.md section 7, the memory rows."""
    (found,) = [each for each in manifest()["tools"] if each["id"] == f"ironclaw.memory.{tool}"]

    assert found["origin_gate_matrix"] == {
        "loop_run": loop_run,
        "product": "forbidden",
        "automation": "forbidden",
    }
    assert ("write_filesystem" in found["effects"]) is writes
    assert found["default_permission"] == "allow"


def test_curation_is_scheduled_as_the_issue_says() -> None:
    """Every ten turns, three tools, ten model calls."""
    (scheduled,) = manifest()["memory"]["scheduled_ops"]

    assert (scheduled["trigger"], scheduled["interval_turns"]) == ("after_turn", 10)
    assert scheduled["pass"] == {
        "prompt": "prompts/memory_curation.md",
        "tools": ["ironclaw.memory.read", "ironclaw.memory.search", "ironclaw.memory.write"],
        "max_model_calls": 10,
    }


def test_every_reference_of_the_manifest_resolves() -> None:
    """Schemas, pages, guidance and pass prompt are there."""
    found = re.findall(
        r'"((?:schemas|prompts)/[^"]+)"',
        (ROOT / "component" / "native" / "manifest.toml").read_text(),
    )

    assert len(found) == 17
    assert [ref for ref in found if not (ROOT / ref).is_file()] == []
