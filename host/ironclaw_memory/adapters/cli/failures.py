"""From any exception to what a caller is told, and the exit code (design.md section 10)."""

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final, NamedTuple

import click

from ironclaw_memory.errors import ApprovalRequired, IronclawMemoryError


BAD_INPUT: Final = 2
HOST_FAULT: Final = 5
ALIKE: Final = 0.7  # of difflib: one slip in a word of four letters, not another word
INTERRUPTED: Final = 130  # as shells have it

EXIT_CODES: Final[Mapping[int, tuple[str, str]]] = {
    0: ("ok", ""),
    BAD_INPUT: ("bad input", "correct it and ask again"),
    3: ("denied, or needs approval", "do what the hint names; nothing was stored"),
    4: (
        "the provider refused, failed or hit a limit",
        "look before you repeat; the bundled one leaves documents as before, or fully written",
    ),
    HOST_FAULT: ("host fault", "mend the installation, then repeat; `doctor` helps"),
    INTERRUPTED: ("interrupted", "repeat it"),
}
"""What each exit code means, and what to do; printed in the README and in `--help`."""


class Failure(NamedTuple):
    """What went wrong: a stable word, one sentence, what would help, and the exit code.

    ``request_id`` names the call that now waits for a person, if it does.
    """

    code: str
    message: str
    hint: str
    exit_code: int
    unexpected: bool = False
    request_id: str = ""

    def as_json(self) -> dict[str, str]:
        """Return the ``error`` object of the envelope."""
        said = {"code": self.code, "message": self.message, "hint": self.hint}
        return {**said, "request_id": self.request_id} if self.request_id else said


def failure_of(problem: BaseException) -> Failure:
    """Say what *problem* means to the caller."""
    match problem:
        case IronclawMemoryError():
            return Failure(
                code=problem.code,
                message=_one_line(problem.message),
                hint=_one_line(_hint(problem)),
                exit_code=problem.exit_code,
                request_id=problem.request_id if isinstance(problem, ApprovalRequired) else "",
            )
        case click.Abort() | KeyboardInterrupt():
            return Failure(
                code="interrupted", message="Interrupted.", hint="", exit_code=INTERRUPTED
            )
        case click.NoSuchOption():
            meant = alike(problem.option_name, problem.possibilities or ())
            return _misuse(
                click.NoSuchOption(problem.option_name, possibilities=meant, ctx=problem.ctx)
            )
        case click.ClickException():
            return _misuse(problem)
        case OSError(errno=int(number)):
            return Failure(
                code="system",
                message=f"The system refuses to read or write: {os.strerror(number)}.",
                hint="Check permissions and free space; `ironclaw-memory doctor` examines both.",
                exit_code=HOST_FAULT,
                unexpected=True,
            )
        case _:
            return Failure(
                code="internal",
                message=f"Unexpected {type(problem).__name__}.",
                hint="Set IRONCLAW_MEMORY_DEBUG=1 to see where, and please report it.",
                exit_code=HOST_FAULT,
                unexpected=True,
            )


def alike(typed: str, known: Iterable[str]) -> list[str]:
    """Return which of the *known* words somebody may have meant, dashes aside."""
    words = {word.strip("-"): word for word in known}
    found = get_close_matches(typed.strip("-"), words, cutoff=ALIKE)
    return [words[word] for word in found]


def _misuse(problem: click.ClickException) -> Failure:
    return Failure(
        code="usage",
        message=_one_line(problem.format_message()),
        hint=_where_to_look(problem),
        exit_code=BAD_INPUT,
    )


def _hint(problem: IronclawMemoryError) -> str:
    if isinstance(problem, ApprovalRequired) and problem.request_id:
        once = f"`ironclaw-memory approve {problem.request_id} --once` allows this call alone."
        return (
            f"{problem.hint} {once}".strip()
            if problem.request_id not in problem.hint
            else problem.hint
        )
    return problem.hint


def _where_to_look(problem: click.ClickException) -> str:
    context = getattr(problem, "ctx", None)
    command = context.command_path if context else "ironclaw-memory"
    return f"`{command} --help` shows how."


def _one_line(text: str) -> str:
    return " ".join(text.split())
