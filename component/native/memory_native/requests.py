"""What the tools and hooks are asked, named as in wit/tools.wit and wit/lifecycle.wit.

A write's request and reply live with the documents (`memory_native.documents`).
"""

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, kw_only=True)
class SearchRequest:
    """What to look for; at most *limit* documents, 1 to 20."""

    query: str
    limit: int = 5


@dataclass(frozen=True, kw_only=True)
class TreeRequest:
    """Which directory to list, ``""`` for all, and how many levels, 1 to 10."""

    path: str = ""
    depth: int = 1


@dataclass(frozen=True, kw_only=True)
class ProfileFields:
    """The fields of a profile that a caller gives; at least one."""

    timezone: str | None = None
    locale: str | None = None
    location: str | None = None


@dataclass(frozen=True, kw_only=True)
class LaneRequest:
    """What a lane is asked for: the latest message, a limit, the turn's prompt profile."""

    query: str
    max_snippets: int
    context_profile: str = ""


class Role(Enum):
    """Who spoke."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message of a turn, verbatim."""

    role: Role
    content: str
    name: str | None = None
