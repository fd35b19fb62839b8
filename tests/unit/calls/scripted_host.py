"""A `MemoryHost` on a wiring that a test made, so that its guest can be scripted."""

from collections.abc import Iterable, Mapping
from typing import Any

from ironclaw_memory.calls import Wiring, run
from ironclaw_memory.contract.outputs import Output
from ironclaw_memory.host import MemoryHost
from ironclaw_memory.model import Grant, Invocation, Origin, Scope
from ironclaw_memory.owner import Owner


class ScriptedHost(MemoryHost):
    """A host whose wiring is given instead of opened."""

    def __init__(self, wiring: Wiring) -> None:
        Owner.__init__(self, wiring)

    def call(
        self,
        tool_id: str,
        arguments: Mapping[str, Any],
        *,
        scope: Scope,
        origin: Origin | str | None,
        grants: Iterable[Grant] = (),
    ) -> Output:
        """Run a tool on the ordinary path."""
        call = Invocation(
            tool_id=tool_id,
            arguments=arguments,
            scope=scope,
            origin=Origin.of(origin),
            grants=tuple(grants),
        )
        return run(self._wiring, call)

    def close(self) -> None:
        """Write what the audit log still holds."""
        self._wiring.audit.close()
