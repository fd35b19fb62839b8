"""A tool that a provider declares under a name the contract does not have."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, native_package, wired

from ironclaw_memory.calls import run
from ironclaw_memory.errors import OperationFailed, UndeclaredTool
from ironclaw_memory.model import Invocation, Origin, Scope


def test_a_declared_tool_that_is_not_served_fails_by_another_name(tmp_path: Path) -> None:
    """Undeclared and unserved are two errors: one is the caller's, one the provider's."""
    package = native_package()
    read = package.tool("ironclaw.memory.read")
    odd = replace(read, id="ironclaw.memory.divine")
    manifest = replace(package.manifest, tools=(*package.manifest.tools, odd))
    guest = ScriptedGuest()
    wiring = wired(tmp_path, guest, package=replace(package, manifest=manifest))

    def ask(tool_id: str) -> object:
        scope = Scope(tenant="acme", user="alice")
        invocation = Invocation(tool_id=tool_id, arguments={}, scope=scope, origin=Origin.LOOP_RUN)
        return run(wiring, invocation, operator=True)

    with pytest.raises(OperationFailed) as unserved:
        ask("ironclaw.memory.divine")
    with pytest.raises(UndeclaredTool):
        ask("ironclaw.memory.invent")

    assert unserved.value.code == "unserved"
    assert guest.calls == []
