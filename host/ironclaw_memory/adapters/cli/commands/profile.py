"""``profile get`` and ``profile set``: where and how the user lives."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.operator_call import given, stored
from ironclaw_memory.adapters.cli.render.table import columns
from ironclaw_memory.adapters.cli.verb import VerbGroup, verb
from ironclaw_memory.errors import OperationFailed
from ironclaw_memory.model import Scope


if TYPE_CHECKING:
    from ironclaw_memory.host import MemoryHost


@click.group("profile", cls=VerbGroup)
def profile() -> None:
    """Show or set time zone, locale and location of the user."""


@verb("get")
def get(invocation: Invocation) -> Answer:
    """Print the profile. A field that does not hold counts as absent."""
    with invocation.host() as host:
        found = host.read_profile(invocation.scope)
        if found is None:
            return _nothing(host, invocation.scope)
    fields = asdict(found)
    rows = [(name, invocation.terminal.safe(value)) for name, value in fields.items() if value]
    return Answer(data=fields, text=columns(rows))


def _nothing(host: "MemoryHost", scope: Scope) -> Answer:
    """Say why there is no profile; raises `OperationFailed` where one stands that does not hold."""
    from ironclaw_memory.doctor.profile import (  # noqa: PLC0415 - seldom needed
        CORRUPT,
        PROFILE_PATH,
        StoredProfile,
        stored_profile,
    )

    match stored_profile(host, scope):
        case StoredProfile.CORRUPT:
            raise OperationFailed(
                f"The stored profile, {PROFILE_PATH}, is not a JSON object of texts.",
                code=CORRUPT,
                hint=f"Mend it with `ironclaw-memory edit {PROFILE_PATH}`.",
            )
        case StoredProfile.READABLE:
            return Answer(data=None, text=f"No field of {PROFILE_PATH} holds.")
        case StoredProfile.ABSENT:
            return Answer(data=None, text="No profile is stored.")


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
    return stored(invocation, "profile_set", fields).answer("Profile updated.")


profile.add_command(get)
profile.add_command(set_)

COMMANDS = {"profile": profile}
