"""``mcp``: memory for clients of the Model Context Protocol."""

import secrets
from pathlib import Path
from typing import Final

import click

from ironclaw_memory import config
from ironclaw_memory.adapters.cli.invocation import Invocation
from ironclaw_memory.adapters.cli.verb import Verb
from ironclaw_memory.adapters.mcp_server import HttpAddress, serve
from ironclaw_memory.adapters.mcp_server.address import DEFAULT_PORT
from ironclaw_memory.errors import InvalidArguments


TOKEN_BYTES: Final = 32
WHERE: Final = ("root", "provider")
"""The settings that decide which data directory and provider a grant is for."""


@click.command(
    "mcp",
    cls=Verb,
    examples=(
        "ironclaw-memory mcp",
        "ironclaw-memory mcp --allow-write --project website",
        "ironclaw-memory mcp --http --port 8765 --token-file ~/.memory-token",
    ),
)
@click.option("--allow-write", is_flag=True, help="Let the model save until this server ends.")
@click.option("--http", is_flag=True, help="Serve streamable HTTP instead of standard input.")
@click.option("--host", default="127.0.0.1", show_default=True, help="A loopback address.")
@click.option("--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path),
    help="A file with the bearer token for HTTP. Without it IRONCLAW_MEMORY_MCP_TOKEN is used, "
    "or a random token that is printed.",
)
@click.pass_obj
def mcp(
    invocation: Invocation,
    *,
    allow_write: bool,
    http: bool,
    host: str,
    port: int,
    token_file: Path | None,
) -> None:
    """Serve this scope's memory to an MCP client, over standard input and output by default.

    The scope is that of the options or the environment; a client cannot choose another.
    """
    invocation.flags["json"] = False  # standard output belongs to the protocol
    serve(
        lambda progress: invocation.open_host(invocation.config, progress),
        invocation.scope,
        allow_write=allow_write,
        http=HttpAddress(token=_token(token_file), host=host, port=port) if http else None,
        flags=_flags(invocation.config),
    )


def _token(file: Path | None) -> str:
    if file is None:
        return config.mcp_token() or secrets.token_urlsafe(TOKEN_BYTES)
    try:
        return file.read_text(encoding="utf-8-sig").strip()
    except (OSError, ValueError):
        raise InvalidArguments(
            "--token-file: cannot be read as text.",
            field="token-file",
            hint="Write one line with the token into it, readable by you alone.",
        ) from None


def _flags(settings: config.Config) -> tuple[str, ...]:
    """Return the options that a command in another shell needs to reach the same memory.

    None where that shell finds it anyway, in the configuration file or by default.
    """
    elsewhere = config.load({})
    return tuple(
        word
        for name in WHERE
        if (here := getattr(settings, name)) not in (None, getattr(elsewhere, name))
        for word in (f"--{name}", str(here))
    )


COMMANDS = {"mcp": mcp}
