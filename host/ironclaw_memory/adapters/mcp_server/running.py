"""From an open host to a served one, until the end."""

import asyncio
import sys
from collections.abc import Callable

from ironclaw_memory.adapters.mcp_server.address import HttpAddress
from ironclaw_memory.adapters.mcp_server.http import serve_http
from ironclaw_memory.adapters.mcp_server.progress import step
from ironclaw_memory.adapters.mcp_server.server import Serving, built, standing_grant_lines
from ironclaw_memory.adapters.mcp_server.stdio import serve_stdio
from ironclaw_memory.async_host import AsyncMemoryHost
from ironclaw_memory.host import MemoryHost


OpenHost = Callable[[Callable[[int, int], None]], MemoryHost]
"""Opens a host whose reports of indexing go to the function that is given."""


def run(open_host: OpenHost, serving: Serving, http: HttpAddress | None) -> None:
    """Serve until the client leaves, or over HTTP until the process is told to end."""
    asyncio.run(_run(open_host, serving, http))


async def _run(open_host: OpenHost, serving: Serving, http: HttpAddress | None) -> None:
    async with AsyncMemoryHost(open_host(step)) as host:
        server = await built(host, serving)
        _say(await standing_grant_lines(host, serving))
        if http is None:
            await serve_stdio(server)
        else:
            await serve_http(server, http, ready=_announce)


def _announce(address: HttpAddress) -> None:
    _say(f"Serving memory on {address.url}\nAuthorization: Bearer {address.token}")


def _say(words: str) -> None:
    """Say something to whoever started the server; standard output is the protocol's."""
    if words:
        print(words, file=sys.stderr, flush=True)  # noqa: T201 - see above
