"""Snapshots as an owner meets them: each one taken or restored is in the audit log."""

from pathlib import Path

from ironclaw_memory.capability.audit import AuditLog
from ironclaw_memory.capability.records import Kind, Outcome, Record
from ironclaw_memory.capability.state import ScopeAxes
from ironclaw_memory.freshness import SEEN, Freshness
from ironclaw_memory.model import LATEST, Scope
from ironclaw_memory.scopes import LocalStore
from ironclaw_memory.upkeep.snapshots import Snapshot, Snapshots


class Safekeeping:
    """The snapshots of one root. Needs no provider: a broken one is what they are for."""

    def __init__(self, store: LocalStore, directory: Path, audit: AuditLog) -> None:
        """Keep the snapshots of *store* below *directory*, which must lie outside every mount."""
        self._snapshots = Snapshots(store, directory)
        self._freshness = Freshness(directory / SEEN, "")  # whatever provider looks next
        self._audit = audit

    def before_write(self, scope: Scope, *, now_ms: int) -> Snapshot | None:
        """Take the day's snapshot unless there is one; see `Snapshots.before_write`."""
        taken = self._snapshots.before_write(scope, now_ms=now_ms)
        if taken is not None:
            self._audit.require(_record(Kind.SNAPSHOT, scope, taken, now_ms))
        return taken

    def take(self, scope: Scope, *, now_ms: int) -> Snapshot | None:
        """Take a snapshot now; ``None`` where the scope has no directory yet."""
        taken = self._snapshots.take(scope, now_ms=now_ms)
        if taken is not None:
            self._audit.require(_record(Kind.SNAPSHOT, scope, taken, now_ms, by_operator=True))
        return taken

    def all(self, scope: Scope) -> tuple[Snapshot, ...]:
        """Return the snapshots of *scope*, newest first."""
        return self._snapshots.all(scope)

    def find(self, scope: Scope, snapshot_id: str) -> Snapshot | None:
        """Return the snapshot of that id, or the newest for `LATEST`; ``None`` for none."""
        return next((s for s in self.all(scope) if snapshot_id in (s.id, LATEST)), None)

    def restore(self, scope: Scope, snapshot_id: str, *, now_ms: int) -> Snapshot | None:
        """Replace the content of *scope*; see `Snapshots.restore`.

        That it was asked for is in the log before anything changes.
        """
        if found := self.find(scope, snapshot_id):
            self._audit.require(_record(Kind.RESTORE, scope, found, now_ms, by_operator=True))
            snapshot_id = found.id
        try:
            return self._snapshots.restore(scope, snapshot_id, now_ms=now_ms)
        finally:  # an index came back that knows other documents than a look has seen
            self._freshness.doubt(scope)

    def finish_interrupted(self, scope: Scope) -> None:
        """Finish a restore that was killed; see `Snapshots.finish_interrupted`."""
        if self._snapshots.finish_interrupted(scope):
            self._freshness.doubt(scope)

    def intend_to_forget(self, scope: Scope) -> bool:
        """Note that something is about to be erased; see `Snapshots.intend_to_forget`."""
        return self._snapshots.intend_to_forget(scope)

    def spare(self, scope: Scope) -> None:
        """Take the note back; see `Snapshots.spare`."""
        self._snapshots.spare(scope)

    def forget(self, scope: Scope) -> int:
        """Remove every snapshot of *scope*; see `Snapshots.forget`."""
        return self._snapshots.forget(scope)


def _record(
    kind: Kind, scope: Scope, snapshot: Snapshot, now_ms: int, *, by_operator: bool | None = None
) -> Record:
    return Record(
        at_ms=now_ms,
        kind=kind,
        scope=ScopeAxes.of(scope),
        outcome=Outcome.ALLOWED if kind is Kind.RESTORE else Outcome.SUCCEEDED,
        subject=snapshot.id,
        size=snapshot.bytes,
        count=snapshot.files,
        by_operator=by_operator,
    )
