"""A component made ready once per process, and its running instances."""

import fcntl
import os
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import wasmtime
from wasmtime import component as wit

from ironclaw_memory.errors import HostFault, UnacceptableComponent, UndeclaredTool
from ironclaw_memory.model import Failure
from ironclaw_memory.sandbox.admission import admit
from ironclaw_memory.sandbox.codec import Budget
from ironclaw_memory.sandbox.contract import SIGNATURES, require
from ironclaw_memory.sandbox.engine import Engine, ticks
from ironclaw_memory.sandbox.functions import (
    Signature,
    check,
    invoke,
    read_signature,
)
from ironclaw_memory.sandbox.functions import (
    interface as interface_of,
)
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.sandbox.linker import linker_for
from ironclaw_memory.sandbox.ports import HERE, Running
from ironclaw_memory.sandbox.traps import classify, exceeded, too_late


LARGE_REPLIES: Final = frozenset({("tools", "read"), ("upkeep", "version")})
"""The functions that answer with a whole document."""


class Program:
    """One admitted component with its linker. Lifetime: the process's."""

    def __init__(self, engine: Engine, component: wit.Component) -> None:
        """Admit *component*; raises `UnacceptableComponent` naming what does not fit."""
        self.engine = engine
        self.component = component
        ty = component.type
        self._interfaces = admit(ty.imports(engine.raw), ty.exports(engine.raw))
        self._indexes: dict[tuple[str, str], wit.ExportIndex] = {}
        self._signatures: dict[tuple[str, str], Signature] = {}
        self.linker = linker_for(engine.raw, component)

    def interfaces(self) -> frozenset[str]:
        """Return the interfaces of the contract that the component exports."""
        return frozenset(self._interfaces)

    def check_contract(self) -> None:
        """Compare every function of every exported interface with the contract.

        Raises `UnacceptableComponent` for one that is missing or has other types. A call
        checks its own function; installing checks them all.
        """
        for interface, function in SIGNATURES:
            if interface not in self._interfaces:
                continue
            try:
                self.index(interface, function)
            except UndeclaredTool as missing:
                raise UnacceptableComponent(
                    missing.message, hint="Build it against the world memory-provider."
                ) from None
            self.signature(interface, function)

    def index(self, interface: str, function: str) -> wit.ExportIndex:
        """Return where an exported function is; raises `UndeclaredTool` if it is not."""
        found = self._indexes.get((interface, function))
        if found is None:
            spelled = self._interfaces.get(interface)
            outer = self.component.get_export_index(spelled) if spelled else None
            found = self.component.get_export_index(function, outer) if outer else None
            if found is None:
                raise UndeclaredTool(
                    f"The component does not export {interface}.{function}.",
                    hint="Use a provider that has it.",
                )
            self._indexes[interface, function] = found
        return found

    def signature(self, interface: str, function: str) -> Signature:
        """Return the types of an exported function, read once and checked."""
        known = self._signatures.get((interface, function))
        if known is None:
            engine = self.engine.raw
            outer = self.component.type.exports(engine)[self._interfaces[interface]]
            found = read_signature(interface_of(outer).exports(engine)[function].ty)
            known = require(interface, function, found)
            self._signatures[interface, function] = known
        return known


class Preopen(NamedTuple):
    """A directory of a guest: the host's descriptor, the guest's path, and who may write.

    One below another holds for what is below it, whatever the other allows.
    """

    directory: int
    guest_path: str
    writable: bool


class Instance:
    """A running component bound to one directory and one access mode for all its life.

    One thread at a time. After a trap or a crossed limit it is ``dead``: the caller closes it
    and makes another. Lifetime: until `close`.
    """

    def __init__(self, program: Program, preopens: Sequence[Preopen], limits: Limits) -> None:
        """Take in the directories behind the descriptors; nothing runs yet."""
        self.dead = True  # until it has started
        self._program = program
        self._limits = limits
        self._functions: dict[tuple[str, str], wit.Func] = {}
        self._log = _Log(limits.stderr_bytes)
        self._store = wasmtime.Store(program.engine.raw)
        self._store.set_limits(
            memory_size=limits.memory_bytes,
            table_elements=limits.table_elements,
            instances=limits.core_instances,
            tables=limits.tables,
            memories=limits.memories,
        )
        wasi = wasmtime.WasiConfig()
        for directory, guest_path, writable in preopens:
            wasi.preopen_dir(_path_of(directory), guest_path, writable)
        self._log.attach(wasi)
        self._store.set_wasi(wasi)
        self._instance: wit.Instance | None = None

    def start(self, running: Running, deadline: float) -> None:
        """Instantiate; the component's own start code runs under *deadline*."""
        self._instance = self._guarded(
            running,
            deadline,
            lambda: self._program.linker.instantiate(self._store, self._program.component),
        )
        self.dead = False

    def call(
        self,
        interface: str,
        function: str,
        arguments: Mapping[str, object],
        running: Running,
        deadline: float,
    ) -> tuple[dict[str, Any] | Failure, int]:
        """Call an exported function; return its answer and the bytes it logged.

        *deadline* is in seconds of `time.monotonic`. Raises `InvalidArguments` before
        anything runs, and a `ProviderError` for a trap or a crossed limit.
        """
        target = self._function(interface, function)
        signature = self._program.signature(interface, function)
        checked = check(signature, arguments)
        large = (interface, function) in LARGE_REPLIES
        budget = Budget(
            self._limits.document_reply_bytes if large else self._limits.reply_bytes,
            self._limits.reply_items,
        )
        answer = self._guarded(
            running, deadline, lambda: invoke(self._store, target, signature, checked, budget)
        )
        logged = len(self._log.news())
        if logged > self._limits.stderr_bytes:
            self.dead = True
            raise exceeded("stderr_bytes", "logged more than allowed")
        self.dead = self.dead or self._log.is_half_used()
        return answer, logged

    def close(self) -> None:
        """Free the memory and the descriptors."""
        self.dead = True
        self._store.close()
        self._log.close()

    def _function(self, interface: str, function: str) -> wit.Func:
        found = self._functions.get((interface, function))
        if found is None:
            index = self._program.index(interface, function)
            found = self._instance.get_func(self._store, index) if self._instance else None
            if found is None:
                raise HostFault("The instance was not started.")
            self._functions[interface, function] = found
        return found

    def _guarded(self, running: Running, deadline: float, step: Any) -> Any:
        """Run *step* inside the guest with the deadline set and the imports answered."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise too_late()
        self._store.set_epoch_deadline(ticks(left * 1000))
        HERE.running = running
        finished = False
        try:
            with self._program.engine.ticking():
                result = step()
            finished = True
        except wasmtime.WasmtimeError as error:
            raise classify(error, slept=running.slept, log=self._log.news()) from None
        finally:
            HERE.running = None
            self.dead = self.dead or not finished
        return result


class _Log:
    """The guest's stderr: a sealed file in memory, twice as large as one call may fill.

    Callbacks would run on the engine's own threads and print at exit (tech-notes.md
    section 0.5). Where there is no such file the guest's log is discarded.
    """

    def __init__(self, cap: int) -> None:
        self._room = 2 * cap
        self._seen = 0
        self._file = -1
        if hasattr(os, "memfd_create"):
            self._file = os.memfd_create("stderr", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)

    def attach(self, wasi: wasmtime.WasiConfig) -> None:
        """Let the guest write here; opening truncates, so the size is sealed afterwards."""
        if self._file < 0:
            return
        wasi.stderr_file = _path_of(self._file)
        os.ftruncate(self._file, self._room)
        fcntl.fcntl(self._file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)

    def news(self) -> bytes:
        """Return what was written since the last time."""
        if self._file < 0 or not os.pread(self._file, 1, self._seen).strip(b"\0"):
            return b""
        text = os.pread(self._file, self._room - self._seen, self._seen).rstrip(b"\0")
        self._seen += len(text)
        return text

    def is_half_used(self) -> bool:
        """Say whether another call might not have all the room it is allowed."""
        return self._seen > self._room // 2

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _path_of(descriptor: int) -> str:
    """Return a path that leads to an open file or directory whatever its name is now."""
    place = "/proc/self/fd" if sys.platform == "linux" else "/dev/fd"
    return f"{place}/{descriptor}"
