"""Recall: what memory adds to a prompt, and how it gets in."""

from ironclaw_memory.recall.admission import STEPS, Drop, RecallRules
from ironclaw_memory.recall.context import Context, Snippet, load_context
from ironclaw_memory.recall.lanes import Degradation, DegradationKind, Lane, LaneSource, RawSnippet
from ironclaw_memory.recall.profile import Profile, parse_profile
from ironclaw_memory.recall.profile_cache import ProfileCache
from ironclaw_memory.recall.references import snippet_reference


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
