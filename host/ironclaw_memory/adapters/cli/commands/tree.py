"""``tree``: what documents there are."""

from typing import Final
from unicodedata import normalize

import click

from ironclaw_memory.adapters.cli.commandlines import command_line
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.operator_call import changed_dates, given, operate
from ironclaw_memory.adapters.cli.render.listing import drawn
from ironclaw_memory.adapters.cli.terminal import one_line
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.errors import InvalidArguments


LEVELS_FOR_EYES: Final = 3
MOST_LEVELS: Final = 10  # reference.md section 2.1
_SHOWN: Final = 80  # characters of a path, as in the sentences of a provider's failures


@verb(
    "tree",
    examples=(
        "ironclaw-memory tree",
        "ironclaw-memory tree --depth 1 notes",
    ),
)
@click.option(
    "--depth",
    type=click.IntRange(1, MOST_LEVELS),
    help="Levels to show. Default: 3 on a terminal, else 1.",
)
@click.argument("path", default="")
def tree(invocation: Invocation, depth: int | None, path: str) -> Answer:
    """Draw the documents and directories below PATH, or all of them."""
    levels = LEVELS_FOR_EYES if depth is None and invocation.terminal.eyes else depth
    listing = operate(invocation, "tree", given(path=path, depth=levels))
    if not listing:
        return Answer(data=listing, text=_empty(invocation, path))
    dates = changed_dates(invocation)
    return Answer(data=listing, text=drawn(listing, invocation.terminal, root=path, dates=dates))


def _empty(invocation: Invocation, path: str) -> str:
    """Say that nothing is below *path*; raises `InvalidArguments` if it is a document.

    The tool's own answer is the same for both: nothing.
    """
    name = normalize("NFC", path.strip("/"))
    if not name:
        return "Nothing is stored yet."
    with invocation.host() as host:
        if name in host.documents(invocation.scope):
            raise InvalidArguments(
                f"path {name!r:.{_SHOWN}} is a document.",
                field="path",
                code="is-a-document",
                hint=f"{command_line(invocation.flags, 'read', name)} prints it.",
            )
    return f"Nothing is stored below {one_line(name)}."


COMMANDS = {"tree": tree}
