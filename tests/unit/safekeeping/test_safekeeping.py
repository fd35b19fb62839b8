"""Snapshots taken and restored are in the audit log."""

from pathlib import Path

import pytest

from ironclaw_memory.capability.audit import AuditLog
from ironclaw_memory.capability.audit_reading import Selection, read
from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.model import LATEST, Scope
from ironclaw_memory.safekeeping import Safekeeping
from ironclaw_memory.scopes import LocalStore, directory_of


SCOPE = Scope(tenant="acme", user="alice")


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """Return the one document of `SCOPE`."""
    home = tmp_path.joinpath(*directory_of(SCOPE))
    home.mkdir(parents=True)
    (home / "MEMORY.md").write_text("tea\n")
    return home / "MEMORY.md"


def _kept(root: Path) -> tuple[Safekeeping, AuditLog]:
    audit = AuditLog(root / "host")
    return Safekeeping(LocalStore(root), root / "host", audit), audit


def _logged(audit: AuditLog) -> list[tuple[object, object]]:
    lines = (entry.fields for entry in read(audit.files, Selection()))
    return [(line["kind"], line["subject"]) for line in lines]


def test_every_act_is_logged_with_the_snapshots_id(tmp_path: Path, document: Path) -> None:
    """The one before a write, the one that a person takes, and the restore."""
    kept, audit = _kept(tmp_path)
    first = kept.before_write(SCOPE, now_ms=1_000)
    second = kept.take(SCOPE, now_ms=2_000)
    assert first is not None
    assert second is not None
    document.write_text("destroyed\n")
    kept.restore(SCOPE, LATEST, now_ms=3_000)

    assert document.read_text() == "tea\n"
    assert _logged(audit) == [
        ("snapshot", first.id),
        ("snapshot", second.id),
        ("restore", second.id),
    ]


def test_what_does_not_happen_is_not_logged(tmp_path: Path, document: Path) -> None:
    """A second write of the day takes none, and an unknown id restores none."""
    kept, audit = _kept(tmp_path)
    kept.before_write(SCOPE, now_ms=1_000)
    kept.before_write(SCOPE, now_ms=2_000)
    with pytest.raises(InvalidArguments):
        kept.restore(SCOPE, "snapshot-20260101-00000000", now_ms=3_000)

    assert len(_logged(audit)) == 1
