"""``audit``: what was decided, written, searched and stopped, without a word of text."""

import json
import time
from typing import Any

import click

from ironclaw_memory.adapters.cli.envelope import write_stdout
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.reading import duration_ms
from ironclaw_memory.adapters.cli.render.dates import calendar
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.capability.audit_reading import Selection
from ironclaw_memory.capability.records import Kind, Outcome


FOLLOW_EVERY_S = 0.5
_SHOWN_FIRST = ("at_ms", "kind", "outcome", "tool", "origin", "reason", "scope")


@verb(
    "audit",
    examples=("ironclaw-memory audit --kind decision --since 1h",),
)
@click.option("--tool", metavar="TOOL", help="Only this tool.")
@click.option("--kind", type=click.Choice([kind.value for kind in Kind]), help="Only this kind.")
@click.option("--outcome", type=click.Choice([outcome.value for outcome in Outcome]))
@click.option("--since", metavar="TIME", help="Only the last so long, for instance 1h or 7d.")
@click.option("--follow", is_flag=True, help="Go on with what is added, until Ctrl-C.")
def audit(
    invocation: Invocation,
    tool: str | None,
    kind: str | None,
    outcome: str | None,
    since: str | None,
    follow: bool,  # noqa: FBT001 - click passes flags by name
) -> Answer:
    """Print the audit log, oldest first."""
    if follow and invocation.config.json:
        raise click.UsageError("--follow prints as it goes; it has no single --json envelope.")
    with invocation.host() as host:
        selection = Selection(
            tool=None if tool is None else host.tool_id(tool),
            kind=None if kind is None else Kind(kind),
            outcome=None if outcome is None else Outcome(outcome),
            since_ms=None
            if since is None
            else invocation.now_ms() - duration_ms(since, option="--since"),
        )
        if follow:
            for entry in host.audit(selection, wait=_wait):
                write_stdout(_line(entry.fields))
        found = [dict(entry.fields) for entry in host.audit(selection)]
    text = "".join(_line(fields) for fields in found)
    return Answer(data=found, text=text or "Nothing is recorded.")


def _wait() -> bool:
    time.sleep(FOLLOW_EVERY_S)
    return True


def _line(fields: Any) -> str:
    """Return one entry on one line: the telling fields first, the rest as name=value."""
    first = [_word(name, fields[name]) for name in _SHOWN_FIRST if name in fields]
    rest = [
        f"{name}={_word(name, value)}" for name, value in fields.items() if name not in _SHOWN_FIRST
    ]
    return "  ".join([*first, *rest]) + "\n"


def _word(name: str, value: Any) -> str:
    match value:
        case int() if name == "at_ms":
            return calendar(value)
        case dict():
            return "/".join(str(part) for part in value.values())
        case list():
            return ",".join(str(part) for part in value)
        case str():
            return value
        case _:
            return json.dumps(value)


COMMANDS = {"audit": audit}
