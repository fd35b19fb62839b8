"""The two interfaces that a provider imports: what it is bound to, and where it reports.

Both are called by wasmtime in the middle of the guest. An exception from here would
kill the instance, and be handed to another thread's call (tech-notes.md section 0), so
nothing here raises: what went wrong is noted on the call, which the host looks at
afterwards.
"""

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ironclaw_memory.model import Moment, ProviderEvent, Scope


Record = Callable[[ProviderEvent], bool]
"""Store an event durably and say whether that worked."""

_HASH: Final = re.compile(r"sha256:[0-9a-f]{64}")  # wit/audit.wit
_WORD: Final = re.compile(r"[a-z0-9_-]{1,64}")  # wit/types.wit, failure.code
_VERSION: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")


@dataclass(kw_only=True)
class Running:
    """The call that a thread is in, from the point of view of the imports."""

    scope: Scope
    moment: Moment
    record: Record
    most_events: int
    events: list[ProviderEvent] = field(default_factory=list)
    slept: bool = False
    fault: BaseException | None = None

    def emit(self, event: ProviderEvent) -> bool:
        """Offer one event; false if it is malformed, one too many, or not recorded."""
        if len(self.events) >= self.most_events or not well_formed(event):
            return False
        if not self.record(event):
            return False
        self.events.append(event)
        return True


class Here(threading.local):
    """Which call the current thread is in; wasmtime calls imports on the guest's thread."""

    running: Running | None = None


HERE: Final = Here()


class WitRecord:
    """A record on its way into the guest: wasmtime reads kebab-case attributes."""

    def __init__(self, **fields: object) -> None:
        """Take the fields in snake_case."""
        for name, value in fields.items():
            setattr(self, name.replace("_", "-"), value)


_NOBODY: Final = WitRecord(tenant_id="-", user_id="-", agent_id=None, project_id=None)
_NEVER: Final = WitRecord(unix_ms=0, zone="UTC")


def bound_scope(_store: object) -> WitRecord:
    """``context.bound-scope``."""
    running = HERE.running
    if running is None:
        return _NOBODY
    scope = running.scope
    return WitRecord(
        tenant_id=scope.tenant,
        user_id=scope.user,
        agent_id=scope.agent,
        project_id=scope.project,
    )


def now(_store: object) -> WitRecord:
    """``context.now``: the same answer for the whole call."""
    running = HERE.running
    if running is None:
        return _NEVER
    return WitRecord(unix_ms=running.moment.unix_ms, zone=running.moment.zone)


def emit(event: Mapping[str, Any]) -> bool:
    """``audit.emit``, with the fields of *event* in snake_case."""
    running = HERE.running
    if running is None:
        return False
    try:
        return running.emit(ProviderEvent(**event))
    except BaseException as fault:  # noqa: BLE001 - see the module's own words
        running.fault = fault
        return False


def note(fault: BaseException) -> None:
    """Keep what went wrong with an import for the host to look at after the call."""
    if HERE.running is not None:
        HERE.running.fault = fault


def well_formed(event: ProviderEvent) -> bool:
    """Say whether an event carries nothing but enums, hashes and sizes (wit/audit.wit)."""
    return (
        (event.path_hash is None or _HASH.fullmatch(event.path_hash) is not None)
        and (event.reason is None or _WORD.fullmatch(event.reason) is not None)
        and (event.registry is None or _VERSION.fullmatch(event.registry) is not None)
    )
