"""``read``, ``write`` and ``patch``: one document, as its owner."""

from typing import Any

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.numbering import NUMBER_OR_LATEST, numbered
from ironclaw_memory.adapters.cli.operator_call import given, operate, stored
from ironclaw_memory.adapters.cli.reading import json_object, text_or_stdin
from ironclaw_memory.adapters.cli.render.table import counted, size
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.errors import InvalidArguments, IronclawMemoryError


_TARGET = "memory, daily_log, heartbeat, bootstrap, or a path such as notes/trip.md."

_LOG = "daily_log"

_FLAGS = {"old_string": "--old", "new_string": "--new"}
"""What a person typed, by the argument that the provider speaks of."""


@verb(
    "read",
    examples=(
        "ironclaw-memory read MEMORY.md",
        "ironclaw-memory read notes/trip.md > trip.md",
        "ironclaw-memory read --version 1 MEMORY.md",
    ),
)
@click.option(
    "--version",
    "number",
    type=NUMBER_OR_LATEST,
    metavar="N",
    help="Print this earlier version, one that `history` lists, or LATEST.",
)
@click.argument("path")
def read(invocation: Invocation, number: int | None, path: str) -> Answer:
    """Print one document, or an earlier version of it, byte for byte."""
    if number is not None:
        return _version(invocation, path, number)
    document = operate(invocation, "read", {"path": path})
    return Answer(data=document, text=invocation.terminal.safe(document["content"]), exact=True)


def _version(invocation: Invocation, path: str, wanted: int) -> Answer:
    with invocation.host() as host:
        number = numbered(host, invocation.scope, path, wanted)
        content = host.version(invocation.scope, path, number)
    data = {"path": path, "version": number, "content": content}
    return Answer(data=data, text=invocation.terminal.safe(content), exact=True)


@verb(
    "write",
    examples=(
        'ironclaw-memory write --target memory "Prefers tea, no sugar."',
        "ironclaw-memory write --target notes/trip.md --replace - < trip.md",
    ),
)
@click.option("--target", help=f"Where to: {_TARGET} Default: daily_log.")
@click.option(
    "--replace",
    is_flag=True,
    help="Replace the document instead of adding to it. Not for daily_log, which only grows.",
)
@click.option("--metadata", metavar="JSON", help="Settings to lay over the document's own.")
@click.option(
    "--timezone", metavar="ZONE", help="IANA zone that decides which day daily_log means."
)
@click.argument("text", required=False)
def write(
    invocation: Invocation,
    target: str | None,
    replace: bool,  # noqa: FBT001 - click passes flags by name
    metadata: str | None,
    timezone: str | None,
    text: str | None,
) -> Answer:
    """Add TEXT to a document, or replace it. Without TEXT, or with -, reads standard input."""
    if replace and target in {None, _LOG}:
        raise _only_grows(target)
    empties = target == "bootstrap" and text is None
    content = "" if empties else text_or_stdin(text, what="the text")
    arguments = given(
        target=target,
        content=content,
        append=False if replace else None,
        metadata=None if metadata is None else json_object(metadata, what="--metadata"),
        timezone=timezone,
    )
    done = stored(invocation, "write", arguments)
    return done.answer(_said(done.output, invocation))


@verb(
    "patch",
    examples=(
        'ironclaw-memory patch --target memory --old "Lives in Lyon" --new "Lives in Turin"',
    ),
)
@click.option("--target", required=True, help=f"Which document: {_TARGET}")
@click.option("--old", required=True, metavar="TEXT", help="The text to find, exactly as stored.")
@click.option("--new", required=True, metavar="TEXT", help="The text to put in its place.")
@click.option("--all", "every", is_flag=True, help="Replace every occurrence, not the first.")
def patch(
    invocation: Invocation,
    target: str,
    old: str,
    new: str,
    every: bool,  # noqa: FBT001 - click passes flags by name
) -> Answer:
    """Replace a passage inside a document."""
    _refuse_empty(old, new)
    arguments = given(
        target=target, old_string=old, new_string=new, replace_all=True if every else None
    )
    try:
        done = stored(invocation, "write", arguments)
    except IronclawMemoryError as problem:
        for argument, flag in _FLAGS.items():
            problem.message = problem.message.replace(argument, flag)
        raise
    return done.answer(_said(done.output, invocation))


def _only_grows(target: str | None) -> InvalidArguments:
    """Say that no text takes the place of a day's log; the tool would add it in silence."""
    why = "" if target else ", where a text goes without --target"
    return InvalidArguments(
        f"--replace has no effect on {_LOG}{why}.",
        field="replace",
        hint="Leave --replace out to add to the log, or name another document with --target.",
    )


def _refuse_empty(old: str, new: str) -> None:
    if not old:
        raise InvalidArguments(
            "--old is empty.", field="old", hint="Give the exact text to replace."
        )
    if not new:
        raise InvalidArguments(
            "--new is empty, and a patch cannot delete.",
            field="new",
            hint="Give a longer passage as --old and its shorter form as --new, or rewrite the "
            "document with `ironclaw-memory write --replace`.",
        )


def _said(output: dict[str, Any], invocation: Invocation) -> str:
    """Return one sentence on what a write did."""
    path = invocation.terminal.safe(output["path"])
    match output["status"]:
        case "patched":
            return f"Replaced {counted(output['replacements'], 'occurrence')} in {path}."
        case "cleared":
            return f"Emptied {path}."
        case _ if output["append"]:
            return f"Added {size(output['content_length'])} to {path}."
        case _:
            return f"Wrote {path}, {size(output['content_length'])}."


COMMANDS = {"read": read, "write": write, "patch": patch}
