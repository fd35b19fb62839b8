"""``profile get`` and ``profile set``: where and how the user lives."""

from dataclasses import asdict

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.operator_call import given, operate
from ironclaw_memory.adapters.cli.render.table import columns
from ironclaw_memory.adapters.cli.verb import VerbGroup, verb


@click.group("profile", cls=VerbGroup)
def profile() -> None:
    """Show or set time zone, locale and location of the user."""


@verb("get")
def get(invocation: Invocation) -> Answer:
    """Print the profile. A field that does not hold counts as absent."""
    with invocation.host() as host:
        found = host.read_profile(invocation.scope)
    fields = asdict(found) if found else None
    if fields is None:
        return Answer(data=None, text="No profile is stored.")
    rows = [(name, invocation.terminal.safe(value)) for name, value in fields.items() if value]
    return Answer(data=fields, text=columns(rows))


@verb(
    "set",
    examples=("ironclaw-memory profile set --timezone Europe/Berlin --locale de-DE",),
)
@click.option("--timezone", metavar="ZONE", help="IANA time zone, for instance Europe/Berlin.")
@click.option("--locale", metavar="TAG", help="Language tag, for instance de-DE.")
@click.option("--location", metavar="TEXT", help="A place, as the user would say it.")
def set_(
    invocation: Invocation, timezone: str | None, locale: str | None, location: str | None
) -> Answer:
    """Set the fields that are given and keep the others."""
    fields = given(timezone=timezone, locale=locale, location=location)
    if not fields:
        raise click.UsageError("Give at least one of --timezone, --locale, --location.")
    output = operate(invocation, "profile_set", fields)
    return Answer(data=output, text="Profile updated.")


profile.add_command(get)
profile.add_command(set_)

COMMANDS = {"profile": profile}
