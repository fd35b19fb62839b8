"""``pending``, ``approve`` and ``decline``: calls that wait for a person."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ironclaw_memory.adapters.cli.commandlines import command_line
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.reading import lasting_ms
from ironclaw_memory.adapters.cli.render.dates import ago
from ironclaw_memory.adapters.cli.render.owners import whose
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.render.table import columns, size
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.capability.pending import Always, Approval, ForMs, Once
from ironclaw_memory.model import Effect


if TYPE_CHECKING:
    from ironclaw_memory.capability.state import PendingRequest


ONCE = "the very same call can be repeated now, once, within a day."  # pending.LEASE_MS
LIKE_IT = "the call can be repeated now, and others like it need no approval."


@verb("pending")
def pending(invocation: Invocation) -> Answer:
    """List the calls that wait for approval, oldest first, of every scope.

    What a call would save is not kept before it is approved, so it is not shown: the
    agent's own conversation shows it.
    """
    with invocation.host() as host:
        found = host.pending()
    text = _text(found, invocation) if found else "Nothing waits for approval."
    return Answer(data=plain(found), text=text)


def _text(found: "Sequence[PendingRequest]", invocation: Invocation) -> str:
    now_ms = invocation.now_ms()
    rows = [("id", "asked", "by", "memory of", "tool", "document", "it would", "arguments")]
    for one in found:
        scope = one.scope
        rows.append(
            (
                one.id,
                ago(one.created_ms, now_ms=now_ms),
                one.origin.value,
                whose(scope.tenant, scope.user, agent=scope.agent, project=scope.project),
                one.tool,
                invocation.terminal.safe(" ".join((one.target or "-").split())),
                _would(one),
                size(one.argument_bytes),
            )
        )
    approve, decline = (
        command_line(invocation.flags, verb, found[0].id) for verb in ("approve", "decline")
    )
    return (
        f"{columns(rows)}\n"
        "What a call would save is not kept before it is approved; the agent's own conversation "
        f"shows it.\n{approve} allows exactly that once; {decline} forgets it."
    )


def _would(request: "PendingRequest") -> str:
    """Say what a call would do to its document, and to what amount."""
    if request.change is None:
        return "write" if Effect.WRITE_FILESYSTEM in request.effects else "read"
    if request.text_bytes is None:
        return request.change.value
    return f"{request.change.value} {size(request.text_bytes)}"


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
        how = ForMs(duration_ms=lasting_ms(duration, option="--for"))
    with invocation.host() as host:
        made = host.approve(request_id, how)
    now = ONCE if how == Once() else LIKE_IT
    return Answer(data=plain(made), text=f"Approved as {made.id}; {now}")


@verb("decline")
@click.argument("request_id", metavar="ID")
def decline(invocation: Invocation, request_id: str) -> Answer:
    """Forget a waiting call. The same call would ask again."""
    with invocation.host() as host:
        gone = host.decline(request_id)
    return Answer(data=plain(gone), text=f"Declined {gone.id}; nothing was saved.")


COMMANDS = {"pending": pending, "approve": approve, "decline": decline}
