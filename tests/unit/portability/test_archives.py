"""A scope goes out and comes in again, whole, as often as one likes."""

import io
import tarfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from tests.unit.cli.fakes import FakeHost, version_row
from tests.unit.portability.archives import archive, entry
from tests.unit.portability.native import NativeHost

from ironclaw_memory.errors import OperationFailed, ScopeBusy
from ironclaw_memory.model import Scope
from ironclaw_memory.portability.exporting import export_scope
from ironclaw_memory.portability.importing import import_archive
from ironclaw_memory.portability.members import (
    BodyMember,
    DocumentMember,
    ManifestMember,
    Member,
    MetaMember,
    member_of,
    name_of,
)
from ironclaw_memory.portability.reading import opened
from ironclaw_memory.portability.report import ExportReport, ImportReport, Problem
from ironclaw_memory.scopes import Odd


ANN = Scope(tenant="acme", user="ann")
BOB = Scope(tenant="acme", user="bob", project="p")
WRITE = "ironclaw.memory.write"


def silent(done: int, total: int) -> None:
    """Show no progress."""


def exported(host: FakeHost, scope: Scope, file: Path) -> ExportReport:
    """Export *scope* to *file*."""
    with file.open("wb") as out:
        return export_scope(host, scope, out, progress=silent, now_ms=5)  # type: ignore[arg-type]


def imported(
    host: FakeHost | NativeHost, scope: Scope, file: Path, *, dry_run: bool = False
) -> ImportReport:
    """Import *file* into *scope*."""
    with opened(file) as found:
        return import_archive(
            host,  # type: ignore[arg-type]
            scope,
            found,
            dry_run=dry_run,
            progress=silent,
            now_ms=5,
        )


@pytest.fixture
def host() -> FakeHost:
    """A host with a scope worth keeping."""
    host = FakeHost()
    for content in ("one\n", "two\n", "three ü\n"):
        host.call_as_operator(
            WRITE, {"target": "notes/a b.md", "content": content, "append": False}, scope=ANN
        )
    host.metadata[ANN.axes(), "notes/a b.md"] = {"skip_indexing": True, "mine": [1]}
    host.erase(ANN, "notes/a b.md", 1)
    documents = host.provider.of(ANN)
    documents["threads/t1/r1.md"] = "## user\nHello\n"
    documents["empty.md"] = ""
    documents["crlf.md"] = "\ufeffone\r\ntwo\r\n"
    return host


def test_a_document_named_like_a_word_of_the_write_tool_stays_itself(
    host: FakeHost, tmp_path: Path
) -> None:
    """A person may have made it; a write would take it for MEMORY.md, or empty BOOTSTRAP.md."""
    odd = {"memory": "mine\n", "bootstrap": "steps\n", "Daily_Log": "day\n"}
    host.provider.of(ANN).update(odd)
    host.provider.of(BOB).update({"MEMORY.md": "a fact\n", "BOOTSTRAP.md": "first\n"})
    exported(host, ANN, tmp_path / "a.tar")
    imported(host, BOB, tmp_path / "a.tar")
    there = host.provider.of(BOB)
    assert {path: there[path] for path in odd} == odd
    assert (there["MEMORY.md"], there["BOOTSTRAP.md"]) == ("a fact\n", "first\n")


@pytest.mark.parametrize(
    "member",
    [
        ManifestMember(),
        DocumentMember("a/b.md"),
        MetaMember("a/b.md"),
        BodyMember("a/b.md", 12),
        BodyMember("versions/x.md", 1),
    ],
)
def test_a_name_and_its_meaning_are_inverse(member: Member) -> None:
    """Every member is found again under its name."""
    assert member_of(name_of(member)) == member


def test_a_scope_comes_back_whole(host: FakeHost, tmp_path: Path) -> None:
    """Documents byte for byte, metadata, versions and what was erased."""
    report = exported(host, ANN, tmp_path / "a.tar")
    assert (report.documents, report.versions, report.problems) == (4, 1, [])
    came = imported(host, BOB, tmp_path / "a.tar")
    assert came.problems == []
    assert host.provider.of(BOB) == host.provider.of(ANN)
    assert host.history(BOB, "notes/a b.md") == host.history(ANN, "notes/a b.md")
    assert host.version(BOB, "notes/a b.md", 2) == "two\n"
    assert host.metadata[BOB.axes(), "notes/a b.md"] == {"skip_indexing": True, "mine": [1]}


def test_documents_are_plain_files_in_the_tar(host: FakeHost, tmp_path: Path) -> None:
    """Any tar program can unpack them, and nothing tells who made it."""
    exported(host, ANN, tmp_path / "a.tar")
    with tarfile.open(tmp_path / "a.tar") as tar:
        member = tar.extractfile("documents/notes/a b.md")
        assert member is not None
        assert member.read() == "three ü\n".encode()
        assert tar.getnames()[0] == "manifest.json"
        assert {(header.uname, header.uid, header.mode) for header in tar} == {("", 0, 0o600)}


def test_an_import_can_be_repeated(host: FakeHost, tmp_path: Path) -> None:
    """The second time everything is there, and nothing changes."""
    exported(host, ANN, tmp_path / "a.tar")
    imported(host, BOB, tmp_path / "a.tar")
    asked = len(host.asked)
    again = imported(host, BOB, tmp_path / "a.tar")
    assert (again.written, again.versions, again.problems) == ([], 0, [])
    assert len(again.identical) == 4
    assert len(host.asked) == asked


def test_moving_on_and_on_adds_one_version_at_most(host: FakeHost, tmp_path: Path) -> None:
    """A transcript comes in as a version that is restored; there it is, the next time."""
    scopes = (ANN, BOB, *(Scope(tenant="acme", user=f"u{n}") for n in range(3)))
    for source, target in pairwise(scopes):
        exported(host, source, tmp_path / "a.tar")
        imported(host, target, tmp_path / "a.tar")
    for path in ("threads/t1/r1.md", "empty.md"):
        assert len(host.history(scopes[-1], path)) == 1
        assert host.provider.of(scopes[-1])[path] == host.provider.of(ANN)[path]


def test_an_interrupted_import_is_finished_by_the_same_command(
    host: FakeHost, tmp_path: Path
) -> None:
    """What came before the interruption is not written twice."""
    exported(host, ANN, tmp_path / "a.tar")
    host.failing = ScopeBusy("Busy.")
    with pytest.raises(ScopeBusy):
        imported(host, BOB, tmp_path / "a.tar")
    host.failing = None
    imported(host, BOB, tmp_path / "a.tar")
    assert host.provider.of(BOB) == host.provider.of(ANN)


def test_a_dry_run_writes_nothing(host: FakeHost, tmp_path: Path) -> None:
    """It says what would come."""
    exported(host, ANN, tmp_path / "a.tar")
    report = imported(host, BOB, tmp_path / "a.tar", dry_run=True)
    assert (len(report.written), host.provider.of(BOB)) == (4, {})
    assert host.kept.get((BOB.axes(), "notes/a b.md"), []) == []


def test_a_dry_run_says_what_the_provider_then_does(tmp_path: Path) -> None:
    """Of what is too large, below a document or a daily log, or where a directory is.

    What is refused is in nobody's way: of two that differ in case the second comes in.
    """
    native = NativeHost(tmp_path / "root")
    for path in ("old", "notes/a.md"):
        native.call_as_operator("write", {"target": path, "content": "tea"}, scope=BOB)
    documents = {"A.md": b"x" * (2 << 20)} | dict.fromkeys(
        ("a.md", "daily/2026-01-01.md/x.md", "notes", "notes/b.md", "new/d.md", "new", "old/c.md"),
        b"cha",
    )
    file = archive(
        tmp_path / "x.tar", [entry(f"documents/{path}", body) for path, body in documents.items()]
    )
    for dry_run in (True, False):
        report = imported(native, BOB, file, dry_run=dry_run)
        assert report.written == ["a.md", "new", "notes/b.md"]
        assert {problem.path: problem.code for problem in report.problems} == {
            "A.md": "document-too-large",
            "daily/2026-01-01.md/x.md": "path-kept",
            "notes": "is-a-directory",
            "new/d.md": "path-occupied",
            "old/c.md": "path-occupied",
        }


def test_another_text_is_left_alone_and_named(host: FakeHost, tmp_path: Path) -> None:
    """An import overwrites nothing."""
    exported(host, ANN, tmp_path / "a.tar")
    host.provider.of(BOB)["crlf.md"] = "mine\n"
    report = imported(host, BOB, tmp_path / "a.tar")
    assert [(p.path, p.code) for p in report.problems] == [("crlf.md", "differs")]
    assert host.provider.of(BOB)["crlf.md"] == "mine\n"


def test_what_one_document_lacks_ends_nothing(host: FakeHost, tmp_path: Path) -> None:
    """The rest comes, and the report names what did not."""
    meta = b'{"metadata": {}, "versions": [%s]}'
    row = b'{"number": 1, "hash": "sha256:0", "size": 3, "unix_ms": 1, "changed_by": "x", "erased": false}'
    file = archive(
        tmp_path / "a.tar",
        [
            entry("documents/bad.md", b"\xff"),
            entry("documents/lost.md", b"x"),
            entry("versions/lost.md.meta", meta % row),
            entry("documents/good.md", b"good\n"),
        ],
    )
    report = imported(host, BOB, file)
    assert [(p.path, p.code) for p in report.problems] == [
        ("bad.md", "not-text"),
        ("lost.md version 1", "version-missing"),
    ]
    assert host.provider.of(BOB) == {"good.md": "good\n", "lost.md": "x"}


def test_a_version_that_clashes_is_named(host: FakeHost, tmp_path: Path) -> None:
    """The scope's own history wins."""
    exported(host, ANN, tmp_path / "a.tar")
    host.provider.of(BOB)["notes/a b.md"] = "three ü\n"
    host.kept[BOB.axes(), "notes/a b.md"] = [(version_row("mine", number=2), "mine")]
    report = imported(host, BOB, tmp_path / "a.tar")
    assert [(p.path, p.code) for p in report.problems] == [
        ("notes/a b.md version 2", "version-taken")
    ]
    assert host.version(BOB, "notes/a b.md", 2) == "mine"


def test_what_ends_everything_is_raised_on_export(host: FakeHost) -> None:
    """A busy scope is not a problem of one document."""
    host.current = _raising(ScopeBusy("Busy."))  # type: ignore[method-assign]
    with pytest.raises(ScopeBusy):
        export_scope(host, ANN, io.BytesIO(), progress=silent, now_ms=0)  # type: ignore[arg-type]


def test_a_damaged_document_is_named_on_export(host: FakeHost) -> None:
    """The others still go out."""
    host.version = _raising(OperationFailed("Damaged.", code="version-damaged"))  # type: ignore[method-assign]
    report = export_scope(host, ANN, io.BytesIO(), progress=silent, now_ms=0)  # type: ignore[arg-type]
    assert [p.code for p in report.problems] == ["version-damaged"]
    assert report.documents == 4


def test_what_nobody_can_serve_is_named_on_export(host: FakeHost) -> None:
    """It is not in the listing, so nothing else would tell what the archive lacks."""
    odd = (
        Odd("bad\ufffd.md", "name"),
        Odd("e\u0301.md", "twin"),
        Odd("l.md", "link"),
        Odd("shut", "unreadable"),
    )
    host.left_out = lambda scope: odd  # type: ignore[method-assign]
    report = export_scope(host, ANN, io.BytesIO(), progress=silent, now_ms=0)  # type: ignore[arg-type]
    assert report.problems == [
        Problem(path="bad\ufffd.md", code="name-not-utf8"),
        Problem(path="e\u0301.md", code="path-repeated"),
        Problem(path="l.md", code="link"),
        Problem(path="shut", code="directory-unreadable"),
    ]
    assert report.documents == 4


def _raising(error: Exception) -> Callable[..., str]:
    def act(*_: object) -> str:
        raise error

    return act
