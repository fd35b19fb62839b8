"""``search``: find documents, and say why they were found."""

from typing import Any, Final

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.operator_call import changed_dates, operate
from ironclaw_memory.adapters.cli.render.explanation import drawn as explained
from ironclaw_memory.adapters.cli.render.matches import drawn
from ironclaw_memory.adapters.cli.verb import verb


MOST_HITS: Final = 20  # reference.md section 2.1


@verb(
    "search",
    examples=(
        "ironclaw-memory search where does she live",
        "ironclaw-memory search --explain --path notes/trip.md flights",
    ),
)
@click.option(
    "--limit",
    type=click.IntRange(1, MOST_HITS),
    default=5,
    show_default=True,
    help="At most this many.",
)
@click.option("--explain", is_flag=True, help="Show matched terms, lines and the parts of scores.")
@click.option("--path", help="With --explain: also say why this document matched or did not.")
@click.argument("query", nargs=-1, required=True)
def search(
    invocation: Invocation,
    limit: int,
    explain: bool,  # noqa: FBT001 - click passes flags by name
    path: str | None,
    query: tuple[str, ...],
) -> Answer:
    """Search all documents for QUERY, best first."""
    words = " ".join(query)
    if path is not None and not explain:
        raise click.UsageError("--path needs --explain.")
    if explain:
        return _explain(invocation, words, limit, path)
    output = operate(invocation, "search", {"query": words, "limit": limit})
    dates = changed_dates(invocation)
    text = drawn(output["results"], words, invocation.terminal, dates=dates)
    return Answer(data=output, text=text)


def _explain(invocation: Invocation, query: str, limit: int, path: str | None) -> Answer:
    with invocation.host() as host:
        explanation: dict[str, Any] = host.explain(invocation.scope, query, limit=limit, path=path)
    return Answer(data=explanation, text=explained(explanation, invocation.terminal))


COMMANDS = {"search": search}
