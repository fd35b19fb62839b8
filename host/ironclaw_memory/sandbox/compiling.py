"""Compile a component in a process of its own, with bounded time, memory and file size.

Compiling takes 400 MB, which this process would never give back, and the file may have
been made to be expensive (tech-notes.md sections 3 and 6). `compiled` starts the
process; `main` is what runs there.
"""

import hashlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Final, Never

import wasmtime
from wasmtime import component as wit

from ironclaw_memory.errors import ComponentUnreadable, HostFault, LimitExceeded
from ironclaw_memory.sandbox.engine import Engine
from ironclaw_memory.sandbox.limits import Limits


BOOT: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from ironclaw_memory.sandbox.{module} import main; main()"
)
"""Start a module of ours with this process's search path and an empty environment."""

_CHANGED: Final = 3
_NOT_A_COMPONENT: Final = 4
_TOO_MUCH_MEMORY: Final = 5


def child_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs ``main()`` of a module of this room."""
    boot = BOOT.format(module=module)
    return [sys.executable, "-I", "-X", "utf8", "-c", boot, json.dumps(sys.path), *arguments]


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
            env={},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=limits.compile_ms / 1000,
        )
    except subprocess.TimeoutExpired:
        raise _too_long() from None
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
    match status:
        case 3:
            raise ComponentUnreadable(
                "The component file is not the one its digest names.",
                hint="Install it again, or approve the changed file.",
            )
        case 4:
            raise ComponentUnreadable(
                "The file is not a WebAssembly component that this engine can compile.",
                hint="Build it as a component (layer 1), not as a core module.",
            )
        case 5:
            raise LimitExceeded(
                "Compiling the component takes more memory than allowed.",
                limit="compile_memory_bytes",
                hint="Build a smaller component, or raise the limit.",
            )
        case _ if status < 0:
            raise _too_long()
        case _:
            raise HostFault(
                "The component could not be compiled.",
                hint="Check the free space of the cache directory, then repeat.",
            )


def _too_long() -> LimitExceeded:
    return LimitExceeded(
        "Compiling the component takes longer than allowed.",
        limit="compile_ms",
        hint="Build a smaller component, or raise the limit.",
    )


def main() -> None:
    """Compile in this process; the exit status says how it went."""
    source, digest, target, milliseconds, memory, size = sys.argv[2:]
    seconds = int(milliseconds) // 1000 * (os.cpu_count() or 1)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), int(size)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        sys.exit(_compile(Path(source), digest, Path(target)))
    except MemoryError:
        sys.exit(_TOO_MUCH_MEMORY)


def _compile(source: Path, digest: str, target: Path) -> int:
    code = source.read_bytes()
    if hashlib.sha256(code).hexdigest() != digest:
        return _CHANGED
    try:
        component = wit.Component(Engine().raw, code)
    except wasmtime.WasmtimeError:
        return _NOT_A_COMPONENT
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(component.serialize())
        file.flush()
        os.fsync(file.fileno())
    return 0
