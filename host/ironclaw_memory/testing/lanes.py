"""A provider's recall lanes, written down in a test."""

from collections.abc import Sequence
from threading import Lock

from ironclaw_memory.errors import IronclawMemoryError
from ironclaw_memory.model import Scope
from ironclaw_memory.recall.lanes import Lane, RawSnippet


LaneScript = Sequence[RawSnippet] | IronclawMemoryError


class ScriptedLanes:
    """Answers each lane with what it was given: snippets, or an error to raise.

    ``asked`` lists what was asked, in order: lane, scope, query, count and profile.
    """

    def __init__(
        self,
        *,
        short_term: LaneScript = (),
        long_term: LaneScript = (),
        reads_lanes_at_once: bool = False,
    ) -> None:
        """Script both lanes; empty lanes by default."""
        self._script = {Lane.SHORT_TERM: short_term, Lane.LONG_TERM: long_term}
        self._reads_lanes_at_once = reads_lanes_at_once
        self._lock = Lock()
        self.asked: list[tuple[Lane, Scope, str, int, str]] = []

    @property
    def reads_lanes_at_once(self) -> bool:
        """Whether the host may ask for both lanes at the same time."""
        return self._reads_lanes_at_once

    def read_lane(
        self, lane: Lane, scope: Scope, query: str, max_snippets: int, context_profile: str
    ) -> Sequence[RawSnippet]:
        """Return or raise what was scripted, whatever is asked."""
        with self._lock:
            self.asked.append((lane, scope, query, max_snippets, context_profile))
        answer = self._script[lane]
        if isinstance(answer, IronclawMemoryError):
            raise answer
        return answer


def snippet_of(scope: Scope, text: str, path: str = "notes/a.md") -> RawSnippet:
    """Return *text* as an honest provider bound to *scope* would return it."""
    return RawSnippet(
        tenant=scope.tenant,
        user=scope.user,
        agent=scope.agent,
        project=scope.project,
        path=path,
        text=text,
    )
