"""Watch what a guest puts on disk, since WASI has no quota (tech-notes.md section 5)."""

import time
from dataclasses import dataclass, field

from ironclaw_memory.errors import InvalidOutput, LimitExceeded
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.sandbox.traps import exceeded
from ironclaw_memory.scopes import Mount, Usage, usage
from ironclaw_memory.scopes.walk import MAX_DEPTH


_PATIENCE: int = 4  # the watching takes at most a fifth of the time


@dataclass(kw_only=True)
class Watch:
    """One scope during one writing call.

    A scope may be over its quota already, and is still read, restored and erased: only
    growing beyond the limit counts.
    """

    mount: Mount
    limits: Limits
    before: Usage
    due: float
    now: Usage = field(default_factory=Usage)

    def look(self) -> None:
        """Measure once; raises `LimitExceeded` naming what was crossed.

        Raises `InvalidOutput` for directories below those that are measured.
        """
        begun = time.monotonic()
        self.now = usage(self.mount)
        limit = crossed(self.before, self.now, self.limits)
        if limit:
            raise limit
        if self._is_new("depth"):
            raise InvalidOutput(
                f"The provider nested directories deeper than {MAX_DEPTH} levels.",
                code="too-deep-in-scope",
                hint="Restore a snapshot with `ironclaw-memory restore-snapshot`.",
            )
        ended = time.monotonic()
        self.due = ended + max(self.limits.watch_every_ms / 1000, (ended - begun) * _PATIENCE)

    def settle(self) -> Usage:
        """Measure at the end of the call, and refuse links that were not there before.

        Raises `LimitExceeded`, or `InvalidOutput` for a link: the host follows none, but
        other programs of the owner would.
        """
        self.look()
        if self._is_new("link"):
            raise InvalidOutput(
                "The provider left a symbolic link among the documents.",
                code="link-in-scope",
                hint="Run `ironclaw-memory doctor`, which lists links; do not trust this provider.",
            )
        return self.now

    def _is_new(self, kind: str) -> bool:
        known = {odd.path for odd in self.before.odd}
        return any(odd.kind == kind and odd.path not in known for odd in self.now.odd)


def crossed(before: Usage, now: Usage, limits: Limits) -> LimitExceeded | None:
    """Return the error for the first limit that *now* is over and grew towards."""
    for limit, most, was, is_now in (
        ("file_bytes", limits.file_bytes, before.largest, now.largest),
        ("scope_files", limits.scope_files, before.files, now.files),
        ("scope_files", limits.scope_files, before.store_files, now.store_files),
        ("scope_files", limits.scope_files, before.directories, now.directories),
        ("scope_files", limits.scope_files, len(before.odd), len(now.odd)),
        ("scope_bytes", limits.scope_bytes, before.bytes, now.bytes),
        ("scope_bytes", limits.scope_bytes, before.store_bytes, now.store_bytes),
    ):
        if is_now > most and is_now > was:
            return exceeded(limit, "wrote more than allowed")
    return None
