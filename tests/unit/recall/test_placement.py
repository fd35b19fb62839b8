"""Where the texts about memory stand in a prompt."""

from ironclaw_memory.recall import Context, Degradation, DegradationKind, Lane, Profile, Snippet
from ironclaw_memory.recall.placement import degradation_note, render_recall, render_turn


SNIPPET = Snippet(
    ref="memory-snippet:0", text="Untrusted memory content: likes tea", lane=Lane.LONG_TERM
)
RECALLED = Context(snippets=(SNIPPET,), framing="Testimony follows.\n")
DOWN = Degradation(lane=Lane.LONG_TERM, kind=DegradationKind.UNAVAILABLE, code="unavailable")


def test_framing_precedes_the_snippets() -> None:
    """The words about testimony come before the testimony (statement 185)."""
    assert render_recall(RECALLED) == "Testimony follows.\n\nUntrusted memory content: likes tea"


def test_nothing_recalled_renders_as_nothing() -> None:
    """An empty memory adds no words."""
    assert render_turn(guidance="", profile=None, context=Context(), note="") == ""


def test_the_order_is_guidance_profile_recall_note() -> None:
    """Instructions first, what is missing last."""
    text = render_turn(
        guidance="# Memory\n", profile=Profile(locale="de"), context=RECALLED, note="Note."
    )

    assert ["# Memory", "User's locale: de", "Testimony follows.", SNIPPET.text, "Note."] == (
        text.split("\n\n")
    )


def test_the_note_names_the_lanes_that_are_missing() -> None:
    """A model must not take an outage for an empty memory."""
    both = (Degradation(lane=Lane.SHORT_TERM, kind=DegradationKind.INPUT, code="x"), DOWN)

    assert degradation_note(()) == ""
    assert degradation_note((DOWN,)).startswith("Note: long-term memory could not be read")
    assert "earlier turns of this conversation and long-term memory" in degradation_note(both)
