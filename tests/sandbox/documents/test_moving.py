"""A scope goes out and comes in elsewhere through the sandbox, with what was deleted in it."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.sandbox.documents.subject import SCOPE, documents_of

from ironclaw_memory import MemoryHost, Scope
from ironclaw_memory.errors import OperationFailed
from ironclaw_memory.portability.exporting import export_scope
from ironclaw_memory.portability.importing import import_archive
from ironclaw_memory.portability.reading import opened
from ironclaw_memory.portability.report import ImportReport


pytestmark = pytest.mark.sandbox

ELSEWHERE = Scope(tenant="acme", user="bob", project="p")
GONE = ("by hand.md", "notes/by-tool.md")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[MemoryHost]:
    """A host with one document that is there and two that are gone."""
    with MemoryHost.open(root=tmp_path / "root") as opened:
        for path in ("kept.md", *GONE):
            for text in ("one\n", "secret\n", "three\n"):
                fields = {"target": path, "content": text, "append": False}
                opened.call_as_operator("ironclaw.memory.write", fields, scope=SCOPE)
        opened.erase(SCOPE, GONE[1], 2)
        opened.delete(SCOPE, GONE[1])
        (documents_of(tmp_path / "root") / GONE[0]).unlink()
        yield opened


def moved(host: MemoryHost, file: Path) -> ImportReport:
    """Export the scope and import it elsewhere."""
    if not file.exists():
        with file.open("wb") as out:
            report = export_scope(host, SCOPE, out, progress=lambda *_: None, now_ms=5)
        assert (report.documents, report.deleted, report.problems) == (1, 2, [])
    with opened(file) as archive:
        return import_archive(
            host, ELSEWHERE, archive, dry_run=False, progress=lambda *_: None, now_ms=5
        )


def test_what_was_deleted_moves_with_its_history(host: MemoryHost, tmp_path: Path) -> None:
    """Absent as before, with an equal history; restored from it; erased for good; twice as once."""
    came = moved(host, tmp_path / "a.tar")

    assert (came.written, came.deleted, came.problems) == (["kept.md"], list(GONE), [])
    assert host.deleted(ELSEWHERE) == host.deleted(SCOPE) == GONE
    for path in ("kept.md", *GONE):
        assert host.history(ELSEWHERE, path) == host.history(SCOPE, path)
    with pytest.raises(OperationFailed) as refused:
        host.version(ELSEWHERE, GONE[1], 2)
    assert refused.value.code == "version-erased"
    again = moved(host, tmp_path / "a.tar")
    assert (again.written, again.versions, again.problems) == ([], 0, [])

    assert host.restore(ELSEWHERE, GONE[0], 2).size == len("secret\n")
    assert host.restore(ELSEWHERE, GONE[1], 3).size == len("three\n")
    assert host.current(ELSEWHERE, GONE[0]) == "secret\n"
    assert host.deleted(ELSEWHERE) == ()


def test_nothing_becomes_a_transcript_by_its_name(host: MemoryHost, tmp_path: Path) -> None:
    """The operator may not either; an archive brings its transcripts in."""
    with pytest.raises(OperationFailed) as refused:
        host.rename(SCOPE, "kept.md", "Threads/t1/r1.md")
    assert refused.value.code == "threads-reserved"
    assert refused.value.message.startswith("to 'Threads/t1/r1.md' is in threads/")
    assert list(host.documents(SCOPE)) == ["kept.md"]

    spoken = replace(SCOPE, thread="t1")
    host.record_interaction(spoken, messages=[{"role": "user", "content": "hi"}], run_id="r1")
    with (tmp_path / "a.tar").open("wb") as out:
        export_scope(host, SCOPE, out, progress=lambda *_: None, now_ms=5)
    assert moved(host, tmp_path / "a.tar").written == ["kept.md", "threads/t1/r1.md"]


def test_a_history_that_nobody_deleted_is_no_deleted_document(host: MemoryHost) -> None:
    """What was erased as a whole is not listed, and neither is an empty scope's nothing."""
    host.erase(SCOPE, GONE[1])
    host.restore(SCOPE, GONE[0], 1)

    assert host.deleted(SCOPE) == ()
    assert host.deleted(ELSEWHERE) == ()


def test_a_directory_that_only_looks_like_the_providers_is_documents(
    host: MemoryHost, tmp_path: Path
) -> None:
    """The provider's own is at the root; one below is a directory like any other."""
    path = "notes/.store/x.md"
    fields = {"target": path, "content": "x", "append": False}
    host.call_as_operator("ironclaw.memory.write", fields, scope=ELSEWHERE)
    assert list(host.documents(ELSEWHERE)) == [path]
    with (tmp_path / "a.tar").open("wb") as out:
        report = export_scope(host, ELSEWHERE, out, progress=lambda *_: None, now_ms=5)
    assert (report.documents, report.problems) == (1, [])
    with opened(tmp_path / "a.tar") as archive:
        assert list(archive.paths()) == [path]


def test_metadata_of_an_emptied_bootstrap_document_come_in(
    host: MemoryHost, tmp_path: Path
) -> None:
    """The word that empties it takes them through the whole host."""
    fields = {"target": "bootstrap", "metadata": {"mine": 1}}
    host.call_as_operator("ironclaw.memory.write", fields, scope=SCOPE)
    with (tmp_path / "a.tar").open("wb") as out:
        export_scope(host, SCOPE, out, progress=lambda *_: None, now_ms=5)
    assert moved(host, tmp_path / "a.tar").problems == []
    assert host.current(ELSEWHERE, "BOOTSTRAP.md") == ""
    assert host.describe(ELSEWHERE, "BOOTSTRAP.md")["metadata"] == {"mine": 1}


def test_what_is_too_large_to_be_kept_stops_no_sweep_and_can_be_erased(
    host: MemoryHost, tmp_path: Path
) -> None:
    """A file of 5 MiB that somebody dropped there; the refusal to read or delete it names it."""
    folder = documents_of(tmp_path / "root")
    hygiene = {"hygiene": {"enabled": True, "retention_days": 1}}
    fields = {"target": ".config", "content": "{}", "append": False, "metadata": hygiene}
    host.call_as_operator("ironclaw.memory.write", fields, scope=SCOPE)
    (folder / "large.md").write_bytes(b"x\n" * (5 << 19))
    (folder / "z.md").write_text("old\n")
    for name in ("kept.md", "large.md", "z.md"):
        os.utime(folder / name, (0, 0))

    dry = host.sweep(SCOPE, dry_run=True)
    assert (dry.documents, dry.left) == (("kept.md", "z.md"), ("large.md",))
    assert host.sweep(SCOPE, dry_run=False) == dry
    for act in (host.current, host.delete):
        with pytest.raises(OperationFailed, match=r"'large\.md' is larger than 4 MiB") as refused:
            act(SCOPE, "large.md")
        assert refused.value.code == "body-too-large"
    assert host.erase(SCOPE, "large.md").document
    assert not (folder / "large.md").exists()
