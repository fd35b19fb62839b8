"""Documents that were deleted move with their histories, and stay deleted."""

from pathlib import Path

import pytest
from tests.unit.portability.native import NativeHost

from ironclaw_memory.errors import IronclawMemoryError
from ironclaw_memory.model import Scope
from ironclaw_memory.portability.exporting import export_scope
from ironclaw_memory.portability.importing import import_archive
from ironclaw_memory.portability.reading import opened
from ironclaw_memory.portability.report import ExportReport, ImportReport


SCOPE = Scope(tenant="acme", user="ann")
GONE = ("by/hand.md", "by-tool.md")


def replaced(host: NativeHost, path: str, *texts: str) -> None:
    """Write one text after another."""
    for text in texts:
        host.call_as_operator(
            "write", {"target": path, "content": text, "append": False}, scope=SCOPE
        )


@pytest.fixture
def host(tmp_path: Path) -> NativeHost:
    """One document that is there, two that are gone, one that was erased."""
    host = NativeHost(tmp_path / "source")
    for path in ("kept.md", *GONE, "erased.md"):
        replaced(host, path, "one\n", "secret\n", "three\n")
    host.provider.upkeep.erase("by-tool.md", 2)
    host.provider.upkeep.delete("by-tool.md")
    (host.root / "by" / "hand.md").unlink()
    host.provider.upkeep.erase("erased.md")
    return host


def exported(host: NativeHost, file: Path) -> ExportReport:
    """Export to *file*."""
    with file.open("wb") as out:
        return export_scope(host, SCOPE, out, progress=lambda *_: None, now_ms=5)  # type: ignore[arg-type]


def imported(host: NativeHost, file: Path, *, dry_run: bool = False) -> ImportReport:
    """Import *file*."""
    with opened(file) as archive:
        return import_archive(
            host,  # type: ignore[arg-type]
            SCOPE,
            archive,
            dry_run=dry_run,
            progress=lambda *_: None,
            now_ms=5,
        )


def test_a_deleted_document_moves_with_its_history(host: NativeHost, tmp_path: Path) -> None:
    """It is absent there too, its history is equal, and restoring brings it back."""
    report = exported(host, tmp_path / "a.tar")
    there = NativeHost(tmp_path / "target")
    came = imported(there, tmp_path / "a.tar")

    assert (report.documents, report.deleted, report.problems) == (1, 2, [])
    assert (came.written, came.deleted, came.problems) == (["kept.md"], sorted(GONE), [])
    assert list(there.documents(SCOPE)) == ["kept.md"]
    assert there.deleted(SCOPE) == tuple(sorted(GONE))
    for path in GONE:
        assert there.history(SCOPE, path) == host.history(SCOPE, path)
    there.restore(SCOPE, "by-tool.md", 3)
    there.restore(SCOPE, "by/hand.md", 2)
    assert (there.current(SCOPE, "by-tool.md"), there.current(SCOPE, "by/hand.md")) == (
        "three\n",
        "secret\n",
    )


def test_what_was_erased_stays_erased(host: NativeHost, tmp_path: Path) -> None:
    """A version's row without its body; of a document nothing at all."""
    exported(host, tmp_path / "a.tar")
    there = NativeHost(tmp_path / "target")
    imported(there, tmp_path / "a.tar")

    rows = there.history(SCOPE, "by-tool.md")
    assert [(row.number, row.erased) for row in rows] == [(1, False), (2, True), (3, False)]
    with pytest.raises(IronclawMemoryError, match="erased"):
        there.version(SCOPE, "by-tool.md", 2)
    assert b"erased.md" not in (tmp_path / "a.tar").read_bytes()
    with pytest.raises(IronclawMemoryError):
        there.history(SCOPE, "erased.md")


def test_an_export_and_its_imports_count_the_same_versions(
    host: NativeHost, tmp_path: Path
) -> None:
    """Those with a text: an erased one goes along as a trace. A dry run counts what would come."""
    report = exported(host, tmp_path / "a.tar")
    there = NativeHost(tmp_path / "target")
    would = imported(there, tmp_path / "a.tar", dry_run=True)
    came = imported(there, tmp_path / "a.tar")

    assert (report.versions, would.versions, came.versions) == (6, 6, 6)
    again = exported(there, tmp_path / "b.tar")
    assert again.versions == report.versions


def test_histories_of_deleted_documents_can_come_twice(host: NativeHost, tmp_path: Path) -> None:
    """The second time nothing is added; a dry run adds nothing the first time."""
    exported(host, tmp_path / "a.tar")
    there = NativeHost(tmp_path / "target")
    assert imported(there, tmp_path / "a.tar", dry_run=True).deleted == sorted(GONE)
    assert there.deleted(SCOPE) == ()
    imported(there, tmp_path / "a.tar")
    again = imported(there, tmp_path / "a.tar")

    assert (again.versions, again.problems, again.deleted) == (0, [], sorted(GONE))


def test_a_document_that_is_there_keeps_its_own_history(host: NativeHost, tmp_path: Path) -> None:
    """An import deletes nothing and mixes no two histories."""
    exported(host, tmp_path / "a.tar")
    there = NativeHost(tmp_path / "target")
    replaced(there, "by-tool.md", "mine\n")
    came = imported(there, tmp_path / "a.tar")

    assert [(p.path, p.code) for p in came.problems] == [("by-tool.md", "differs")]
    assert came.deleted == ["by/hand.md"]
    assert there.history(SCOPE, "by-tool.md") == ()


def test_what_stands_in_the_place_of_a_deleted_document_is_named(
    host: NativeHost, tmp_path: Path
) -> None:
    """A link hides a history from the export; the report says so."""
    (host.root / "by-tool.md").symlink_to("kept.md")
    report = exported(host, tmp_path / "a.tar")

    assert report.deleted == 1
    assert {p.path for p in report.problems} == {"by-tool.md"}


def test_a_path_that_no_document_has_spoils_no_archive(
    host: NativeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A provider says what is gone; an archive with such a name would not come in at all."""
    bad = ("../b.md", "/etc/x", "a/../../c", "x.meta", "")
    monkeypatch.setattr(NativeHost, "deleted", lambda *_: (*bad, "by-tool.md"))
    monkeypatch.setattr(NativeHost, "history", lambda *_: ())
    report = exported(host, tmp_path / "a.tar")

    assert [(p.path, p.code) for p in report.problems] == [(path, "path-invalid") for path in bad]
    assert imported(NativeHost(tmp_path / "target"), tmp_path / "a.tar").written == ["kept.md"]
