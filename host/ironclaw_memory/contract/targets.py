"""The words that the write tool takes for documents of another name (reference.md section 2.2)."""

from collections.abc import Mapping
from typing import Final


BOOTSTRAP: Final = "bootstrap"  # writing to it empties the document; content is ignored
DAILY_LOG: Final = "daily_log"

ALIASES: Final[Mapping[str, str | None]] = {
    "memory": "MEMORY.md",
    "heartbeat": "HEARTBEAT.md",
    BOOTSTRAP: "BOOTSTRAP.md",
    DAILY_LOG: None,
}
"""Each word with its document; which one the daily log is depends on the user's day."""


def word_meant(name: str) -> str | None:
    """Return the word that *name* is in any case of its letters, or None if it names a path."""
    folded = name.casefold()
    return folded if folded in ALIASES else None
