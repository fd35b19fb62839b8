"""What cannot be read is said to be that, and keeps nothing else from being read."""

import errno
import json
import os
import pathlib

import pytest
from tests.unit.documents.acts import write
from tests.unit.documents.fakes import FakeHost, World

from memory_native.documents import Documents, WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.limits import READ_BYTES
from memory_native.provider import Provider
from memory_native.requests import LaneRequest
from memory_native.store import key
from memory_native.upkeep import Upkeep, sweeping


def deny(monkeypatch: pytest.MonkeyPatch, *calls: str, part: str) -> None:
    """Let *calls* of the system fail on names with *part*, as after ``chmod 000``; root could read."""
    for call in calls:
        real = getattr(os, call)

        def refusing(path: str, *rest: object, real: object = real) -> object:
            if part in str(path):
                raise PermissionError(errno.EACCES, "denied")
            return real(path, *rest)  # type: ignore[operator]

        monkeypatch.setattr(os, call, refusing)


@pytest.fixture
def documents(world: World) -> Documents:
    """Two directories with one document each; the first has a history."""
    documents = world.documents()
    for path in ("shut/a.md", "shut/a.md", "open/b.md", "MEMORY.md"):
        write(documents, path, "one")
    return documents


@pytest.mark.parametrize(
    ("calls", "part"), [(["open"], "shut/a.md"), (["lstat", "scandir"], "shut/")]
)
def test_a_document_or_its_directory_cannot_be_read(
    documents: Documents, monkeypatch: pytest.MonkeyPatch, calls: list[str], part: str
) -> None:
    """A read does not speak of storing, and others are served."""
    upkeep = Upkeep(documents)
    with monkeypatch.context() as patched:
        deny(patched, *calls, part=part)
        for refused in (documents.read, upkeep.history, upkeep.describe):
            with pytest.raises(MemoryFailure, match="document-unreadable"):
                refused("shut/a.md")
        assert documents.read("open/b.md").content == "one\n"
        assert upkeep.history("open/b.md").versions == ()
        assert upkeep.deleted(None).paths == ()
        assert upkeep.refresh([], everything=True, budget_ms=1000).remaining == 0
        assert json.loads(upkeep.check(repair=False))["documents"] >= 2
    assert documents.read("shut/a.md").content == "one\none\n"


@pytest.mark.parametrize("shut", ["unreadable", "not-text"])
def test_a_standing_document_that_cannot_be_read_is_named_and_the_others_are_recalled(
    disk: pathlib.Path, monkeypatch: pytest.MonkeyPatch, shut: str
) -> None:
    """Its chunks alone are missing, and a check says why, though the index has seen it."""
    provider = Provider(str(disk), FakeHost())
    for path in ("MEMORY.md", "notes.md"):
        provider.write(WriteRequest(target=path, content=f"{path} speaks of tea"))
    asked = LaneRequest(query="tea", max_snippets=8)
    recalled = [snippet.path for snippet in provider.read_long_term(asked).snippets]
    if shut == "unreadable":
        deny(monkeypatch, "open", part="MEMORY.md")
    else:
        times = (disk / "MEMORY.md").stat()
        size = times.st_size
        (disk / "MEMORY.md").write_bytes(b"\xff" * size)
        os.utime(disk / "MEMORY.md", ns=(times.st_atime_ns, times.st_mtime_ns))
    left = [snippet.path for snippet in provider.read_long_term(asked).snippets]
    findings = json.loads(provider.upkeep.check(repair=False))["findings"]

    assert (recalled, left) == (["MEMORY.md", "notes.md"], ["notes.md"])
    assert {"code": shut, "path": "MEMORY.md", "repaired": False} in findings


def test_a_directory_is_no_document(documents: Documents) -> None:
    """The one who asked named the wrong thing."""
    with pytest.raises(MemoryFailure, match="is-a-directory") as refused:
        documents.read("shut")
    assert (refused.value.kind.value, refused.value.field) == ("input", "path")


@pytest.mark.parametrize("repair", [False, True])
def test_mending_spares_the_metadata_of_what_cannot_be_listed(
    world: World, monkeypatch: pytest.MonkeyPatch, repair: bool
) -> None:
    """A directory that is closed for a while is not one whose documents are gone."""
    documents = world.documents()
    write(documents, "shut/a.md", "one", metadata='{"skip_indexing": true}')
    write(documents, "open/b.md", "one")
    kept = sorted(pathlib.Path(documents.store.metadata).rglob("*"))
    assert kept
    with monkeypatch.context() as patched:
        deny(patched, "lstat", "scandir", part="/shut")
        report = json.loads(Upkeep(documents).check(repair=repair))
    found = {(finding["code"], finding["path"]) for finding in report["findings"]}
    assert ("directory-unreadable", "shut") in found
    assert not {code for code, _ in found} & {"sidecar-orphan", "name-not-utf8"}
    assert sorted(pathlib.Path(documents.store.metadata).rglob("*")) == kept


@pytest.fixture
def large(documents: Documents, disk: pathlib.Path) -> str:
    """Put a file by hand beside the documents, larger than any that is read."""
    (disk / "open/large.md").write_bytes(b"x" * (READ_BYTES + 1))
    return "open/large.md"


def test_a_document_too_large_to_be_kept_cannot_be_deleted_but_erased(
    documents: Documents, disk: pathlib.Path, large: str
) -> None:
    """A deleted one could not be restored; the caller wanted to store nothing."""
    upkeep = Upkeep(documents)
    with pytest.raises(MemoryFailure, match="body-too-large") as refused:
        upkeep.delete(large)
    assert (refused.value.kind.value, (disk / large).exists()) == ("operation", True)
    assert upkeep.erase(large).document
    assert not (disk / large).exists()


@pytest.mark.parametrize("fields", [{"append": False}, {"old_string": "x", "new_string": "y"}])
def test_a_document_too_large_to_be_kept_is_not_replaced(
    documents: Documents, large: str, fields: dict[str, object]
) -> None:
    """Whatever the new text: it is the old one that is too large."""
    with pytest.raises(MemoryFailure, match="body-too-large"):
        write(documents, large, "small", **fields)


@pytest.fixture
def past(documents: Documents, disk: pathlib.Path) -> None:
    """Let retention have passed for what is in both directories."""
    write(
        documents, ".config", "{}", metadata='{"hygiene": {"enabled": true, "retention_days": 1}}'
    )
    for path in disk.glob("*/*.md"):
        os.utime(path, ns=(0, 0))


@pytest.mark.usefixtures("large", "past")
def test_a_sweep_goes_on_past_what_it_cannot_remove(
    documents: Documents, monkeypatch: pytest.MonkeyPatch, disk: pathlib.Path
) -> None:
    """Too large to be kept, or not to be read; a dry run promises neither."""
    (disk / "zoo").mkdir()
    for name in ("open/m.md", "zoo/z.md"):
        (disk / name).write_text("old")
        os.utime(disk / name, ns=(0, 0))
    upkeep = Upkeep(documents)
    deny(monkeypatch, "open", part="shut/a.md")
    dry = upkeep.sweep(dry_run=True)

    assert dry.documents == ("open/b.md", "open/m.md", "zoo/z.md")
    assert (dry.left, dry.more_left) == (("open/large.md", "shut/a.md"), False)
    assert upkeep.sweep(dry_run=False) == dry
    assert sorted(p.relative_to(disk).as_posix() for p in disk.glob("*/*.md")) == [
        "open/large.md",
        "shut/a.md",
    ]
    assert upkeep.sweep(dry_run=False).documents == ()


@pytest.mark.usefixtures("past")
def test_a_sweep_that_can_remove_nothing_at_all_fails(
    documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full or read-only disk does not look like a scope in which nothing is old."""
    upkeep = Upkeep(documents)
    with monkeypatch.context() as patched:
        deny(patched, "unlink", part=".md")
        with pytest.raises(MemoryFailure, match="storage-failed"):
            upkeep.sweep(dry_run=False)
    with monkeypatch.context() as patched:
        deny(patched, "unlink", part="open/b.md")
        report = upkeep.sweep(dry_run=False)
    assert (report.documents, report.left) == (("shut/a.md",), ("open/b.md",))
    assert documents.read("open/b.md").content == "one\n"


@pytest.mark.parametrize("damage", ["damaged", "unreadable"])
@pytest.mark.parametrize("path", ["open/b.md", ".config"])
@pytest.mark.usefixtures("past")
def test_a_sweep_leaves_and_names_documents_whose_metadata_cannot_be_read(
    documents: Documents, monkeypatch: pytest.MonkeyPatch, damage: str, path: str
) -> None:
    """They may say that it is to be kept; those of a `.config` speak for all below it."""
    write(documents, "open/b.md", "one", metadata='{"hygiene": {"enabled": false}}')
    write(documents, "open/young.md", "one")
    os.utime(pathlib.Path(documents.root, "open/b.md"), ns=(0, 0))
    file = f"{key(path)}.json"
    if damage == "damaged":
        pathlib.Path(documents.store.metadata, file).write_bytes(b"?")
    else:
        deny(monkeypatch, "open", part=file)
    upkeep = Upkeep(documents)
    dry = upkeep.sweep(dry_run=True)

    gone = ("shut/a.md",) if path == "open/b.md" else ()
    left = ("open/b.md",) if gone else ("open/b.md", "shut/a.md")
    assert (dry.documents, dry.left) == (gone, left)
    assert upkeep.sweep(dry_run=False) == dry


@pytest.mark.usefixtures("past")
def test_a_sweep_leaves_and_names_what_is_below_a_config_that_nobody_understands(
    documents: Documents, disk: pathlib.Path
) -> None:
    """A rule that keeps it may be meant."""
    (disk / ".config").write_text('{"hygiene": {"enabled": fasle}}')
    report = Upkeep(documents).sweep(dry_run=False)

    assert (report.documents, report.left) == ((), ("open/b.md", "shut/a.md"))


@pytest.mark.usefixtures("past")
def test_a_sweep_names_no_document_that_is_gone(
    documents: Documents, disk: pathlib.Path, world: World
) -> None:
    """Its damaged metadata keep its history, and nothing stands there that was left."""
    write(documents, "open/gone.md", "one", metadata='{"tag": 1}')
    Upkeep(documents).delete("open/gone.md")
    pathlib.Path(documents.store.metadata, f"{key('open/gone.md')}.json").write_bytes(b"?")
    world.host.unix_ms += 90 * 86_400_000
    report = Upkeep(documents).sweep(dry_run=False)

    assert "open/gone.md" not in report.left
    assert Upkeep(documents).history("open/gone.md").versions


@pytest.mark.parametrize("bound", ["LEFT_PATHS", "LEFT_BYTES"])
@pytest.mark.usefixtures("large", "past")
def test_a_sweep_names_no_more_than_a_reply_has_room_for(
    documents: Documents, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    """The first by path, and it says that there are more."""
    deny(monkeypatch, "open", part="shut/a.md")
    monkeypatch.setattr(sweeping, bound, {"LEFT_PATHS": 1, "LEFT_BYTES": 21}[bound])
    report = Upkeep(documents).sweep(dry_run=True)

    assert (report.left, report.more_left) == (("open/large.md",), True)
