"""What the two recall lanes are asked and what they answer (wit/lifecycle.wit)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from ironclaw_memory.declared import Hook
from ironclaw_memory.errors import IronclawMemoryError, RequestError
from ironclaw_memory.model import Scope


class Lane(StrEnum):
    """A recall lane, in the order in which they are put before a model."""

    SHORT_TERM = "short_term"
    LONG_TERM = "long_term"

    @property
    def hook(self) -> Hook:
        """The hook that reads this lane."""
        return Hook(f"read_{self.value}")


@dataclass(frozen=True, kw_only=True)
class RawSnippet:
    """A recalled text as the provider gave it: whose it says it is, where it stands, the text.

    An absent agent or project is ``None`` or the empty string; both mean the same.
    """

    tenant: str
    user: str
    agent: str | None
    project: str | None
    path: str
    text: str

    def axes(self) -> tuple[str, str, str, str]:
        """Return the four axes that isolate, absent ones as empty text."""
        return (self.tenant, self.user, self.agent or "", self.project or "")


class LaneSource(Protocol):
    """Whoever can ask the provider for a lane."""

    @property
    def reads_lanes_at_once(self) -> bool:
        """Whether `read_lane` may run on two threads at the same time."""
        ...

    def read_lane(
        self, lane: Lane, scope: Scope, query: str, max_snippets: int, context_profile: str
    ) -> Sequence[RawSnippet]:
        """Return the lane, best first. Raises `IronclawMemoryError`, and nothing else."""
        ...


class DegradationKind(StrEnum):
    """Why a lane is missing (reference.md section 6)."""

    INPUT = "input"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, kw_only=True)
class Degradation:
    """A lane that is missing from a context. ``code`` is the error's stable word."""

    lane: Lane
    kind: DegradationKind
    code: str

    @classmethod
    def of(cls, lane: Lane, error: IronclawMemoryError) -> "Degradation":
        """Classify *error*: a wrong request is ``input``, whatever else ``unavailable``."""
        wrong = isinstance(error, RequestError)
        kind = DegradationKind.INPUT if wrong else DegradationKind.UNAVAILABLE
        return cls(lane=lane, kind=kind, code=error.code)
