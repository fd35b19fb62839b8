"""A host without sandbox, gate state and disk, for tests of agent loops.

It has what a session needs, on an `InMemoryProvider`. Writes are allowed or refused
by one switch; everything else about permissions belongs to the real host.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ironclaw_memory.declared import Hook
from ironclaw_memory.errors import ApprovalRequired
from ironclaw_memory.model import Message, Origin, Scope
from ironclaw_memory.recall import Context, LaneSource, Profile, RecallRules, load_context
from ironclaw_memory.testing.provider import InMemoryProvider
from ironclaw_memory.upkeep.curation import CurationHost
from ironclaw_memory.upkeep.dialogue import Model
from ironclaw_memory.upkeep.report import CurationReport
from ironclaw_memory.upkeep.schedule import CurationSchedule


WRITE = "ironclaw.memory.write"
REQUEST_ID: Final = "request-1"
"""Of every call that waits for a person here."""


@dataclass(frozen=True, kw_only=True)
class InMemoryTool:
    """A tool of the in-memory provider; its schema takes any object."""

    id: str
    description: str
    documentation: str = ""
    visibility: str = "model"
    input_schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})


class InMemoryHost:
    """A `SessionHost`. Public attributes may be changed between calls.

    ``lanes`` answers recall, by default the provider itself; ``writes_allowed`` is the
    gate; ``schedule`` counts turns and runs passes, and without one turns are counted in
    memory and no pass is run.
    """

    def __init__(
        self,
        provider: InMemoryProvider | None = None,
        *,
        lanes: LaneSource | None = None,
        guidance: str | None = None,
        profile: Profile | None = None,
        writes_allowed: bool = True,
    ) -> None:
        """Start with an empty provider unless one is given."""
        self.provider = provider or InMemoryProvider()
        self.lanes: LaneSource = lanes or self.provider
        self.guidance = guidance
        self.profile = profile
        self.writes_allowed = writes_allowed
        self.schedule: CurationSchedule | None = None
        self.completed_runs: list[str] = []

    def tools(self) -> tuple[InMemoryTool, ...]:
        """Return the provider's tools."""
        return tuple(
            InMemoryTool(id=tool_id, description=f"{tool_id.rsplit('.', 1)[-1]} memory")
            for tool_id in self.provider.tool_ids
        )

    def require(self, tool_id: str) -> None:
        """Raise `ApprovalRequired` for the write tool unless writes are allowed."""
        if tool_id == WRITE and not self.writes_allowed:
            raise ApprovalRequired(
                "The tool needs a grant.",
                request_id=REQUEST_ID,
                hint="`ironclaw-memory grant ironclaw.memory.write`",
            )

    def call(
        self, tool_id: str, arguments: Mapping[str, Any], *, scope: Scope, origin: Origin
    ) -> object:
        """Run a tool of the provider, if the switch allows it."""
        self.require(tool_id)
        return self.provider.call(tool_id, arguments, scope)

    def load_context(self, scope: Scope, query: str, max_snippets: int) -> Context:
        """Admit what the lanes return; nothing is masked."""
        rules = RecallRules(
            declared_hooks=frozenset(Hook), redact=str, framing="Recalled; may be out of date."
        )
        return load_context(self.lanes, scope, query, max_snippets, rules=rules)

    def read_profile(self, scope: Scope) -> Profile | None:
        """Return the profile that was set."""
        return self.profile

    def record_interaction(self, scope: Scope, messages: Sequence[Message], run_id: str) -> bool:
        """Keep a transcript in the provider."""
        return self.provider.record(scope, messages, run_id)

    def complete_turn(self, scope: Scope, run_id: str) -> int:
        """Count a run, in the schedule's ledger where there is one."""
        if self.schedule is not None:
            return self.schedule.complete_turn(scope, run_id)
        self.completed_runs.append(run_id)
        return len(self.completed_runs)

    def run_due_passes(self, scope: Scope, model: Model, run_id: str) -> Sequence[CurationReport]:
        """Run what the schedule says is due."""
        return self.schedule.run_due(scope, model, run_id=run_id) if self.schedule else ()

    def bound_to(self, scope: Scope) -> CurationHost:
        """Return this host as a curation pass sees it."""
        return _Bound(self, scope)


@dataclass(frozen=True)
class _Bound:
    host: InMemoryHost
    scope: Scope

    def require(self, tool_id: str) -> None:
        self.host.require(tool_id)

    def call(self, tool_id: str, arguments: Mapping[str, Any]) -> object:
        return self.host.call(tool_id, arguments, scope=self.scope, origin=Origin.LOOP_RUN)

    def keep_before_write(self, path: str) -> None:
        kept = f"{path}.kept"
        self.host.provider.of(self.scope)[kept] = self.host.provider.of(self.scope)[path]

    def restore_command(self, path: str) -> str:
        return f"ironclaw-memory restore {path} 1"
