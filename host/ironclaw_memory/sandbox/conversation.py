"""One call as the host and a worker talk about it; the host watches clock and disk."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final, TypeVar

from ironclaw_memory.errors import IronclawMemoryError
from ironclaw_memory.sandbox.framing import Broken, TooLate
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.sandbox.ports import Running
from ironclaw_memory.sandbox.request import GuestCall, GuestReply
from ironclaw_memory.sandbox.spawn import Child
from ironclaw_memory.sandbox.traps import exceeded
from ironclaw_memory.sandbox.watch import Watch
from ironclaw_memory.sandbox.wire import (
    call_to_wire,
    error_from_wire,
    event_from_wire,
    reply_from_wire,
)


T = TypeVar("T")

_MS: Final = 1000


class Said(Exception):
    """The worker answered with an error of ours and goes on serving."""

    def __init__(self, error: IronclawMemoryError) -> None:
        """Carry *error*."""
        super().__init__()
        self.error = error


class Conversation:
    """One call as the host and a worker talk about it."""

    def __init__(
        self, child: Child, call: GuestCall, watch: Watch | None, deadline: float, limits: Limits
    ) -> None:
        """Have *call* answered by *child* until *deadline*, in seconds of `time.monotonic`."""
        self._child = child
        self._call = call
        self._watch = watch
        self._deadline = deadline
        self._kill_at = deadline + limits.grace_ms / _MS
        self._running = Running(
            scope=call.scope,
            moment=call.moment,
            record=call.record,
            most_events=limits.audit_events,
        )

    def run(self) -> GuestReply:
        """Ask, answer the guest's events meanwhile, and return the reply.

        Raises `Said` for an error the worker reports, `Broken` if it is gone or talks
        nonsense, and `LimitExceeded` or `InvalidOutput` for what the host saw itself.
        """
        left = max(1, int((self._deadline - time.monotonic()) * _MS))
        self._child.send({"call": call_to_wire(self._call, left)})
        while True:
            match self._next():
                case {"event": event}:
                    recorded = self._running.emit(_decoded(event_from_wire, event))
                    self._child.send({"recorded": recorded})
                case {"reply": reply}:
                    if self._watch is not None:
                        self._watch.settle()
                    answered = _decoded(reply_from_wire, reply)
                    return replace(answered, events=tuple(self._running.events))
                case {"error": error}:
                    raise Said(_decoded(error_from_wire, error))
                case _:
                    raise Broken

    def _next(self) -> dict[str, Any]:
        """Return the next message, watching the disk and the clock meanwhile.

        Both are looked at whenever that is due, also when messages never stop coming.
        """
        while True:
            now = time.monotonic()
            if now >= self._kill_at:
                raise exceeded("deadline_ms", "took longer than allowed")
            if self._watch is not None and now >= self._watch.due:
                self._watch.look()
            due = self._watch.due if self._watch is not None else self._kill_at
            with suppress(TooLate):
                return self._child.receive(min(self._kill_at, due))


def _decoded(decode: Callable[[Mapping[str, Any]], T], wire: Mapping[str, Any]) -> T:
    """Decode what a worker sent; raises `Broken` if it is not of the form."""
    try:
        return decode(wire)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise Broken from None
