"""What is printed at the end of a command, for programs and for people."""

import sys
import traceback
from contextlib import suppress

import click

from ironclaw_memory import config
from ironclaw_memory.adapters.cli.asking import DECLINED
from ironclaw_memory.adapters.cli.commandlines import completed
from ironclaw_memory.adapters.cli.failures import Failure
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.terminal import escaped_json, one_line
from ironclaw_memory.errors import IronclawMemoryError
from ironclaw_memory.model import Scope


class AnswerUnread(OSError):
    """Whoever read standard output went away before all of an answer was printed."""


def print_answer(invocation: Invocation, answer: Answer) -> None:
    """Print what a command found out, and what is wrong with it if something is."""
    if invocation.wants_json:
        error = _told(invocation, answer.trouble).as_json() if answer.trouble else None
        _print_json(invocation, ok=error is None, data=answer.data, error=error)
        return
    write_stdout(_finished(answer, eyes=invocation.terminal.eyes))
    if answer.trouble:
        print_failure(invocation, answer.trouble, as_json=False)


def print_failure(invocation: Invocation, failure: Failure, *, as_json: bool) -> None:
    """Print why a command failed: an envelope on stdout, or a line or two on stderr."""
    failure = _told(invocation, failure)
    try:
        if as_json:
            _print_json(invocation, ok=False, data=None, error=failure.as_json())
    except OSError:  # what failed may be standard output itself
        silence_stdout()
        as_json = False
    with suppress(OSError):  # nowhere is left to say it; the exit code still does
        if not as_json:
            _print_lines(failure)
        if failure.unexpected and config.wants_debug():
            traceback.print_exc()


def _told(invocation: Invocation, failure: Failure) -> Failure:
    """Return *failure* with commands in it that reach the memory this one was about."""
    return failure._replace(hint=completed(_named(failure), invocation.flags))


def _named(failure: Failure) -> str:
    """Return the hint with the file that it is about: the terminal is the operator's own."""
    about_file = failure.code in {config.FILE_UNREADABLE, config.FILE_INVALID}
    if about_file or config.FILE_NAME in failure.message:
        return f"{failure.hint} The file is {one_line(str(config.file_path()))}."
    return failure.hint


def _print_lines(failure: Failure) -> None:
    mark = "" if failure.code == DECLINED else "error: "  # who said no made no mistake
    click.echo(f"{mark}{failure.message}", err=True)
    if failure.hint:
        click.echo(f"hint: {failure.hint}", err=True)


def write_stdout(text: str) -> None:
    """Write *text* as UTF-8, whatever the locale says, and nothing else.

    Raises `AnswerUnread` where nobody reads it any more.
    """
    out = sys.stdout.buffer
    try:
        out.write(text.encode(errors="backslashreplace"))
        out.flush()
    except BrokenPipeError:
        raise AnswerUnread from None


def scope_json(scope: Scope) -> dict[str, str | None]:
    """Return the five ids of *scope* as the envelope shows them."""
    return {
        "tenant": scope.tenant,
        "user": scope.user,
        "agent": scope.agent,
        "project": scope.project,
        "thread": scope.thread,
    }


def _print_json(
    invocation: Invocation, *, ok: bool, data: object, error: dict[str, str] | None
) -> None:
    envelope = {
        "ok": ok,
        "command": invocation.command,
        "scope": _scope(invocation),
        "data": data,
        "error": error,
        "duration_ms": invocation.elapsed_ms(),
    }
    write_stdout(escaped_json(envelope, eyes=sys.stdout.isatty()) + "\n")


def _scope(invocation: Invocation) -> dict[str, str | None] | None:
    """Return the scope, or nothing where the flags do not make one."""
    try:
        return scope_json(invocation.scope)
    except IronclawMemoryError:
        return None


def _finished(answer: Answer, *, eyes: bool) -> str:
    text = answer.text
    ends = text.endswith("\n") or not text
    return text if ends or (answer.exact and not eyes) else f"{text}\n"


def silence_stdout() -> None:
    """Give standard output away, because the reader is gone, so that exit stays quiet."""
    import os  # noqa: PLC0415 - only on this rare way out

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
