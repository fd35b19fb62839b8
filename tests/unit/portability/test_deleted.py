"""Documents that were deleted move with their histories, and stay deleted."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.portability.native import NativeHost

from ironclaw_memory.errors import InvalidOutput, IronclawMemoryError, OperationFailed
from ironclaw_memory.model import Scope
from ironclaw_memory.portability import exporting
from ironclaw_memory.portability.exporting import export_scope
from ironclaw_memory.portability.importing import import_archive
from ironclaw_memory.portability.reading import MAX_NUMBER, opened
from ironclaw_memory.portability.report import ExportReport, ImportReport


SCOPE = Scope(tenant="acme", user="ann")
GONE = ("by/hand.md", "by-tool.md")
OWN = {"mine": 1}


def nested(depth: int) -> list[Any]:
    """Return lists in lists."""
    return [nested(depth - 1)] if depth > 1 else []


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
    """The second time nothing is added, and nothing is said to be; a dry run adds nothing at all."""
    exported(host, tmp_path / "a.tar")
    there = NativeHost(tmp_path / "target")
    assert imported(there, tmp_path / "a.tar", dry_run=True).deleted == sorted(GONE)
    assert there.deleted(SCOPE) == ()
    imported(there, tmp_path / "a.tar")
    for dry_run in (True, False):
        again = imported(there, tmp_path / "a.tar", dry_run=dry_run)
        assert (again.versions, again.problems, again.deleted) == (0, [], [])
        assert again.identical == ["kept.md", *sorted(GONE)]


def test_a_history_that_could_not_come_was_not_there_either(
    host: NativeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its versions are named as problems, and its path is in no list."""
    exported(host, tmp_path / "a.tar")

    def full(*_: object) -> None:
        raise OperationFailed("has as many versions as are kept of one.", code="history-full")

    monkeypatch.setattr(NativeHost, "adopt", full)
    came = imported(NativeHost(tmp_path / "target"), tmp_path / "a.tar")

    assert (came.written, came.identical, came.deleted) == (["kept.md"], [], [])
    assert {problem.code for problem in came.problems} == {"history-full"}


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
    bad = ("../b.md", "/etc/x", "a/../../c", "x.meta", "", "x" * 4090)
    monkeypatch.setattr(NativeHost, "deleted", lambda *_: (*bad, "by-tool.md"))
    monkeypatch.setattr(NativeHost, "history", lambda *_: ())
    report = exported(host, tmp_path / "a.tar")

    assert [(p.path, p.code) for p in report.problems] == [(path, "path-invalid") for path in bad]
    assert imported(NativeHost(tmp_path / "target"), tmp_path / "a.tar").written == ["kept.md"]


@pytest.mark.parametrize(
    "odd",
    [
        {"number": 0},
        {"size": (1 << 64) - 1},
        {"unix_ms": 1 << 63},
        {"number": MAX_NUMBER + 1},
        {"number": 1},
    ],
    ids=["zero", "size", "time", "number", "twice"],
)
def test_a_row_that_does_not_hold_spoils_no_archive(
    host: NativeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: dict[str, int]
) -> None:
    """It is left out and named; everything else comes in."""
    honest = host.history(SCOPE, "kept.md")
    bad = replace(honest[-1], **{"number": 3, **odd})  # type: ignore[arg-type]
    with monkeypatch.context() as patched:
        patched.setattr(NativeHost, "history", lambda *_: (*honest, bad))
        patched.setattr(NativeHost, "deleted", lambda *_: ())
        report = exported(host, tmp_path / "a.tar")
    there = NativeHost(tmp_path / "target")
    came = imported(there, tmp_path / "a.tar")

    named = f"kept.md version {bad.number}"
    assert [(p.path, p.code) for p in report.problems] == [(named, "version-invalid")]
    assert (came.written, came.problems) == (["kept.md"], [])
    assert there.history(SCOPE, "kept.md") == honest


@pytest.mark.parametrize(
    "metadata", [[1, 2], None, "x", {"a": nested(64)}], ids=["list", "null", "text", "deep"]
)
def test_metadata_that_do_not_hold_spoil_no_archive(
    host: NativeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, metadata: object
) -> None:
    """They are left out and named; the document comes in with its history."""
    monkeypatch.setattr(NativeHost, "describe", lambda *_: {"metadata": metadata})
    report = exported(host, tmp_path / "a.tar")
    there = NativeHost(tmp_path / "target")
    came = imported(there, tmp_path / "a.tar")

    assert [(p.path, p.code) for p in report.problems] == [("kept.md", "metadata-invalid")]
    assert (came.written, came.problems) == (["kept.md"], [])
    assert there.history(SCOPE, "kept.md") == host.history(SCOPE, "kept.md")


def test_what_is_larger_than_an_import_takes_spoils_no_archive(
    host: NativeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A body, or the description of a document; it is left out and named."""
    replaced(host, "big.md", "x" * 600)
    monkeypatch.setattr(exporting, "MAX_MEMBER_BYTES", 400)
    report = exported(host, tmp_path / "a.tar")
    came = imported(NativeHost(tmp_path / "target"), tmp_path / "a.tar")

    assert [(p.path, p.code) for p in report.problems] == [
        (path, "larger-than-an-import-takes") for path in ("big.md", "kept.md", *sorted(GONE))
    ]
    assert (report.documents, report.deleted, report.versions) == (1, 0, 0)
    assert (came.written, came.deleted, came.problems) == (["kept.md"], [], [])


def test_a_document_goes_out_without_a_history_that_cannot_be_had(
    host: NativeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is named, and the other documents go out too."""
    replaced(host, "other.md", "one\n")

    def failing(*_: object) -> None:
        raise InvalidOutput("It does not hold.")

    monkeypatch.setattr(NativeHost, "history", failing)
    report = exported(host, tmp_path / "a.tar")

    assert (report.documents, report.deleted) == (2, 0)
    assert {(p.path, p.code) for p in report.problems} == {
        (path, "invalid-output") for path in ("kept.md", "other.md", *GONE)
    }


def test_metadata_of_an_emptied_bootstrap_document_come_in(
    host: NativeHost, tmp_path: Path
) -> None:
    """The word that empties it takes them."""
    host.call_as_operator("write", {"target": "bootstrap", "metadata": OWN}, scope=SCOPE)
    exported(host, tmp_path / "a.tar")
    there = NativeHost(tmp_path / "target")
    came = imported(there, tmp_path / "a.tar")

    assert came.problems == []
    assert there.current(SCOPE, "BOOTSTRAP.md") == ""
    assert there.describe(SCOPE, "BOOTSTRAP.md")["metadata"] == OWN


@pytest.mark.parametrize("dry_run", [True, False])
def test_metadata_that_no_write_may_lay_over_are_named(
    host: NativeHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dry_run: bool
) -> None:
    """Of a blank document, of a transcript and of one named like a word; the text comes in."""
    texts = {"blank.md": " \n", "memory": "mine\n", "threads/t/r.md": "## user\nHello\n"}
    for path, text in texts.items():
        (host.root / path).parent.mkdir(parents=True, exist_ok=True)
        (host.root / path).write_text(text)
    with monkeypatch.context() as patched:
        patched.setattr(NativeHost, "describe", lambda *_: {"metadata": OWN})
        exported(host, tmp_path / "a.tar")
    there = NativeHost(tmp_path / "target")
    came = imported(there, tmp_path / "a.tar", dry_run=dry_run)

    assert came.written == sorted([*texts, "kept.md"])
    assert [(p.path, p.code) for p in came.problems] == [
        (path, "metadata-left-out") for path in texts
    ]
    if not dry_run:
        assert {path: there.current(SCOPE, path) for path in texts} == texts
        assert there.describe(SCOPE, "kept.md")["metadata"] == OWN
