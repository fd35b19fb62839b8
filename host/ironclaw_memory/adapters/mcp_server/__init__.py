"""Memory for clients of the Model Context Protocol; the only room that talks it.

`serve` is what ``ironclaw-memory mcp`` runs. The server translates: who may do what is
decided where every other call is decided.
"""

from typing import TYPE_CHECKING

from ironclaw_memory.adapters.mcp_server.address import HttpAddress
from ironclaw_memory.errors import MissingExtra


if TYPE_CHECKING:
    from collections.abc import Sequence

    from ironclaw_memory.adapters.mcp_server.running import OpenHost
    from ironclaw_memory.model import Scope


def serve(
    open_host: "OpenHost",
    scope: "Scope",
    *,
    allow_write: bool = False,
    http: HttpAddress | None = None,
    flags: "Sequence[str]" = (),
) -> None:
    """Serve the memory of *scope*, over standard input and output unless *http* is given.

    *allow_write* grants writing until the server ends. *flags* are the global options that
    a grant would have to repeat, such as ``("--root", "…")``; they are shown to clients
    within the command that grants. Raises `MissingExtra` without the ``mcp`` extra, what
    *open_host* raises, and `InvalidArguments` where the port is taken.
    """
    try:
        from ironclaw_memory.adapters.mcp_server.running import run  # noqa: PLC0415 - an extra
        from ironclaw_memory.adapters.mcp_server.server import Serving  # noqa: PLC0415 - likewise
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("ironclaw_memory"):
            raise
        raise MissingExtra("The MCP server", extra="mcp") from None
    run(open_host, Serving(scope=scope, allow_write=allow_write, flags=tuple(flags)), http)


__all__ = ["HttpAddress", "serve"]
