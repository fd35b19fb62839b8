"""Persistent memory for AI agents, served by a WebAssembly component that sees one directory.

Names are imported on first use, so that a command which needs no provider does not
load the sandbox.
"""

from typing import TYPE_CHECKING

from ironclaw_memory.lazy import attribute_of


if TYPE_CHECKING:
    from ironclaw_memory.async_host import AsyncMemoryHost
    from ironclaw_memory.async_session import AsyncMemorySession
    from ironclaw_memory.capability.pending import Always, ForMs, Once
    from ironclaw_memory.errors import (
        AccessDenied,
        AccessRefused,
        ApprovalRequired,
        HostFault,
        IronclawMemoryError,
        ProviderError,
        RequestError,
    )
    from ironclaw_memory.host import MemoryHost
    from ironclaw_memory.model import Effect, Grant, Message, Origin, Role, Scope
    from ironclaw_memory.session import MemorySession
    from ironclaw_memory.upkeep.dialogue import (
        Model,
        ModelMessage,
        ModelReply,
        ToolCall,
        ToolDefinition,
    )

_HOME = {
    "AccessDenied": "errors",
    "AccessRefused": "errors",
    "Always": "capability.pending",
    "ApprovalRequired": "errors",
    "AsyncMemoryHost": "async_host",
    "AsyncMemorySession": "async_session",
    "Effect": "model",
    "ForMs": "capability.pending",
    "Grant": "model",
    "HostFault": "errors",
    "IronclawMemoryError": "errors",
    "MemoryHost": "host",
    "MemorySession": "session",
    "Message": "model",
    "Model": "upkeep.dialogue",
    "ModelMessage": "upkeep.dialogue",
    "ModelReply": "upkeep.dialogue",
    "Once": "capability.pending",
    "Origin": "model",
    "ProviderError": "errors",
    "RequestError": "errors",
    "Role": "model",
    "Scope": "model",
    "ToolCall": "upkeep.dialogue",
    "ToolDefinition": "upkeep.dialogue",
}

__all__ = [
    "AccessDenied",
    "AccessRefused",
    "Always",
    "ApprovalRequired",
    "AsyncMemoryHost",
    "AsyncMemorySession",
    "Effect",
    "ForMs",
    "Grant",
    "HostFault",
    "IronclawMemoryError",
    "MemoryHost",
    "MemorySession",
    "Message",
    "Model",
    "ModelMessage",
    "ModelReply",
    "Once",
    "Origin",
    "ProviderError",
    "RequestError",
    "Role",
    "Scope",
    "ToolCall",
    "ToolDefinition",
]


__getattr__ = attribute_of(__name__, _HOME)


def __dir__() -> list[str]:
    return __all__
