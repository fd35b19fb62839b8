"""What runs in a worker process: one component and one scope, asked over two pipes.

Standard input brings one message ``{"setup": …}`` and then calls; standard output takes
replies, and the events that the host has to record while a call waits for the answer.
The worker itself takes the scope's lock, so the lock lives exactly as long as the guest
can write. End of input ends it.
"""

import os
from pathlib import Path
from typing import Any, Final

from ironclaw_memory.errors import HostFault, IronclawMemoryError
from ironclaw_memory.model import ProviderEvent
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.confine import confine
from ironclaw_memory.sandbox.framing import Broken, Receiver, send
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.sandbox.runner import ThreadRunner
from ironclaw_memory.sandbox.wire import (
    artifact_from_wire,
    call_from_wire,
    error_to_wire,
    event_to_wire,
    reply_to_wire,
)
from ironclaw_memory.scopes import LocalStore


_DESCRIPTORS: Final = "/proc/self/fd"  # Linux


class Worker:
    """Serves calls until the host closes the pipe."""

    def __init__(self, receiver: Receiver, out: int) -> None:
        """Take the first message and get ready; raises what loading raises."""
        self._receiver = receiver
        self._out = out
        setup = receiver.receive(None)["setup"]
        limits = Limits(**setup["limits"])
        confine(setup["parent"], limits)
        self._most_descriptors = limits.worker_files // 2
        self._artifact = artifact_from_wire(setup["artifact"])
        store = LocalStore(Path(setup["root"]))
        self._runner = ThreadRunner(store, Cache(Path(setup["cache"]), limits=limits), limits)
        self._runner.program(self._artifact)

    def serve(self) -> None:
        """Answer one call after the other."""
        send(self._out, {"ready": True})
        while True:
            send(self._out, self._answer(self._receiver.receive(None)["call"]))

    def _answer(self, wire: dict[str, Any]) -> dict[str, Any]:
        try:
            call = call_from_wire(wire, self._artifact, self._record)
            return {"reply": reply_to_wire(self._runner.run(call))}
        except IronclawMemoryError as error:
            return {"error": error_to_wire(error)}
        except Exception as problem:  # noqa: BLE001 - the host must hear of it
            return {"error": error_to_wire(_failed(problem))}
        finally:
            if _open_descriptors() > self._most_descriptors:
                self._runner.cool()  # a guest that hoards them would starve the next call

    def _record(self, event: ProviderEvent) -> bool:
        """Ask the host to record an event; the guest waits meanwhile."""
        send(self._out, {"event": event_to_wire(event)})
        return self._receiver.receive(None)["recorded"] is True


def _open_descriptors() -> int:
    directory = Path(_DESCRIPTORS)
    return sum(1 for _ in directory.iterdir()) if directory.exists() else 0


def _failed(problem: Exception) -> HostFault:
    """Name the kind of problem; its text may hold what a guest wrote."""
    return HostFault(
        f"A worker process failed with {type(problem).__name__}.",
        code="worker-failed",
        hint="Run `ironclaw-memory doctor`; the machine may be out of memory or processes.",
    )


def main() -> None:
    """Serve on standard input and output."""
    out = os.dup(1)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)  # nobody else writes to the pipe by accident
    try:
        Worker(Receiver(0), out).serve()
    except Broken:
        pass
    except IronclawMemoryError as error:
        send(out, {"error": error_to_wire(error)})
    except Exception as problem:  # noqa: BLE001 - the host must hear of it
        send(out, {"error": error_to_wire(_failed(problem))})
    os._exit(0)  # no thread of the engine is waited for
