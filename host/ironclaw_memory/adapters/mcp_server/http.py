"""Serving over streamable HTTP on a loopback address, to whoever holds the token."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ironclaw_memory.adapters.mcp_server.address import PATH, HttpAddress, refusal
from ironclaw_memory.adapters.mcp_server.approvals import MAX_SESSIONS
from ironclaw_memory.adapters.mcp_server.ending import on_signal
from ironclaw_memory.adapters.mcp_server.server import MemoryServer
from ironclaw_memory.errors import InvalidArguments


GRACE_S: Final = 2  # how long open streams may delay the end
_CHALLENGE: Final = {401: {"WWW-Authenticate": "Bearer"}}


class Guard:
    """Answers what `refusal` refuses and passes the rest on."""

    def __init__(self, app: ASGIApp, address: HttpAddress) -> None:
        """Stand before *app*."""
        self._app = app
        self._address = address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection; there are no others than HTTP here."""
        if scope["type"] == "http":
            refused = refusal(scope["headers"], self._address)
            if refused is not None:
                status, words = refused
                answer = PlainTextResponse(words, status, headers=_CHALLENGE.get(status))
                await answer(scope, receive, send)
                return
        elif scope["type"] != "lifespan":
            return
        await self._app(scope, receive, send)


async def serve_http(
    server: MemoryServer, address: HttpAddress, *, ready: Callable[[HttpAddress], None]
) -> None:
    """Serve until the process is told to end; *ready* gets the address with the port in use."""
    with _listening(address) as listener:
        bound = replace(address, port=listener.getsockname()[1])
        app = server.streamable_http_app(
            streamable_http_path=PATH, host=bound.host, max_sessions=MAX_SESSIONS
        )
        running = _Served(
            uvicorn.Config(
                Guard(app, bound),
                log_config=None,
                access_log=False,
                ws="none",
                server_header=False,
                timeout_graceful_shutdown=GRACE_S,
            )
        )
        ready(bound)
        with on_signal(running.stop):
            await running.serve(sockets=[listener])


class _Served(uvicorn.Server):
    """An HTTP server that is told to end, and does not end the process itself."""

    def stop(self) -> None:
        """Take no more connections and end the open ones."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to `on_signal`: an end in order is no failure."""
        yield


def _listening(address: HttpAddress) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address.host, address.port))
        listener.listen()
    except OSError as problem:
        listener.close()
        raise InvalidArguments(
            f"port: cannot listen on it: {os.strerror(problem.errno or 0)}.",
            field="port",
            hint="Use another port, or 0 for a free one.",
        ) from None
    return listener
