"""Which documents a person may have edited since the provider last looked.

The host's own walk costs 45 ms for 10,000 files where a guest's costs a second, so the
host compares size and modification time and names the changed paths (design.md section 6).
What was seen is kept on disk between processes. It is a hint that can always be thrown
away: the provider compares again before it indexes.
"""

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ironclaw_memory.model import Scope
from ironclaw_memory.private import make_private


LOOK_EVERY_MS: Final = 2_000  # design.md section 6: seen within 2 s in a running host
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")

Stamp = tuple[int, int]
"""Size in bytes and modification time in nanoseconds."""

Seen = Mapping[str, Stamp]

_Axes = tuple[str, str, str | None, str | None]


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a look found: the changed paths, and the state to remember once they are indexed.

    ``everything`` is set when nothing is remembered, or when the machine was restarted:
    then files may be newer than an index that was never synced.
    """

    paths: tuple[str, ...]
    everything: bool
    seen: Seen

    @property
    def is_news(self) -> bool:
        """Whether the provider has anything to do."""
        return self.everything or bool(self.paths)


class Freshness:
    """Remembers, per scope and provider, what the last look saw. Safe under many threads."""

    def __init__(
        self, directory: Path, provider_digest: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Keep memories in *directory*, which is outside every mount; *clock* is in seconds."""
        self._directory = directory
        self._digest = provider_digest
        self._clock = clock
        self._looked: dict[_Axes, float] = {}
        self._lock = threading.Lock()

    def is_due(self, scope: Scope) -> bool:
        """Say whether *scope* was not looked at within the last `LOOK_EVERY_MS`."""
        with self._lock:
            looked = self._looked.get(_key(scope))
        return looked is None or (self._clock() - looked) * 1000 >= LOOK_EVERY_MS

    def compare(self, scope: Scope, found: Seen) -> Change:
        """Compare what a walk *found* with what was remembered."""
        remembered = self._load(scope)
        if remembered is None:
            return Change(paths=(), everything=True, seen=found)
        changed = {path for path, stamp in found.items() if remembered.get(path) != stamp}
        gone = remembered.keys() - found.keys()
        return Change(paths=tuple(sorted(changed | gone)), everything=False, seen=found)

    def remember(self, scope: Scope, change: Change) -> None:
        """Take *change* as indexed, or as nothing; the next look is due after the interval."""
        if change.is_news:
            self._store(scope, change.seen)
        with self._lock:
            self._looked[_key(scope)] = self._clock()

    def _path(self, scope: Scope) -> Path:
        name = hashlib.sha256(f"{self._digest}\0{scope.owner_key()}".encode()).hexdigest()
        return self._directory / f"{name[:40]}.json"

    def _load(self, scope: Scope) -> dict[str, Stamp] | None:
        try:
            value = json.loads(self._path(scope).read_bytes())
            if value["boot"] != _boot_id():
                return None
            return {path: (size, mtime) for path, (size, mtime) in value["seen"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def _store(self, scope: Scope, seen: Seen) -> None:
        """Replace the memory; losing it only costs the next look more."""
        path = self._path(scope)
        scratch = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
        text = json.dumps({"boot": _boot_id(), "seen": seen})
        with suppress(OSError):
            make_private(self._directory)
            with os.fdopen(os.open(scratch, _CREATE, 0o600), "w", encoding="utf-8") as file:
                file.write(text)
            scratch.replace(path)


def _key(scope: Scope) -> _Axes:
    """Return *scope* without its thread: threads share one directory."""
    return scope.axes()


def _boot_id() -> str:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return "unknown"  # elsewhere than on Linux a restart is not noticed
