"""Answers of commands that ran to their end and found something wrong."""

from ironclaw_memory.adapters.cli.failures import BAD_INPUT, Failure
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
