"""The cache of compiled components: machine code, so it is trusted or rebuilt.

wasmtime runs whatever a compiled file says, also after a changed byte (tech-notes.md
section 6). Therefore the directory and every entry must belong to this user or root and
be writable by nobody else, and beside each entry lies a note of its size, change time
and SHA-256: an entry that anybody touched is hashed again and rebuilt if it differs.
"""

import fcntl
import hashlib
import json
import os
import platform
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import wasmtime
from wasmtime import _ffi as ffi
from wasmtime import component as wit

from ironclaw_memory.errors import CacheUnusable, HostFault
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.engine import SETTINGS, Engine
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS, Limits


FORMAT: Final = 1
MOST_ENTRIES: Final = 8  # 40 MB each; an upgrade of provider or engine leaves old ones behind
_WRITABLE_BY_OTHERS: Final = 0o022

Notice = Callable[[str], None]
"""Told one sentence when a compilation starts, since it takes half a minute."""


def silent(sentence: str) -> None:
    """Tell nobody."""


class Cache:
    """Compiled components in one directory. Lifetime: the process's."""

    def __init__(
        self, directory: Path, *, limits: Limits = DEFAULT_LIMITS, on_compile: Notice = silent
    ) -> None:
        """Keep entries in *directory*, made with mode 0700 when first needed.

        If it cannot be made or written, as in a container with a read-only file system,
        entries go to a temporary directory of this process and *on_compile* says so.
        """
        self._wanted = directory
        self._limits = limits
        self._notice = on_compile
        self._scratch: Path | None = None

    def load(self, engine: Engine, artifact: Artifact) -> wit.Component:
        """Return the compiled component, compiling it if there is no trustworthy entry.

        Parallel first starts compile once. Raises `CacheUnusable` if the directory
        belongs to somebody else or is writable by others, and what
        `compiling.compiled` raises.
        """
        name = key(artifact)
        found = self._look(engine, self._wanted, name)
        if found is not None:
            return found
        directory = self._writable()
        with _alone(directory / f"{name}.lock"):
            found = self._look(engine, directory, name)
            if found is None:
                self._build(artifact, directory, name)
                found = self._look(engine, directory, name)
        if found is None:
            raise CacheUnusable(
                "A component was compiled but could not be loaded.",
                hint="Remove the cache directory and repeat.",
            )
        return found

    def directory_of(self, artifact: Artifact) -> Path:
        """Return where the entry of a loaded *artifact* lies, for another process to load."""
        wanted = (self._wanted / f"{key(artifact)}.cwasm").exists()
        return self._wanted if wanted or self._scratch is None else self._scratch

    def close(self) -> None:
        """Remove the temporary directory, if there is one."""
        if self._scratch is not None:
            import shutil  # noqa: PLC0415 - seldom needed

            shutil.rmtree(self._scratch, ignore_errors=True)
            self._scratch = None

    def _look(self, engine: Engine, directory: Path, name: str) -> wit.Component | None:
        """Return the entry if it is there and beyond doubt."""
        if not _trusted_directory(directory):
            return None
        try:
            descriptor = os.open(
                directory / f"{name}.cwasm", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
            )
        except OSError:
            return None
        try:
            if not _private(os.fstat(descriptor)) or not _untouched(descriptor, directory, name):
                return None
            path = f"/proc/self/fd/{descriptor}"
            if not Path(path).exists():
                path = str(directory / f"{name}.cwasm")  # macOS
            return wit.Component.deserialize_file(engine.raw, path)
        except wasmtime.WasmtimeError:
            return None
        finally:
            os.close(descriptor)

    def _build(self, artifact: Artifact, directory: Path, name: str) -> None:
        from ironclaw_memory.sandbox.compiling import compiled  # noqa: PLC0415 - seldom needed

        self._notice("Compiling the memory provider; this happens once and takes half a minute.")
        for abandoned in directory.glob(f"{name}.*.new"):
            abandoned.unlink(missing_ok=True)  # the lock is ours, so nobody writes it any more
        fresh = directory / f"{name}.{os.getpid()}.new"
        try:
            compiled(artifact.path, artifact.digest, fresh, self._limits)
            note = directory / f"{name}.{os.getpid()}.note"
            note.write_text(json.dumps(_note(fresh)))
            note.replace(directory / f"{name}.note")
            fresh.replace(directory / f"{name}.cwasm")
            _prune(directory)
        except OSError as problem:
            raise CacheUnusable(
                f"The compiled component cannot be stored: {os.strerror(problem.errno or 0)}.",
                hint="Free some space, or set IRONCLAW_MEMORY_CACHE to another directory.",
            ) from None
        finally:
            fresh.unlink(missing_ok=True)

    def _writable(self) -> Path:
        """Return the wanted directory, or a temporary one where it cannot be written."""
        with suppress(OSError):
            self._wanted.mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.access(self._wanted, os.W_OK | os.X_OK):
                _check_private(self._wanted)
                return self._wanted
        if self._scratch is None:
            self._notice(
                "The cache directory cannot be written, so what is compiled now is lost with this "
                "process; set IRONCLAW_MEMORY_CACHE to a directory that can."
            )
            self._scratch = _temporary()
        return self._scratch


def key(artifact: Artifact) -> str:
    """Return the name of an entry: content, engine library, settings and machine."""
    library = Path(ffi.filename).stat()
    parts = [
        *(FORMAT, artifact.digest, library.st_size, library.st_mtime_ns),
        *(sorted(SETTINGS.items()), platform.machine(), sys.platform),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]


def _temporary() -> Path:
    import tempfile  # noqa: PLC0415 - seldom needed

    try:
        return Path(tempfile.mkdtemp(prefix="ironclaw-memory-"))
    except OSError:
        raise CacheUnusable(
            "Neither the cache directory nor a temporary one can be written.",
            hint="Set IRONCLAW_MEMORY_CACHE to a directory that can.",
        ) from None


def _prune(directory: Path) -> None:
    """Keep the `MOST_ENTRIES` that were used last; who still runs one keeps what it has."""
    by_use = sorted(directory.glob("*.cwasm"), key=lambda entry: entry.stat().st_atime_ns)
    for entry in by_use[:-MOST_ENTRIES]:
        entry.unlink(missing_ok=True)
        entry.with_suffix(".note").unlink(missing_ok=True)


def _private(status: os.stat_result) -> bool:
    """Say whether only this user or root could have written what has *status*."""
    return status.st_uid in (os.getuid(), 0) and not status.st_mode & _WRITABLE_BY_OTHERS


def _trusted_directory(directory: Path) -> bool:
    """Say whether *directory* is there; raises `CacheUnusable` if it is not trustworthy."""
    try:
        _check_private(directory)
    except OSError:
        return False
    return True


def _check_private(directory: Path) -> None:
    status = directory.stat()
    if not stat.S_ISDIR(status.st_mode) or not _private(status):
        raise CacheUnusable(
            "The cache directory belongs to another user or can be written by others.",
            hint="Remove it or run chmod 700 on it, or set IRONCLAW_MEMORY_CACHE to another.",
        )


def _note(entry: Path) -> dict[str, object]:
    status = entry.stat()
    with entry.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": digest}


def _untouched(descriptor: int, directory: Path, name: str) -> bool:
    """Say whether an entry is as it was written; a copy with another time is hashed."""
    try:
        note = json.loads((directory / f"{name}.note").read_text())
        status = os.fstat(descriptor)
        if (note["size"], note["mtime_ns"]) == (status.st_size, status.st_mtime_ns):
            return True
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return bool(note["sha256"] == hashlib.file_digest(file, "sha256").hexdigest())
    except (OSError, ValueError, KeyError, TypeError):
        return False


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        raise HostFault("The cache cannot be locked.", hint="Remove the cache directory.") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
