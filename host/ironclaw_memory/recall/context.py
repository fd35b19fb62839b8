"""The context that one turn gets from memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from ironclaw_memory.model import Scope
from ironclaw_memory.recall.admission import (
    MOST_THAT_FIT,
    Admission,
    Drop,
    Recall,
    RecallRules,
    admit,
)
from ironclaw_memory.recall.lanes import Degradation, Lane, LaneSource
from ironclaw_memory.recall.references import snippet_reference


DEFAULT_MAX_SNIPPETS: Final = 8  # reference.md section 6
DEFAULT_PROFILE: Final = "default"

# Exact names, reference.md section 3.
DISABLING_PROFILES: Final = frozenset(
    {"memory_disabled", "memory-disabled", "disabled_context", "context_disabled"}
)


@dataclass(frozen=True, kw_only=True)
class Snippet:
    """An admitted text in its envelope, at most 512 bytes, and its stable name."""

    ref: str
    text: str
    lane: Lane


@dataclass(frozen=True, kw_only=True)
class Context:
    """What memory adds to a prompt, and what is missing from it.

    ``framing`` is the text to put before the snippets; empty where there are none.
    ``dropped`` counts returned snippets that were not admitted, by reason; ``cut``
    counts those that were shortened. All snippets together stay within 4,096 bytes.
    """

    snippets: tuple[Snippet, ...] = ()
    degradations: tuple[Degradation, ...] = ()
    dropped: Mapping[Drop, int] = field(default_factory=lambda: MappingProxyType({}))
    cut: int = 0
    framing: str = ""


def load_context(
    source: LaneSource,
    scope: Scope,
    query: str,
    max_snippets: int = DEFAULT_MAX_SNIPPETS,
    *,
    rules: RecallRules,
    context_profile: str = DEFAULT_PROFILE,
) -> Context:
    """Recall what matters for *query* and admit what may be shown.

    A profile of `DISABLING_PROFILES` and a *max_snippets* below 1 read nothing. A
    lane that fails is a degradation of the result; no lane makes this raise.
    """
    if max_snippets < 1 or context_profile in DISABLING_PROFILES:
        return Context()
    recall = Recall(
        source=source,
        scope=scope,
        query=query,
        max_snippets=min(max_snippets, MOST_THAT_FIT),
        context_profile=context_profile,
        rules=rules,
    )
    return _context(admit(recall))


def _context(state: Admission) -> Context:
    snippets = tuple(
        Snippet(ref=snippet_reference(c.raw), text=c.text, lane=c.lane) for c in state.candidates
    )
    return Context(
        snippets=snippets,
        degradations=state.degradations,
        dropped=state.dropped,
        cut=state.cut,
        framing=state.recall.rules.framing if snippets else "",
    )
