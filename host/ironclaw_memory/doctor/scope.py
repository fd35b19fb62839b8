"""One scope: what lies there as seen from outside, and what its provider says about its store."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ironclaw_memory.doctor.findings import Finding
from ironclaw_memory.doctor.profile import (
    CORRUPT,
    PROFILE_PATH,
    StoredProfile,
    stored_profile,
)
from ironclaw_memory.doctor.scopes_on_disk import OnDisk
from ironclaw_memory.errors import IronclawMemoryError, RootUnusable, UndeclaredTool
from ironclaw_memory.model import Scope
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.scopes import Usage, usage


if TYPE_CHECKING:
    from ironclaw_memory.host import MemoryHost

NEARLY: Final = 0.9
_BAD_NAME: Final = "name"
_HOLDS_BAD_NAME: Final = "name-not-utf8"  # of a directory: a guest cannot see which name it is
_SPECIAL: Final = frozenset({"fifo", "pipe", "device", "socket"})


@dataclass(frozen=True, kw_only=True)
class ScopeReport:
    """What a scope takes on disk, in bytes as allocated, and what is wrong with it."""

    place: str
    documents: int
    bytes: int
    store_bytes: int
    findings: tuple[Finding, ...]


def examined(host: "MemoryHost", root: Path, there: OnDisk, *, repair: bool) -> ScopeReport:
    """Look at one scope; with *repair* its provider mends what is derived.

    Documents are never touched.
    """
    try:
        taken = usage(there.mount(root))
    except RootUnusable:
        broken = Finding(code="unreadable", place=there.place)
        return ScopeReport(
            place=there.place, documents=0, bytes=0, store_bytes=0, findings=(broken,)
        )
    found = {(_kind(f.code), f.path): f for f in _from_outside(there, taken, host.limits)}
    listed = {odd.path.rpartition("/")[0] for odd in taken.odd if odd.kind == _BAD_NAME}
    for finding in _from_inside(host, there, repair=repair):
        if finding.code != _HOLDS_BAD_NAME or finding.path not in listed:  # is said by name
            found.setdefault((_kind(finding.code), finding.path), finding)
    return ScopeReport(
        place=there.place,
        documents=taken.files,
        bytes=taken.bytes,
        store_bytes=taken.store_bytes,
        findings=tuple(found.values()),
    )


def _from_outside(there: OnDisk, taken: Usage, limits: Limits) -> Iterator[Finding]:
    for odd in taken.odd:
        yield Finding(code=odd.kind, place=there.place, path=odd.path)
    full = taken.files / limits.scope_files, taken.bytes / limits.scope_bytes
    if NEARLY < max(full) <= 1:
        yield Finding(code="quota-near", place=there.place)
    if there.scope is None:
        yield Finding(code="scope-unnamed", place=there.place)


def _from_inside(host: "MemoryHost", there: OnDisk, *, repair: bool) -> Iterator[Finding]:
    if there.scope is None:
        return
    try:
        report = host.check(there.scope, repair=repair)
    except UndeclaredTool:
        return  # a provider without upkeep has no store to speak of
    except IronclawMemoryError as error:
        code = error.code if error.code == "store-newer" else "scope-unexamined"
        yield Finding(code=code, place=there.place, path="" if code == error.code else error.code)
        return
    findings = report.get("findings")
    for row in findings if isinstance(findings, list) else ():
        yield _reported(row, there.place)
    if there.scope == there.scope.user_level() and _profile_is_corrupt(host, there.scope):
        yield Finding(code=CORRUPT, place=there.place, path=PROFILE_PATH)


def _profile_is_corrupt(host: "MemoryHost", scope: Scope) -> bool:
    try:
        return stored_profile(host, scope) is StoredProfile.CORRUPT
    except IronclawMemoryError:
        return False  # whatever it is, it has a finding of its own


def _reported(row: Any, place: str) -> Finding:
    """Return what a provider found; whatever it is, it becomes text and a flag."""
    fields = row if isinstance(row, dict) else {}
    return Finding(
        code=str(fields.get("code", "unknown"))[:64],
        place=place,
        path=str(fields.get("path", ""))[:1024],
        repaired=fields.get("repaired") is True,
    )


def _kind(code: str) -> str:
    """Return one word for whatever is never opened: a guest cannot tell a pipe from a device."""
    return "special" if code in _SPECIAL else code
