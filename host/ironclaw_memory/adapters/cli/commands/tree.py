"""``tree``: what documents there are."""

import time
from typing import Final

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.operator_call import changed_dates, given, operate
from ironclaw_memory.adapters.cli.render.listing import drawn
from ironclaw_memory.adapters.cli.verb import verb


LEVELS_FOR_EYES: Final = 3


@verb(
    "tree",
    examples=(
        "ironclaw-memory tree",
        "ironclaw-memory tree --depth 1 notes",
    ),
)
@click.option(
    "--depth", type=int, help="Levels to show, 1 to 10. Default: 3 on a terminal, else 1."
)
@click.argument("path", default="")
def tree(invocation: Invocation, depth: int | None, path: str) -> Answer:
    """Draw the documents and directories below PATH, or all of them."""
    levels = LEVELS_FOR_EYES if depth is None and invocation.terminal.eyes else depth
    listing = operate(invocation, "tree", given(path=path, depth=levels))
    dates = changed_dates(invocation, now_ms=int(time.time() * 1000))
    text = drawn(listing, invocation.terminal, root=path, dates=dates)
    return Answer(data=listing, text=text or "Nothing there.")


COMMANDS = {"tree": tree}
