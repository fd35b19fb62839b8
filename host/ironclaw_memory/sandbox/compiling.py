"""Compile a component in a process of its own, with bounded time, memory and file size.

Compiling takes 400 MB, which this process would never give back, and the file may have
been made to be expensive (tech-notes.md sections 3 and 6). `compiled` starts the
process; `main` is what runs there.
"""

import errno
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
from enum import IntEnum
from pathlib import Path
from typing import Final, Never

import wasmtime
from wasmtime import component as wit

from ironclaw_memory.config import loader_environment
from ironclaw_memory.errors import ComponentUnreadable, HostFault, LimitExceeded
from ironclaw_memory.sandbox.engine import Engine
from ironclaw_memory.sandbox.limits import Limits


BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from ironclaw_memory.sandbox.{module} import main; main()"
)
"""Start a module of ours with this process's search path and next to no environment."""


class _Status(IntEnum):
    """How the compiling process ended, as its exit status says."""

    CHANGED = 3
    NOT_A_COMPONENT = 4
    TOO_MUCH_MEMORY = 5
    TOO_LARGE = 6
    ABORTED = -signal.SIGABRT  # what native code does when it gets no memory


def child_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs ``main()`` of a module of this room."""
    boot = BOOT.format(module=module)
    places = json.dumps([str(Path(place).absolute()) for place in sys.path])
    return [sys.executable, "-I", "-X", "utf8", "-c", boot, places, *arguments]


def compiled(source: Path, digest: str, target: Path, limits: Limits) -> None:
    """Compile *source*, whose SHA-256 must be *digest*, into the new file *target*.

    Raises `ComponentUnreadable` for a file that is changed or no component, and
    `LimitExceeded` naming ``component_bytes``, ``compile_ms`` or ``compile_memory_bytes``.
    """
    _check_size(source, limits)
    command = child_command(
        "compiling",
        str(source),
        digest,
        str(target),
        *(str(n) for n in (limits.compile_ms, limits.compile_memory_bytes, limits.compiled_bytes)),
    )
    try:
        ended = subprocess.run(  # noqa: S603 - our own interpreter and module
            command,
            env=loader_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=limits.compile_ms / 1000,
        )
    except subprocess.TimeoutExpired:
        raise _beyond("compile_ms", "takes longer than allowed") from None
    if ended.returncode:
        _explain(ended.returncode)


def _check_size(source: Path, limits: Limits) -> None:
    try:
        size = source.stat().st_size
    except OSError:
        raise ComponentUnreadable(
            "The component file cannot be read.", hint="Check the path, or install it again."
        ) from None
    if size > limits.component_bytes:
        raise LimitExceeded(
            f"The component has {size} bytes; at most {limits.component_bytes} are compiled.",
            limit="component_bytes",
            hint="Build a smaller component, or raise the limit.",
        )


def _explain(status: int) -> Never:
    """Raise the error for the exit status of the compiling process."""
    match status:
        case _Status.CHANGED:
            raise ComponentUnreadable(
                "The component file is not the one its digest names.",
                hint="Install it again, or approve the changed file.",
            )
        case _Status.NOT_A_COMPONENT:
            raise ComponentUnreadable(
                "The file is not a WebAssembly component that this engine can compile.",
                hint="Build it as a component (layer 1), not as a core module.",
            )
        case _Status.TOO_MUCH_MEMORY | _Status.ABORTED:
            raise _beyond("compile_memory_bytes", "takes more memory than allowed")
        case _Status.TOO_LARGE:
            raise _beyond("compiled_bytes", "gives more code than allowed")
        case _ if status < 0:
            raise _beyond("compile_ms", "takes longer than allowed")
        case _:
            raise HostFault(
                "The component could not be compiled.",
                hint="Check the free space of the cache directory, then repeat.",
            )


def _beyond(limit: str, what: str) -> LimitExceeded:
    return LimitExceeded(
        f"Compiling the component {what}.",
        limit=limit,
        hint=f"Build a smaller component, or raise the limit {limit}.",
    )


def main() -> None:
    """Compile in this process; the exit status says how it went."""
    source, digest, target, milliseconds, memory, size = sys.argv[2:]
    seconds = int(milliseconds) // 1000 * (os.cpu_count() or 1)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_DATA, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), int(size)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        sys.exit(_compile(Path(source), digest, Path(target)))
    except MemoryError:
        sys.exit(_Status.TOO_MUCH_MEMORY)
    except OSError as problem:
        sys.exit(_Status.TOO_LARGE if problem.errno == errno.EFBIG else 1)


def _compile(source: Path, digest: str, target: Path) -> int:
    code = source.read_bytes()
    if hashlib.sha256(code).hexdigest() != digest:
        return _Status.CHANGED
    try:
        component = wit.Component(Engine().raw, code)
    except wasmtime.WasmtimeError:
        return _Status.NOT_A_COMPONENT
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(component.serialize())
        file.flush()
        os.fsync(file.fileno())
    return 0
