"""Answers of commands that ran to their end and found something wrong."""

from ironclaw_memory.adapters.cli.failures import BAD_INPUT, HOST_FAULT, Failure
from ironclaw_memory.adapters.cli.render.table import counted


def incomplete(problems: int, what: str) -> Failure | None:
    """Return that some documents did not come through, or nothing if all did."""
    if not problems:
        return None
    return Failure(
        code="incomplete",
        message=f"{counted(problems, 'item')} {what}; everything else is done.",
        hint="Each is named above, or with --json under data.problems.",
        exit_code=BAD_INPUT,
    )


def unhealthy(troubles: int) -> Failure | None:
    """Return that something has to be done, or nothing if all is well."""
    if not troubles:
        return None
    return Failure(
        code="unhealthy",
        message=f"{counted(troubles, 'thing')} to be done; see the lines marked trouble.",
        hint="`ironclaw-memory doctor --fix` mends what is derived; the rest needs you.",
        exit_code=HOST_FAULT,
    )
