"""Messages between the host and a worker: a length in four bytes, then one JSON object.

JSON and not pickle, because what comes out of a worker is as untrusted as its guest.
"""

import json
import os
import select
import time
from typing import Any, Final

from ironclaw_memory.sandbox.limits import MIB


MAX_FRAME: Final = 64 * MIB
"""Eight times the largest reply, since JSON may write one byte as six."""

_LENGTH: Final = 4
_CHUNK: Final = 1 << 16


class Broken(Exception):
    """The other side is gone, or what it sends is no message."""


class TooLate(Exception):
    """Nothing complete arrived in time."""


def send(descriptor: int, message: dict[str, Any]) -> None:
    """Write one message; raises `Broken` if nobody reads."""
    body = json.dumps(message, separators=(",", ":")).encode()
    left = memoryview(len(body).to_bytes(_LENGTH, "big") + body)
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError:
        raise Broken from None


class Receiver:
    """The reading end of a pipe; keeps what has arrived of the next message."""

    def __init__(self, descriptor: int) -> None:
        """Read from *descriptor*."""
        self._descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)
        self._held = bytearray()

    def receive(self, until: float | None) -> dict[str, Any]:
        """Return the next message, waiting until *until* in seconds of `time.monotonic`.

        Raises `TooLate`, after which waiting may go on, or `Broken`.
        """
        while True:
            message = self._taken()
            if message is not None:
                return message
            self._fill(until)

    def _fill(self, until: float | None) -> None:
        if until is not None:
            left = max(0.0, until - time.monotonic())
            if not self._poll.poll(left * 1000):
                raise TooLate
        try:
            arrived = os.read(self._descriptor, _CHUNK)
        except OSError:
            raise Broken from None
        if not arrived:
            raise Broken
        self._held += arrived

    def _taken(self) -> dict[str, Any] | None:
        if len(self._held) < _LENGTH:
            return None
        size = int.from_bytes(self._held[:_LENGTH], "big")
        if size > MAX_FRAME:
            raise Broken
        if len(self._held) < _LENGTH + size:
            return None
        body = bytes(self._held[_LENGTH : _LENGTH + size])
        del self._held[: _LENGTH + size]
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            raise Broken from None
        if not isinstance(message, dict):
            raise Broken
        return message
