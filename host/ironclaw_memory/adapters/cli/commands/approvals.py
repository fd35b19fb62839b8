"""``pending`` and ``approve``: calls that wait for a person."""

import time

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.reading import duration_ms
from ironclaw_memory.adapters.cli.render.dates import ago
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.render.table import columns, size
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.capability.pending import Always, Approval, ForMs, Once


@verb("pending")
def pending(invocation: Invocation) -> Answer:
    """List the calls that wait for approval, oldest first."""
    with invocation.host() as host:
        found = host.pending()
    now_ms = int(time.time() * 1000)
    rows = [("id", "tool", "origin", "tenant", "user", "asked", "arguments")]
    for one in found:
        asked = ago(one.created_ms, now_ms=now_ms)
        rows.append(
            (
                one.id,
                one.tool,
                one.origin.value,
                one.scope.tenant,
                one.scope.user,
                asked,
                size(one.argument_bytes),
            )
        )
    return Answer(data=plain(found), text=columns(rows) if found else "Nothing waits for approval.")


@verb(
    "approve",
    examples=("ironclaw-memory approve request-0123456789ab --for 1h",),
)
@click.option("--once", is_flag=True, help="Exactly this call, once (the default).")
@click.option(
    "--for", "duration", metavar="TIME", help="Calls like it for that long, for instance 1h."
)
@click.option("--always", is_flag=True, help="Calls like it until revoked.")
@click.argument("request_id", metavar="ID")
def approve(
    invocation: Invocation,
    once: bool,  # noqa: FBT001 - click passes flags by name
    duration: str | None,
    always: bool,  # noqa: FBT001 - see above
    request_id: str,
) -> Answer:
    """Approve a waiting call; the caller then repeats it."""
    if sum((once, always, duration is not None)) > 1:
        raise click.UsageError("Give one of --once, --for and --always.")
    how: Approval = Once()
    if always:
        how = Always()
    elif duration is not None:
        how = ForMs(duration_ms=duration_ms(duration))
    with invocation.host() as host:
        made = host.approve(request_id, how)
    return Answer(data=plain(made), text=f"Approved as {made.id}.")


COMMANDS = {"pending": pending, "approve": approve}
