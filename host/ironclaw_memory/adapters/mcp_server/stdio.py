"""Serving over the pipes that a client started this process with."""

import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from io import TextIOWrapper
from typing import Final

import anyio
from mcp.server.stdio import stdio_server

from ironclaw_memory.adapters.mcp_server.ending import on_signal
from ironclaw_memory.adapters.mcp_server.server import MemoryServer


STDIN: Final = 0
PIECE: Final = 1 << 16


async def serve_stdio(server: MemoryServer) -> None:
    """Serve until the client closes either end, or the process is told to end.

    Standard output belongs to the protocol. The SDK turns the file descriptor to standard
    error meanwhile; what Python itself prints is turned here, or it would be flushed onto
    the restored descriptor at the end.
    """
    with _standard_input() as ours, ours.makefile("rb") as lines:
        text = anyio.wrap_file(TextIOWrapper(lines, encoding="utf-8", errors="replace"))

        def hang_up() -> None:
            with suppress(OSError):
                ours.shutdown(socket.SHUT_RD)

        with on_signal(hang_up), _client_may_leave():
            async with stdio_server(stdin=text) as (read, write):
                try:
                    with redirect_stdout(sys.stderr):
                        await server.run(read, write, server.create_initialization_options())
                finally:
                    hang_up()  # the SDK's reader waits for a line, whatever became of the writer


@contextmanager
def _client_may_leave() -> Iterator[None]:
    """Take it as the end when the client closes what it reads from, and not as a fault."""
    try:
        yield
    except* BrokenPipeError:
        pass


@contextmanager
def _standard_input() -> Iterator[socket.socket]:
    """Yield a socket that gives what standard input does, and that can be shut down.

    A thread that waits for standard input cannot be told to stop, so it is one that ends
    with the process and passes on what comes. What this process starts reads nothing.
    """
    ours, theirs = socket.socketpair()
    private = os.dup(STDIN)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, STDIN)
    os.close(nothing)
    threading.Thread(target=_pass_on, args=(private, theirs), name="stdin", daemon=True).start()
    try:
        with ours:
            yield ours
    finally:
        os.dup2(private, STDIN)


def _pass_on(source: int, sink: socket.socket) -> None:
    with sink, suppress(OSError):
        while piece := os.read(source, PIECE):
            sink.sendall(piece)
