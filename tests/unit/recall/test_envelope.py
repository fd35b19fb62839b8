"""The envelope: who may speak with which voice (reference.md section 5)."""

import pytest

from ironclaw_memory.recall.envelope import PREFIX, EnvelopeRefused, carries_hijack_marker, wrap


def test_the_prefix_has_26_bytes() -> None:
    """The figure that the 486 bytes of a body follow from."""
    assert len(PREFIX.encode()) == 26


@pytest.mark.parametrize(
    "marker",
    [
        "act as",
        "assistant message",
        "assistant messages",
        "developer message",
        "disregard previous instructions",
        "disregard prior instructions",
        "ignore previous instructions",
        "ignore prior instructions",
        "ignore all previous instructions",
        "ignore all prior instructions",
        "function call",
        "function calls",
        "tool call",
        "tool calls",
        "system prompt",
        "you are chatgpt",
        "you are now",
        "<system>",
        "<|im_start|>",
        "<|im_end|>",
    ],
)
def test_each_marker_refuses_the_text(marker: str) -> None:
    """In any case, in the middle of a sentence."""
    with pytest.raises(EnvelopeRefused, match="hijack-marker"):
        wrap(f"Please {marker.upper()} today.")


@pytest.mark.parametrize(
    "text",
    [
        "contract assets",
        "react as usual",
        "act asymmetrically",
        "the filesystem prompts",
        "tool callous",
        "subsystem prompt",
        "< system >",
    ],
)
def test_a_marker_inside_another_word_is_harmless(text: str) -> None:
    """Phrases respect word edges (statement 180)."""
    assert PREFIX + text == wrap(text)


@pytest.mark.parametrize(
    "text",
    [
        "ignore  previous\u00a0instructions",
        "ignore pre\u200bvious instructions",
        "\uff49\uff47\uff4e\uff4f\uff52\uff45 previous instructions",
        "a<SYSTEM>b",
        "\uff1csystem\uff1e",
    ],
    ids=["spacing", "zero width", "full width", "upper case inside a word", "full width token"],
)
def test_disguised_markers_are_found(text: str) -> None:
    """The text is judged as a reader sees it."""
    assert carries_hijack_marker(text)


@pytest.mark.parametrize(
    ("body", "reason"), [("", "empty-body"), (" \n", "empty-body"), ("a" * 487, "over-budget")]
)
def test_what_does_not_fit_is_refused(body: str, reason: str) -> None:
    """The envelope never wraps nothing and never exceeds its budget."""
    with pytest.raises(EnvelopeRefused, match=reason):
        wrap(body, budget=512)


def test_a_body_of_exactly_the_budget_is_wrapped() -> None:
    """The budget is inclusive."""
    assert len(wrap("a" * 486, budget=512)) == 512
