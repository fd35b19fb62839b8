"""What the owner of a memory does to documents: history, restore, erase, refresh, check.

These are the owner's own acts, never a model's, so the gate is not asked; each one that
changes something is in the audit log before it runs.
"""

from collections.abc import Mapping
from typing import Any, Final

from ironclaw_memory.calls.guest import Operation, answer
from ironclaw_memory.calls.wiring import Wiring
from ironclaw_memory.capability.records import Kind, Outcome, Record
from ironclaw_memory.capability.state import ScopeAxes
from ironclaw_memory.errors import UndeclaredTool
from ironclaw_memory.model import Scope
from ironclaw_memory.provider import UPKEEP


_CHANGING: Final = frozenset(
    {"restore", "delete", "rename", "erase", "sweep", "adopt", "check"}  # `check` may repair
)
_SEARCHING: Final = frozenset({"explain"})


def run_upkeep(
    wiring: Wiring, name: str, scope: Scope, request: Mapping[str, Any]
) -> dict[str, Any]:
    """Run the upkeep function *name* with the record *request* and return its record.

    Raises `UndeclaredTool` if the provider does not offer it, and what a tool call raises.
    """
    with wiring.served():
        return _run(wiring, name, scope, request)


def _run(wiring: Wiring, name: str, scope: Scope, request: Mapping[str, Any]) -> dict[str, Any]:
    if name not in wiring.package.manifest.memory.upkeep:
        raise UndeclaredTool(
            f"{wiring.package.manifest.id} does not offer {name}.",
            hint="`ironclaw-memory component info` shows what it offers.",
        )
    call_id = wiring.new_call_id()
    if name in _CHANGING:
        wiring.audit.require(_record(wiring, name, scope, call_id))
        wiring.before_write(scope)
    operation = Operation(
        name=f"upkeep.{name}",
        function=UPKEEP[name],
        scope=scope,
        arguments={"request": request},
        call_id=call_id,
        searches=name in _SEARCHING,
    )
    try:
        return answer(wiring, operation)
    finally:
        # Mending takes documents into the index without an event for each.
        if name == "check" and request.get("repair"):
            wiring.freshness.doubt(scope)


def _record(wiring: Wiring, name: str, scope: Scope, call_id: str) -> Record:
    return Record(
        at_ms=wiring.now_ms(),
        kind=Kind.DECISION,
        tool=f"upkeep.{name}",
        scope=ScopeAxes.of(scope),
        outcome=Outcome.ALLOWED,
        call=call_id,
        by_operator=True,
    )
