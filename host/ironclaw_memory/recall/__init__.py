"""Recall: what memory adds to a prompt, and how it gets in.

Names are imported on first use: a host that only runs a tool recalls nothing.
"""

from typing import TYPE_CHECKING

from ironclaw_memory.lazy import attribute_of


if TYPE_CHECKING:
    from ironclaw_memory.recall.admission import STEPS, Drop, RecallRules
    from ironclaw_memory.recall.context import Context, Snippet, load_context
    from ironclaw_memory.recall.lanes import (
        Degradation,
        DegradationKind,
        Lane,
        LaneSource,
        RawSnippet,
    )
    from ironclaw_memory.recall.profile import Profile, parse_profile
    from ironclaw_memory.recall.profile_cache import ProfileCache
    from ironclaw_memory.recall.references import snippet_reference

_HOME = {
    "STEPS": "admission",
    "Context": "context",
    "Degradation": "lanes",
    "DegradationKind": "lanes",
    "Drop": "admission",
    "Lane": "lanes",
    "LaneSource": "lanes",
    "Profile": "profile",
    "ProfileCache": "profile_cache",
    "RawSnippet": "lanes",
    "RecallRules": "admission",
    "Snippet": "context",
    "load_context": "context",
    "parse_profile": "profile",
    "snippet_reference": "references",
}

__all__ = [
    "STEPS",
    "Context",
    "Degradation",
    "DegradationKind",
    "Drop",
    "Lane",
    "LaneSource",
    "Profile",
    "ProfileCache",
    "RawSnippet",
    "RecallRules",
    "Snippet",
    "load_context",
    "parse_profile",
    "snippet_reference",
]


__getattr__ = attribute_of(__name__, _HOME)
