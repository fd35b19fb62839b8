"""The command that lets a model do what it was refused."""

import shlex
from collections.abc import Sequence

from ironclaw_memory.capability.scope_flags import scope_flags
from ironclaw_memory.model import Scope


def grant_command(tool_id: str, scope: Scope, flags: Sequence[str] = ()) -> str:
    """Return the command that grants *tool_id* on *scope* for good, ready for a shell.

    *flags* are the global options without which it would grant somewhere else.
    """
    return shlex.join(["ironclaw-memory", "grant", tool_id, *scope_flags(scope), *flags])
