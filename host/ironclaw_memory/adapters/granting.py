"""The command that lets a model do what it was refused."""

import shlex
from collections.abc import Sequence

from ironclaw_memory.model import Scope


def grant_command(tool_id: str, scope: Scope, flags: Sequence[str] = ()) -> str:
    """Return the command that grants *tool_id* on *scope* for good, ready for a shell.

    *flags* are the global options without which it would grant somewhere else.
    """
    axes = {
        "--tenant": scope.tenant,
        "--user": scope.user,
        "--agent": scope.agent,
        "--project": scope.project,
    }
    named = [word for flag, value in axes.items() if value for word in (flag, value)]
    return shlex.join(["ironclaw-memory", "grant", tool_id, *named, *flags])
