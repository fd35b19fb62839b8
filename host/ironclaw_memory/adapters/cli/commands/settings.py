"""``config list``: every setting with its value and where it came from."""

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.render.table import columns
from ironclaw_memory.adapters.cli.verb import VerbGroup, verb
from ironclaw_memory.config import Value, file_path


@click.group("config", cls=VerbGroup)
def config() -> None:
    """Show the settings that are in force."""


@verb("list")
def list_(invocation: Invocation) -> Answer:
    """List each value with its origin: flag, environment, file or default.

    A flag wins over the environment, the environment over the file config.toml in the
    platform's configuration directory (or IRONCLAW_MEMORY_CONFIG), and that over a default.
    """
    settings = invocation.config.settings
    rows = [("setting", "value", "origin", "variable")]
    rows += [(s.name, _shown(s.value), s.source.value, s.variable) for s in settings]
    data = [
        {
            "name": setting.name,
            "value": _plain(setting.value),
            "origin": setting.source.value,
            "variable": setting.variable,
        }
        for setting in settings
    ]
    path = file_path()
    there = "" if path.is_file() else ", which is not there"
    text = f"{columns(rows)}The file is {path}{there}.\n"
    return Answer(data=data, text=invocation.terminal.safe(text))


def _plain(value: Value) -> str | int | bool | None:
    return value if isinstance(value, str | int | bool) or value is None else str(value)


def _shown(value: Value) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case _:
            return str(value)


config.add_command(list_)

COMMANDS = {"config": config}
