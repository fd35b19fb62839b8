"""The worked example holds what it shows, with and without the sandbox."""

import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ironclaw_memory.session import SessionHost
from ironclaw_memory.testing import InMemoryHost


EXAMPLE = Path(__file__).with_name("example.py")

Conversation = Callable[[SessionHost], str]


@pytest.fixture(name="example")
def _example() -> dict[str, Conversation]:
    return runpy.run_path(str(EXAMPLE))


def test_a_preference_stated_once_is_used_unprompted(example: dict[str, Conversation]) -> None:
    """The second conversation never mentions units, and answers in metric ones."""
    host = InMemoryHost()

    assert example["first_conversation"](host) == "Noted: metric units."
    assert example["second_conversation"](host) == "About 200 km by road."


def test_without_the_first_conversation_the_answer_is_another(
    example: dict[str, Conversation],
) -> None:
    """The proof that memory, and nothing else, made the difference."""
    assert example["second_conversation"](InMemoryHost()) == "About 120 miles by road."


def test_without_a_grant_nothing_is_remembered_and_the_user_is_told(
    example: dict[str, Conversation],
) -> None:
    """A fresh agent cannot save; it must not claim that it did."""
    host = InMemoryHost(writes_allowed=False)

    assert example["first_conversation"](host) == "I could not save that."
    assert example["second_conversation"](host) == "About 120 miles by road."


@pytest.mark.sandbox
def test_the_example_runs_as_it_is_printed() -> None:
    """One command, the real provider in its sandbox, both answers."""
    shown = subprocess.run(
        [sys.executable, EXAMPLE], capture_output=True, text=True, check=True, timeout=300
    )

    assert shown.stdout.splitlines() == [
        "Monday:  Noted: metric units.",
        "Friday:  About 200 km by road.",
    ]
