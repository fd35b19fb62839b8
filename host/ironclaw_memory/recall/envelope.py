"""The envelope that tells a model how much authority a text has (reference.md section 5).

The host is the only one who wraps. A text that already carries the prefix is
wrapped again like any other, and a text that tries to speak as the system is
not wrapped at all.
"""

import re
import unicodedata
from enum import StrEnum
from typing import Final


PREFIX: Final = "Untrusted memory content: "
DEFAULT_BUDGET: Final = 4_096  # bytes of the wrapped text, reference.md section 5

_PHRASES: Final = (
    "act as",
    "assistant messages?",
    "developer messages?",
    "disregard (?:previous|prior) instructions",
    "ignore (?:all )?(?:previous|prior) instructions",
    "function calls?",
    "tool calls?",
    "system prompt",
    "you are chatgpt",
    "you are now",
)
_ANGLE_TOKENS: Final = ("<system>", "<|im_start|>", "<|im_end|>")
_MARKER: Final = re.compile(
    rf"(?<!\w)(?:{'|'.join(_PHRASES)})(?!\w)|{'|'.join(map(re.escape, _ANGLE_TOKENS))}"
)


class Refusal(StrEnum):
    """Why a text was not wrapped."""

    EMPTY_BODY = "empty-body"
    HIJACK_MARKER = "hijack-marker"
    OVER_BUDGET = "over-budget"


class EnvelopeRefused(Exception):
    """Stops a text from being wrapped; ``reason`` says why. Never leaves this room."""

    def __init__(self, reason: Refusal) -> None:
        """Name the reason."""
        super().__init__(reason.value)
        self.reason = reason


def wrap(body: str, *, budget: int = DEFAULT_BUDGET) -> str:
    """Return *body* behind the prefix, at most *budget* bytes in all.

    Expects a body without control characters. Raises `EnvelopeRefused`.
    """
    if not body.strip():
        raise EnvelopeRefused(Refusal.EMPTY_BODY)
    if carries_hijack_marker(body):
        raise EnvelopeRefused(Refusal.HIJACK_MARKER)
    wrapped = PREFIX + body
    if len(wrapped.encode()) > budget:
        raise EnvelopeRefused(Refusal.OVER_BUDGET)
    return wrapped


def carries_hijack_marker(text: str) -> bool:
    """Say whether *text* speaks to the model in a voice that memory does not have.

    Phrases count as whole words only, so that "contract assets" is no "act as".
    """
    return _MARKER.search(_folded(text)) is not None


def _folded(text: str) -> str:
    """Return *text* as a reader sees it: one width, one case, single spaces, nothing invisible."""
    visible = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return " ".join(unicodedata.normalize("NFKC", visible).casefold().split())
