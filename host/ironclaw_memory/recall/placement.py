"""Where the texts about memory stand in a prompt (reference.md section 6).

Guidance belongs to the instructions; the profile and what was recalled follow
it; the note about what is missing closes.
"""

from typing import Final

from ironclaw_memory.recall.context import Context
from ironclaw_memory.recall.lanes import Degradation, Lane
from ironclaw_memory.recall.profile import Profile, render_profile


_LANE_NAMES: Final = {
    Lane.SHORT_TERM: "earlier turns of this conversation",
    Lane.LONG_TERM: "long-term memory",
}


def render_recall(context: Context) -> str:
    """Return the framing and the snippets behind it, or the empty string."""
    return _paragraphs(context.framing, "\n".join(snippet.text for snippet in context.snippets))


def degradation_note(degradations: tuple[Degradation, ...]) -> str:
    """Return one sentence that says what could not be recalled, or the empty string.

    A model that is not told takes an outage for an empty memory.
    """
    if not degradations:
        return ""
    missing = " and ".join(_LANE_NAMES[degradation.lane] for degradation in degradations)
    return (
        f"Note: {missing} could not be read for this turn. Something may be on record that is "
        "not shown here; do not conclude that nothing was remembered."
    )


def render_turn(*, guidance: str, profile: Profile | None, context: Context, note: str) -> str:
    """Return all of it in order, paragraphs apart, for the end of the system prompt."""
    about = render_profile(profile) if profile else ""
    return _paragraphs(guidance.strip(), about, render_recall(context), note)


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(text.strip() for text in texts if text.strip())
