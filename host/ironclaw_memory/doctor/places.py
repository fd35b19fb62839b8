"""The installation: the data directory, the cache, the gate's file, the log, the component."""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from ironclaw_memory.capability import gate, pins
from ironclaw_memory.capability.gate import Gate
from ironclaw_memory.capability.pins import Pins
from ironclaw_memory.doctor.findings import Finding
from ironclaw_memory.errors import IronclawMemoryError
from ironclaw_memory.installed import BUNDLED, bundled
from ironclaw_memory.sandbox.artifact import measured
from ironclaw_memory.scopes.mounts import DIRECTORY_MODE, HOST_DIRECTORY
from ironclaw_memory.scopes.store import MEMORY


AUDIT_FILE: Final = "audit.jsonl"
GATE_FILE: Final = f"{HOST_DIRECTORY}/{gate.DIRECTORY}/{gate.FILE_NAME}"
PINS: Final = f"{HOST_DIRECTORY}/{pins.DIRECTORY}"
LEAST_FREE_BYTES: Final = 64 << 20  # a quarter of what one scope may hold
_OF_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def root_findings(root: Path, *, repair: bool) -> Iterator[Finding]:
    """Look at the data directory; with *repair* it becomes private. Nothing is made."""
    try:
        root.stat()
    except FileNotFoundError:
        yield Finding(code="root-absent", place="root")
        return
    except OSError:
        yield Finding(code="root-unusable", place="root")
        return
    if not _is_usable(root):
        yield Finding(code="root-unusable", place="root")
        return
    for inside in (root, root / MEMORY, root / HOST_DIRECTORY):
        yield from _privacy(inside, root, repair=repair)
        if os.path.lexists(inside) and not _is_usable(inside):
            yield Finding(code="root-unusable", place="root", path=inside.name)
    if shutil.disk_usage(root).free < LEAST_FREE_BYTES:
        yield Finding(code="disk-nearly-full", place="root")


def cache_findings(cache: Path) -> Iterator[Finding]:
    """Look at the directory of compiled components, which hold machine code."""
    try:
        status = cache.lstat()
    except OSError:
        writable = os.access(_nearest(cache), os.W_OK | os.X_OK)
        yield Finding(code="cache-absent" if writable else "cache-unwritable", place="cache")
        return
    trusted = stat.S_ISDIR(status.st_mode) and status.st_uid in {0, os.geteuid()}
    if not trusted or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        yield Finding(code="cache-untrusted", place="cache")
    elif not os.access(cache, os.W_OK | os.X_OK):
        yield Finding(code="cache-unwritable", place="cache")


def gate_findings(root: Path) -> Iterator[Finding]:
    """Read what the gate works with: grants, settings, approvals of components."""
    host = root / HOST_DIRECTORY
    yield from _unless_it_raises(lambda: Gate(host).state(), "gate-unreadable", GATE_FILE)
    yield from _unless_it_raises(lambda: Pins(host).all(), "pins-unreadable", PINS)


def audit_findings(root: Path) -> Iterator[Finding]:
    """Look whether the log can be written, without writing to it."""
    log = root / HOST_DIRECTORY / AUDIT_FILE
    nearest = _nearest(log)
    needed = os.W_OK if nearest == log else os.W_OK | os.X_OK
    if not os.access(nearest, needed) or log.is_symlink():
        yield Finding(code="audit-unwritable", place="audit")


def component_findings() -> Iterator[Finding]:
    """Compare the bundled component with the digest that the build wrote beside it."""
    try:
        if measured(BUNDLED).digest == bundled().artifact.digest:
            return
    except IronclawMemoryError:
        pass
    yield Finding(code="component-unreadable", place="component")


def _nearest(path: Path) -> Path:
    """Return *path* or its first parent that is there for this user, who may not look everywhere."""
    return next((place for place in (path, *path.parents) if os.access(place, os.F_OK)), path)


def _is_usable(directory: Path) -> bool:
    return directory.is_dir() and os.access(directory, os.R_OK | os.W_OK | os.X_OK)


def _privacy(directory: Path, root: Path, *, repair: bool) -> Iterator[Finding]:
    try:
        mode = directory.lstat().st_mode
    except OSError:
        return
    if not stat.S_ISDIR(mode) or not mode & _OF_OTHERS:
        return
    if repair:
        directory.chmod(DIRECTORY_MODE)
    path = "" if directory == root else directory.name
    yield Finding(code="open-to-others", place="root", path=path, repaired=repair)


def _unless_it_raises(act: Callable[[], object], code: str, path: str) -> Iterator[Finding]:
    try:
        act()
    except IronclawMemoryError:
        yield Finding(code=code, place="gate", path=path)
