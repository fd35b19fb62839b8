"""Documents that a model may change only by writing, because what is written is checked."""

import unicodedata
from typing import Final

from ironclaw_memory.contract.sentences import SENTENCES
from ironclaw_memory.errors import OperationFailed


# reference.md section 5, `prompt-protected-paths:v1`
_NAMES: Final = (
    *("SOUL.md", "AGENTS.md", "USER.md", "IDENTITY.md", "SYSTEM.md", "MEMORY.md", "TOOLS.md"),
    *("HEARTBEAT.md", "BOOTSTRAP.md", "context/assistant-directives.md", "context/profile.json"),
)
TRANSCRIPTS: Final = "threads/"  # reference.md section 4: the recorder alone writes there


def check_movable(path: str) -> None:
    """Refuse to let a model take *path* away, or put another document in its place.

    Moving a text into a prompt would go around the check of what is written there, and
    taking one away is the blank write that the check refuses. Transcripts are nobody's to
    move. Raises `OperationFailed`.
    """
    folded = _fold(path)
    if folded.startswith(TRANSCRIPTS):
        sentence, hint = SENTENCES["threads-reserved"]
        raise OperationFailed(f"The document {sentence}.", code="threads-reserved", hint=hint)
    if folded in _PROTECTED:
        raise OperationFailed(
            "This document re-enters the model's prompt, so it is neither moved nor taken away.",
            code="prompt-document",
            hint="Change its text instead: what is written there is checked.",
        )


def _fold(path: str) -> str:
    """Return what names of one document have in common on any file system."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", path).casefold()).strip("/")


_PROTECTED: Final = frozenset(_fold(name) for name in _NAMES)
