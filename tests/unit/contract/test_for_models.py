"""Texts where a model reads them."""

import pytest

from ironclaw_memory.contract.for_models import as_offered, hint_for_model


NAMES = {
    "ironclaw.memory.read": "memory_read",
    "ironclaw.memory.tree": "memory_tree",
    "ironclaw.memory.write": "memory_write",
}


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        (
            "`ironclaw-memory tree` lists the documents that exist.",
            "The memory_tree tool lists the documents that exist.",
        ),
        (
            "Use the existing spelling; `ironclaw-memory tree` shows it.",
            "Use the existing spelling; the memory_tree tool shows it.",
        ),
        (
            "`ironclaw-memory tools --schema write` shows what it takes.",
            "The tool's input schema says what it takes.",
        ),
        (
            "`ironclaw-memory search tea` finds it.",
            "Your user can help: `ironclaw-memory search tea` finds it.",
        ),
        (
            "For ironclaw.memory.write: `ironclaw-memory grant ironclaw.memory.write`.",
            "Your user can help: For memory_write: `ironclaw-memory grant ironclaw.memory.write`.",
        ),
        ("Run `ironclaw-memory doctor`.", "Your user can help: Run `ironclaw-memory doctor`."),
        ("Give at least one word.", "Give at least one word."),
        ("", ""),
    ],
)
def test_a_model_is_told_of_its_tools_and_its_user_of_commands(hint: str, told: str) -> None:
    """A model has no shell, and of tools only those that it is offered."""
    assert hint_for_model(hint, NAMES) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Save with `ironclaw.memory.write`.", "Save with `memory_write`."),
        ("Use ironclaw.memory.read, ironclaw.memory.tree.", "Use memory_read, memory_tree."),
        ("# ironclaw.memory.read", "# memory_read"),
        ("ironclaw.memory.write is forbidden.", "memory_write is forbidden."),
    ],
)
def test_tools_are_called_what_the_model_knows_them_by(text: str, told: str) -> None:
    """A name that it was not given is one that it cannot call."""
    assert as_offered(text, NAMES) == told


@pytest.mark.parametrize(
    "text",
    [
        "`ironclaw-memory grant ironclaw.memory.write --origin loop_run`",
        "ironclaw.memory.read_all and my.ironclaw.memory.read and ironclaw.memory.read.md",
        "ironclaw.memory.reader, ironclaw.memory.read-only, -ironclaw.memory.read",
        "ironclaw.memory.search is not offered",
        "ironclaw.memory",
        "",
    ],
)
def test_what_is_no_offered_tool_stays(text: str) -> None:
    """Commands are typed as they stand, and a part of a name is no name."""
    assert as_offered(text, NAMES) == text
