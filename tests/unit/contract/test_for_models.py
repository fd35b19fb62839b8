"""Hints where a model reads them."""

import pytest

from ironclaw_memory.contract.for_models import hint_for_model


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        (
            "`ironclaw-memory tree` lists the documents that exist.",
            "The tree tool lists the documents that exist.",
        ),
        (
            "Use the existing spelling; `ironclaw-memory tree` shows it.",
            "Use the existing spelling; the tree tool shows it.",
        ),
        (
            "`ironclaw-memory tools --schema write` shows what it takes.",
            "The tool's input schema says what it takes.",
        ),
        ("Run `ironclaw-memory doctor`.", "Your user can help: Run `ironclaw-memory doctor`."),
        ("Give at least one word.", "Give at least one word."),
        ("", ""),
    ],
)
def test_a_model_is_told_of_its_tools_and_its_user_of_commands(hint: str, told: str) -> None:
    """A model has no shell."""
    assert hint_for_model(hint) == told
