"""``refresh``: bring the search index in step with the documents."""

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.render.table import counted
from ironclaw_memory.adapters.cli.verb import verb


@verb("refresh")
@click.option("--all", "everything", is_flag=True, help="Compare every document with the index.")
def refresh(invocation: Invocation, everything: bool) -> Answer:  # noqa: FBT001 - click passes flags by name
    """Index what was edited by hand; a search does this by itself."""
    with invocation.host() as host:
        report = host.refresh(invocation.scope, everything=everything)
    text = f"Indexed {counted(report.indexed, 'document')}, removed {report.removed}."
    return Answer(data=plain(report), text=text)


COMMANDS = {"refresh": refresh}
