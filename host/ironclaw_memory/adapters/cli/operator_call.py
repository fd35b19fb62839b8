"""Calls that a person typed, and what the host sees of the files from outside."""

from collections.abc import Mapping
from typing import Any

from ironclaw_memory.adapters.cli.invocation import Invocation
from ironclaw_memory.adapters.cli.render.dates import ago


def operate(invocation: Invocation, tool: str, arguments: Mapping[str, Any]) -> Any:
    """Call a tool as the operator, who approves by typing; return the tool's own output."""
    with invocation.host() as host:
        return host.call_as_operator(host.tool_id(tool), dict(arguments), scope=invocation.scope)


def given(**arguments: Any) -> dict[str, Any]:
    """Return the arguments that were given, leaving out those that are ``None``."""
    return {name: value for name, value in arguments.items() if value is not None}


def changed_dates(invocation: Invocation) -> dict[str, str]:
    """Return when each document of the scope was changed, in words, if a person looks.

    The host's own walk answers (lstat, no links followed), so no guest runs.
    """
    if not invocation.terminal.eyes:
        return {}
    with invocation.host() as host:
        found = host.documents(invocation.scope)
    now_ms = invocation.now_ms()
    return {path: ago(stamp.mtime_ns // 10**6, now_ms=now_ms) for path, stamp in found.items()}
