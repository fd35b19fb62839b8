"""Serving over the pipes that a client started this process with."""

import sys
from contextlib import redirect_stdout

from mcp.server.stdio import stdio_server

from ironclaw_memory.adapters.mcp_server.server import MemoryServer


async def serve_stdio(server: MemoryServer) -> None:
    """Serve until the client closes its end.

    Standard output belongs to the protocol. The SDK turns the file descriptor to standard
    error meanwhile; what Python itself prints is turned here, or it would be flushed onto
    the restored descriptor at the end.
    """
    async with stdio_server() as (read, write):
        with redirect_stdout(sys.stderr):
            await server.run(read, write, server.create_initialization_options())
