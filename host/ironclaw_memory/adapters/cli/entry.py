"""Runs one command line from its words to its exit code."""

import sys
from collections.abc import Sequence

import click

from ironclaw_memory.adapters.cli.commandlines import NAME
from ironclaw_memory.adapters.cli.envelope import (
    AnswerUnread,
    print_answer,
    print_failure,
    silence_stdout,
)
from ironclaw_memory.adapters.cli.failures import BAD_INPUT, Failure, failure_of
from ironclaw_memory.adapters.cli.invocation import (
    Answer,
    Invocation,
    OpenHost,
    open_memory_host,
)
from ironclaw_memory.adapters.cli.program import program
from ironclaw_memory.adapters.cli.reading import check_words
from ironclaw_memory.adapters.cli.terminal import announce


def main(words: Sequence[str] | None = None, *, open_host: OpenHost = open_memory_host) -> int:
    """Run the command line *words*, by default the process's own, and return its exit code.

    Nothing is raised: every failure becomes one line on standard error, or with
    ``--json`` one envelope on standard output, and an exit code of `failures`.
    """
    given = list(sys.argv[1:] if words is None else words)
    invocation = Invocation(open_host=open_host)
    try:
        return _run(invocation, given)
    except click.exceptions.NoArgsIsHelpError as asked:
        return _help(invocation, asked, as_json=_wants_json(invocation, given))
    except (AnswerUnread, BrokenPipeError):  # the second from the completion of a shell
        silence_stdout()
        return 0
    except (Exception, KeyboardInterrupt) as problem:  # noqa: BLE001 - the border of the process
        failure = failure_of(problem)
        invocation.command = invocation.command or _command(problem)
        print_failure(invocation, failure, as_json=_wants_json(invocation, given))
        return failure.exit_code


def _run(invocation: Invocation, words: list[str]) -> int:
    check_words(words)
    try:
        outcome = program.main(words, prog_name=NAME, standalone_mode=False, obj=invocation)
    except SystemExit as end:  # of click, which ends the completion of a shell by itself
        return end.code if isinstance(end.code, int) else 1
    if isinstance(outcome, Answer):
        print_answer(invocation, outcome)
        return outcome.trouble.exit_code if outcome.trouble else 0
    return outcome if isinstance(outcome, int) else 0


def _help(
    invocation: Invocation, asked: click.exceptions.NoArgsIsHelpError, *, as_json: bool
) -> int:
    """Answer a command line that lacks a command: with all there are, and the code of bad input."""
    if as_json:
        failure = Failure(
            code="usage",
            message="Missing command.",
            hint="`ironclaw-memory --help` lists them.",
            exit_code=BAD_INPUT,
        )
        print_failure(invocation, failure, as_json=True)
    else:
        announce(asked.format_message())
    return BAD_INPUT


def _command(problem: BaseException) -> str | None:
    """Return the command whose words could not be understood, where it is known."""
    context = getattr(problem, "ctx", None)
    return context.command_path.partition(" ")[2] or None if context else None


def _wants_json(invocation: Invocation, words: list[str]) -> bool:
    """Say whether to answer in JSON, also where the words were never fully understood."""
    before_dashes = words[: words.index("--")] if "--" in words else words
    return "--json" in before_dashes or invocation.wants_json
