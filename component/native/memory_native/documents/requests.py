"""What comes in and goes out, named as in wit/tools.wit."""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, kw_only=True)
class Document:
    """A document and its size in words, split at white space."""

    path: str
    content: str
    word_count: int


@dataclass(frozen=True, kw_only=True)
class WriteRequest:
    """What to store, and where; *old_string* makes it a patch."""

    target: str
    content: str = ""
    append: bool = True
    old_string: str | None = None
    new_string: str | None = None
    replace_all: bool = False
    metadata: str | None = None
    timezone: str | None = None


class WriteStatus(Enum):
    """What a write did."""

    WRITTEN = "written"
    PATCHED = "patched"
    CLEARED = "cleared"


@dataclass(frozen=True, kw_only=True)
class WriteReply:
    """The outcome; *content_length* counts the entry after an append, else the whole document."""

    status: WriteStatus
    path: str
    append: bool
    content_length: int
    replacements: int | None = None
    message: str | None = None
