"""Shelves: documents that a question can be put to by themselves.

A scope holds two kinds of text that are asked for apart: what was written down, and what was said
in one thread or another (reference.md section 3). Passages of shelved documents lie in blocks of
their own, so that a question about the one kind reads nothing of the other, and the documents of one
shelf are found without looking at all of them.
"""

from collections.abc import Callable
from typing import Final


ShelfOf = Callable[[str], str]
"""From the path of a document to its shelf; ``""`` is none."""

UNSHELVED: Final = ""
WRITTEN: Final = 0
SAID: Final = 1
KINDS: Final = (WRITTEN, SAID)  # of blocks: of documents on no shelf, and of those on any


def kind_of(shelf: str) -> int:
    """Return the kind of block that the passages of *shelf* lie in."""
    return WRITTEN if shelf == UNSHELVED else SAID


def none(path: str) -> str:
    """Return no shelf, whatever the *path*."""
    del path
    return UNSHELVED
