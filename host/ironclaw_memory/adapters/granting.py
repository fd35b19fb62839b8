"""The commands that let a model do what it was refused."""

from collections.abc import Sequence

from ironclaw_memory.async_host import AsyncMemoryHost
from ironclaw_memory.capability.scope_flags import scope_flags
from ironclaw_memory.errors import ApprovalRequired
from ironclaw_memory.host import MemoryHost
from ironclaw_memory.model import Scope


Host = MemoryHost | AsyncMemoryHost


def grant_command(host: Host, tool_id: str, scope: Scope, flags: Sequence[str] = ()) -> str:
    """Return the command that grants *tool_id* on *scope* of *host* for good, for a shell.

    *flags* are global options that another shell needs besides those that *host* knows of.
    """
    return host.command_line("grant", tool_id, *scope_flags(scope), *flags)


def allowing_command(
    host: Host, refused: ApprovalRequired, tool_id: str, scope: Scope, flags: Sequence[str] = ()
) -> str:
    """Return the command that allows what was *refused*, for good where anything can.

    See `grant_command` for the rest.
    """
    if refused.is_grantable:
        return grant_command(host, tool_id, scope, flags)
    return host.command_line("approve", refused.request_id, "--once", *flags)
