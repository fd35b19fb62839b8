"""``component``: look into a provider, take it apart, approve it, write and build one."""

from pathlib import Path

import click

from ironclaw_memory.adapters.cli.commands.component_authoring import build, new
from ironclaw_memory.adapters.cli.commands.component_trust import install
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.verb import VerbGroup, verb


FILE = click.Path(path_type=Path)


@click.group("component", cls=VerbGroup)
def component() -> None:
    """Providers: look into one, approve it, take it apart, write your own."""


@verb(
    "info", examples=("ironclaw-memory component info", "ironclaw-memory component info mine.wasm")
)
@click.argument("file", type=FILE, required=False)
def info(invocation: Invocation, file: Path | None) -> Answer:
    """Show what a component is, asks for and would get, without compiling or running it."""
    from ironclaw_memory.adapters.cli import inspection  # noqa: PLC0415 - loads pydantic
    from ironclaw_memory.adapters.cli.render.inspection import drawn  # noqa: PLC0415 - likewise
    from ironclaw_memory.configured import limits_of  # noqa: PLC0415 - likewise
    from ironclaw_memory.installing import inspect, is_approved  # noqa: PLC0415 - likewise

    found = inspect(file or invocation.config.provider, limits=limits_of(invocation.config))
    approved = is_approved(found, invocation.config.root)
    text = invocation.terminal.safe(drawn(found, approved=approved))
    return Answer(data=inspection.as_json(found, approved=approved), text=text)


@verb("extract")
@click.argument("file", type=FILE)
@click.argument("directory", type=FILE)
def extract(invocation: Invocation, file: Path, directory: Path) -> Answer:
    """Write the manifest, prompts and schemas that a component carries to DIRECTORY."""
    from ironclaw_memory.adapters.cli.inspection import unpack  # noqa: PLC0415 - loads pydantic
    from ironclaw_memory.configured import limits_of  # noqa: PLC0415 - likewise

    written = unpack(file, directory, limits=limits_of(invocation.config))
    text = invocation.terminal.safe("".join(f"{path}\n" for path in written))
    return Answer(data={"written": list(written)}, text=text)


for command in (info, install, extract, new, build):
    component.add_command(command)

COMMANDS = {"component": component}
