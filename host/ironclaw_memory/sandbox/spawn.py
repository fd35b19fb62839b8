"""Worker processes as the host holds them: started, spoken to, killed."""

import os
import subprocess
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ironclaw_memory.config import loader_environment
from ironclaw_memory.errors import HostFault
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.compiling import child_command
from ironclaw_memory.sandbox.framing import Broken, Receiver, TooLate, send
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.sandbox.wire import artifact_to_wire, error_from_wire


class Child:
    """One worker process. Lifetime: until `kill`."""

    def __init__(self) -> None:
        """Start the interpreter; it waits for its setup.

        It gets no environment but where the loader finds libraries, no descriptors but its
        pipes, and a session of its own, so that an interrupt from the keyboard does not
        reach it.
        """
        to_read, self._in = os.pipe()
        self._out, to_write = os.pipe()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                child_command("worker"),
                stdin=to_read,
                stdout=to_write,
                stderr=subprocess.DEVNULL,
                env=loader_environment(),
                cwd="/",
                start_new_session=True,
            )
        finally:
            os.close(to_read)
            os.close(to_write)
        self._receiver = Receiver(self._out)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Say whether the process still runs."""
        return self._process.poll() is None

    def set_up(self, root: Path, cache: Path, artifact: Artifact, limits: Limits) -> None:
        """Tell the worker what it serves and wait until it is ready.

        Raises what the worker says went wrong, or `HostFault` if it says nothing.
        """
        setup = {
            "root": str(root.absolute()),
            "cache": str(cache.absolute()),
            "artifact": artifact_to_wire(artifact),
            "limits": asdict(limits),
            "parent": os.getpid(),
        }
        try:
            self.send({"setup": setup})
            said = self.receive(time.monotonic() + limits.worker_start_ms / 1000)
        except (Broken, TooLate):
            raise HostFault(
                "A worker process did not start.",
                code="worker-not-started",
                hint="Run `ironclaw-memory doctor`; the machine may be out of memory.",
            ) from None
        if "error" in said:
            raise error_from_wire(said["error"])

    def send(self, message: dict[str, Any]) -> None:
        """Send one message; raises `Broken`."""
        send(self._in, message)

    def receive(self, until: float) -> dict[str, Any]:
        """Return the next message; raises `TooLate` or `Broken`."""
        return self._receiver.receive(until)

    def kill(self) -> None:
        """End the process at once, and wait until the system has taken it away."""
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
