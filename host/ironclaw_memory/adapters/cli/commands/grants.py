"""``grant``, ``grants`` and ``revoke``: standing permissions."""

import click

from ironclaw_memory.adapters.cli.commandlines import command_line
from ironclaw_memory.adapters.cli.commands.calls import ORIGINS
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.reading import lasting_ms
from ironclaw_memory.adapters.cli.render.dates import until
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.render.table import columns, counted
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.errors import RequestError
from ironclaw_memory.model import Grant, Origin


@verb(
    "grant",
    examples=("ironclaw-memory grant ironclaw.memory.write",),
)
@click.option("--origin", type=ORIGINS, default="loop_run", show_default=True)
@click.option("--for", "duration", metavar="TIME", help="How long, for instance 1h or 7d.")
@click.option("--uses", type=click.IntRange(1), help="How many calls.")
@click.argument("tool")
def grant(
    invocation: Invocation, origin: str, duration: str | None, uses: int | None, tool: str
) -> Answer:
    """Allow TOOL in this scope until it is revoked. An agent cannot save without this."""
    for_ms = None if duration is None else lasting_ms(duration, option="--for")
    with invocation.host() as host:
        kept = host.grant(
            host.tool_id(tool),
            scope=invocation.scope,
            origin=Origin(origin),
            for_ms=for_ms,
            uses=uses,
        )
    end = command_line(invocation.flags, "revoke", kept.id)
    table = _table([kept], now_ms=invocation.now_ms())
    return Answer(data=plain(kept), text=f"Granted. {end} ends it.\n{table}")


@verb("grants")
def grants(invocation: Invocation) -> Answer:
    """List the standing grants that are in force, of every scope."""
    with invocation.host() as host:
        found = host.grants()
    text = _table(found, now_ms=invocation.now_ms()) if found else "No grants are in force."
    return Answer(data=plain(found), text=text)


@verb(
    "revoke",
    examples=(
        "ironclaw-memory revoke write",
        "ironclaw-memory revoke --everywhere write",
    ),
)
@click.option("--everywhere", is_flag=True, help="Of a tool, the grants of every scope.")
@click.argument("key", metavar="TOOL|ID")
def revoke(
    invocation: Invocation,
    everywhere: bool,  # noqa: FBT001 - click passes flags by name
    key: str,
) -> Answer:
    """Take back the grants of a tool in this scope, or one by its id. In force with the next call."""
    with invocation.host() as host:
        short = {tool.verb: tool.id for tool in host.tools()}
        wanted = short.get(key.removeprefix("memory_"), key)
        revoked = host.revoke(wanted, scope=None if everywhere else invocation.scope)
        left = [grant.id for grant in host.grants() if grant.tool == wanted]
    if not revoked and wanted not in short.values():  # mistyped, and something may stay granted
        raise RequestError(
            "No grant has this id, or is of this tool in this scope.",
            code="grant-missing",
            hint="`ironclaw-memory grants` lists those in force.",
        )
    where = "" if everywhere else " in this scope"
    none = f"No grant of this tool was in force{where}."
    text = f"Revoked {', '.join(revoked)}." if revoked else none
    return Answer(
        data={"revoked": list(revoked), "left": left},
        text=f"{text}{_elsewhere(invocation, len(left), wanted)}",
    )


def _elsewhere(invocation: Invocation, left: int, tool: str) -> str:
    """Say that grants of other scopes stand, and what takes those back too."""
    if not left:
        return ""
    command = command_line(invocation.flags, "revoke", "--everywhere", tool)
    stays, them = ("stays", "it") if left == 1 else ("stay", "them all")
    count = counted(left, "grant")
    return f"\nIn other scopes {count} of it {stays}; {command} takes {them} back."


def _table(found: "tuple[Grant, ...] | list[Grant]", *, now_ms: int) -> str:
    rows = [("id", "tool", "origin", "tenant", "user", "agent", "project", "ends", "uses left")]
    for one in found:
        axes = (one.tenant, one.user, one.agent or "-", one.project or "-")
        uses = "any" if one.uses_left is None else str(one.uses_left)
        rows.append(
            (one.id, one.tool, one.origin.value, *axes, until(one.expires_ms, now_ms=now_ms), uses)
        )
    return columns(rows)


COMMANDS = {"grant": grant, "grants": grants, "revoke": revoke}
