"""The provider's scheduled passes, run through the ordinary gate and path of a call."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ironclaw_memory import assets
from ironclaw_memory.calls import Wiring, run
from ironclaw_memory.calls.acts import require
from ironclaw_memory.capability.scope_flags import scope_flags_needed
from ironclaw_memory.declared import ScheduledOp
from ironclaw_memory.model import LATEST, Invocation, Origin, Scope
from ironclaw_memory.upkeep.conversation import CurationPass
from ironclaw_memory.upkeep.dialogue import ToolDefinition, offered_schema
from ironclaw_memory.upkeep.schedule import CurationSchedule
from ironclaw_memory.upkeep.turns import TurnLedger


@dataclass(frozen=True, kw_only=True)
class ScopedHost:
    """An open host bound to one scope and to the origin of a scheduled run.

    A scheduled run has the rights of a loop run (reference.md section 7).
    """

    wiring: Wiring
    scope: Scope

    def require(self, tool_id: str) -> None:
        """Ask the gate whether a call would run, without running it."""
        require(self.wiring, tool_id, scope=self.scope, origin=Origin.LOOP_RUN)

    def call(self, tool_id: str, arguments: Mapping[str, Any]) -> object:
        """Call a tool on the ordinary path."""
        invocation = Invocation(
            tool_id=tool_id, arguments=arguments, scope=self.scope, origin=Origin.LOOP_RUN
        )
        return run(self.wiring, invocation)

    def keep_before_write(self, path: str) -> None:
        """Take the snapshot that goes before a write; the bundled provider keeps a version."""
        self.wiring.before_write(self.scope)

    def restore_command(self, path: str) -> str:
        """Return the command that brings the earlier body back."""
        whole = "restore" not in self.wiring.package.manifest.memory.upkeep
        words = ["restore-snapshot", LATEST] if whole else ["restore", path, LATEST]
        return self.wiring.command_line(*words, *scope_flags_needed(self.scope))


def schedule_for(wiring: Wiring, ledger: Path) -> CurationSchedule:
    """Return the schedule of the provider's passes; turns are counted in the file *ledger*."""
    return CurationSchedule(
        ledger=TurnLedger(ledger),
        passes=[_pass(wiring, op) for op in wiring.package.manifest.memory.scheduled_ops],
        host_for=lambda scope: ScopedHost(wiring=wiring, scope=scope),
        clock=time.monotonic,
        now_ms=wiring.now_ms,
    )


def _pass(wiring: Wiring, op: ScheduledOp) -> CurationPass:
    package = wiring.package
    return CurationPass(
        name=Path(op.prompt).stem.replace("_", "-"),
        prompt=package.texts[op.prompt],
        tools=tuple(
            ToolDefinition(
                id=tool.id,
                description=tool.description,
                input_schema=offered_schema(assets.schema(tool.name, "input")),
            )
            for tool in package.manifest.tools
            if tool.id in op.tools and tool.name in assets.TOOL_NAMES
        ),
        interval_turns=op.interval_turns,
        max_model_calls=op.max_model_calls,
    )
