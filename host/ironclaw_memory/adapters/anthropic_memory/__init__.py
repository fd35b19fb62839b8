"""Anthropic's client-side memory tool, kept in a scope.

    tool = memory_tool(host, scope)
    client.beta.messages.tool_runner(model="…", tools=[tool], messages=[…], max_tokens=1024)

The model sees files below ``/memories``; they are the scope's documents, and each command
is gated, recorded and versioned like any other call of a model. Needs
``pip install "ironclaw-memory[anthropic]"``.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ironclaw_memory.adapters.anthropic_memory.commands import Commands
from ironclaw_memory.errors import MissingExtra
from ironclaw_memory.model import Grant, Scope


if TYPE_CHECKING:
    from ironclaw_memory.adapters.anthropic_memory.tools import AsyncMemoryTool, MemoryTool
    from ironclaw_memory.async_host import AsyncMemoryHost
    from ironclaw_memory.host import MemoryHost


def memory_tool(host: "MemoryHost", scope: Scope, *, grants: Iterable[Grant] = ()) -> "MemoryTool":
    """Return the tool for the SDK's client; *grants* go with every call, besides standing ones.

    Raises `MissingExtra` without the SDK, and `UndeclaredTool` for a provider that cannot
    read, list and write.
    """
    try:
        from ironclaw_memory.adapters.anthropic_memory.tools import (  # noqa: PLC0415 - an extra
            MemoryTool,
        )
    except ModuleNotFoundError as missing:
        raise _unless_ours(missing) from None
    return MemoryTool(Commands(host=host, scope=scope, grants=tuple(grants)))


def async_memory_tool(
    host: "AsyncMemoryHost", scope: Scope, *, grants: Iterable[Grant] = ()
) -> "AsyncMemoryTool":
    """Return the tool for the SDK's asynchronous client; see `memory_tool`."""
    try:
        from ironclaw_memory.adapters.anthropic_memory.tools import (  # noqa: PLC0415 - an extra
            AsyncMemoryTool,
        )
    except ModuleNotFoundError as missing:
        raise _unless_ours(missing) from None
    return AsyncMemoryTool(host, Commands(host=host.sync, scope=scope, grants=tuple(grants)))


def _unless_ours(missing: ModuleNotFoundError) -> Exception:
    if (missing.name or "").startswith("ironclaw_memory"):
        return missing
    return MissingExtra("Anthropic's memory tool", extra="anthropic")


__all__ = ["async_memory_tool", "memory_tool"]
