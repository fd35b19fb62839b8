"""What the host drives around a turn: the two lanes, the recorder, the profile.

A model cannot reach these, so no grant is asked; the manifest must declare a hook, and
everything behind that is the same path as a tool's.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

from ironclaw_memory.calls.additions import transcript
from ironclaw_memory.calls.guest import Operation, answer
from ironclaw_memory.calls.wiring import Wiring
from ironclaw_memory.declared import Hook
from ironclaw_memory.errors import UndeclaredTool
from ironclaw_memory.model import Scope
from ironclaw_memory.provider import HOOKS


_SEARCHING: Final = frozenset({Hook.READ_LONG_TERM, Hook.READ_SHORT_TERM})


def run_hook(
    wiring: Wiring, hook: Hook, scope: Scope, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Run a declared *hook* with *arguments* by parameter name and return its record.

    Raises `UndeclaredTool` for an undeclared hook, and what a tool call raises.
    """
    if hook not in wiring.effective.hooks:
        raise UndeclaredTool(
            f"{wiring.package.manifest.id} does not declare the hook {hook.value}.",
            hint="An undeclared hook is never called.",
        )
    operation = Operation(
        name=f"hook.{hook.value}",
        function=HOOKS[hook.value],
        scope=scope,
        arguments=arguments,
        call_id=wiring.new_call_id(),
        searches=hook in _SEARCHING,
    )
    with wiring.served():
        if hook is not Hook.RECORD_INTERACTION:
            return answer(wiring, operation)
        with _room(wiring, scope, arguments):
            wiring.before_write(scope)
            return answer(wiring, operation)


def _room(
    wiring: Wiring, scope: Scope, arguments: Mapping[str, Any]
) -> AbstractContextManager[None]:
    """Hold room for a transcript; without a thread, a run id or messages nothing is kept."""
    if not all(arguments.values()):
        return nullcontext()
    return wiring.quota.reserved(scope, transcript(arguments["messages"]))
