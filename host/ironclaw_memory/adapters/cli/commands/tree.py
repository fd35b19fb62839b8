"""``tree``: what documents there are."""

from typing import Final

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.operator_call import changed_dates, given, operate
from ironclaw_memory.adapters.cli.render.listing import drawn
from ironclaw_memory.adapters.cli.verb import verb


LEVELS_FOR_EYES: Final = 3
MOST_LEVELS: Final = 10  # reference.md section 2.1


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
    dates = changed_dates(invocation)
    text = drawn(listing, invocation.terminal, root=path, dates=dates)
    return Answer(data=listing, text=text or "Nothing there.")


COMMANDS = {"tree": tree}
