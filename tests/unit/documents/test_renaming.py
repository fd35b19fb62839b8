"""A rename that cannot be carried out changes nothing and keeps nothing else from being served."""

import errno
import json
import os
import pathlib
from collections.abc import Callable
from contextlib import suppress

import pytest
from tests.unit.documents.acts import bodies, folder, replace, write
from tests.unit.documents.fakes import World

from memory_native.documents import Documents
from memory_native.failures import MemoryFailure
from memory_native.limits import READ_BYTES
from memory_native.upkeep import Upkeep


JOURNAL = ".store/rename.json"
COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"
PLANTED = [
    b"",
    b"[]",
    b"{",
    b"\xff",
    b"[" * 100_000,
    b'{"path": 1, "to": "x.md"}',
    *(
        json.dumps({"path": path, "name": path, "to": to}).encode()
        for path, to in [
            ("notes.md", "notes.md"),
            ("notes.md", "other.md"),
            ("notes.md", "memory.md"),
            ("notes.md", "gone.md"),
            ("notes.md", "other.md/x.md"),
            ("notes.md", "absent/x.md"),
            ("notes.md", "link/x.md"),
            ("notes.md", "../outside.md"),
            ("notes.md", "/tmp/outside.md"),
            ("notes.md", ".store/format"),
            ("notes.md", "threads/t1/r1.md"),
            ("notes.md", "daily"),
            ("notes.md", "x\ud800.md"),
            ("notes.md", f"{'x' * 256}.md"),
            ("../outside.md", "x.md"),
            (".store/format", "x.md"),
            ("deep", "x.md"),
            ("link", "x.md"),
            ("gone.md", "other.md"),
        ]
    ),
]


class _KilledError(BaseException):
    """The process ends here."""


def _fail(patched: pytest.MonkeyPatch, call: str, nth: int, error: BaseException) -> None:
    """Let the *nth* use of a call of the system end in *error*, and every later one of it."""
    calls, real = iter(range(1, 1000)), getattr(os, call)

    def failing(*arguments: object, **named: object) -> object:
        if next(calls) >= nth:
            raise error
        return real(*arguments, **named)

    patched.setattr(os, call, failing)


def _refuse_in(patched: pytest.MonkeyPatch, directory: str) -> None:
    """Let nothing be added to or taken from *directory*, as if its mode were 0555; root could."""
    for call in ("link", "rename", "replace", "unlink", "rmdir", "mkdir"):
        real = getattr(os, call)

        def refusing(*names: str, real: Callable[..., object] = real, **named: object) -> object:
            if any(str(name).rpartition("/")[0] == directory for name in names):
                raise PermissionError(errno.EACCES, "denied")
            return real(*names, **named)

        patched.setattr(os, call, refusing)


def _killed_rename(upkeep: Upkeep, path: str, to: str, *, call: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        _fail(patched, call, 1, _KilledError())
        with pytest.raises(_KilledError):
            upkeep.rename(path, to)


def _is_served(world: World) -> bool:
    """Tell whether a new instance writes, indexes and has nothing to mend."""
    documents = world.documents()
    upkeep = Upkeep(documents)
    assert write(documents, "served.md", "x").endswith("x\n")
    assert upkeep.refresh([], everything=True, budget_ms=1000).remaining == 0
    assert world.index.texts()["served.md"].endswith("x\n")
    return not pathlib.Path(world.root, JOURNAL).exists()


@pytest.mark.parametrize(
    ("path", "to", "shut"),
    [
        ("notes.md", "shut/x.md", "shut"),
        ("shut/a.md", "b.md", "shut"),
        ("shut/a.md", "n/b.md", "shut"),
    ],
)
def test_a_directory_that_may_not_be_changed_leaves_everything_as_before(
    world: World, upkeep: Upkeep, disk: pathlib.Path, path: str, to: str, shut: str
) -> None:
    """Into it and out of it: no second copy, no journal, the history at the old name."""
    documents = world.documents()
    for name in ("notes.md", "shut/a.md"):
        replace(documents, "one", path=name)
        replace(documents, "two", path=name)
    before = folder(disk)

    with pytest.MonkeyPatch.context() as patched:
        _refuse_in(patched, f"{world.root}/{shut}")
        with pytest.raises(MemoryFailure, match="storage-failed"):
            upkeep.rename(path, to)
        assert folder(disk) == before
        assert _is_served(world)
    assert bodies(upkeep, path) == ["one"]
    assert upkeep.rename(path, to).path == to
    assert bodies(upkeep, to) == ["one"]


@pytest.mark.parametrize(
    ("call", "nth"),
    [
        *((call, nth) for call in ("link", "rename", "mkdir") for nth in (1, 2)),
        *((call, nth) for call in ("unlink", "replace", "write") for nth in (1, 2, 3, 4)),
        *(("fsync", nth) for nth in range(1, 11)),
    ],
)
def test_a_rename_that_fails_leaves_the_document_its_history_and_its_metadata(
    world: World, documents: Documents, disk: pathlib.Path, call: str, nth: int
) -> None:
    """Whichever step fails for good; what was moved is moved back as far as the disk lets it."""
    upkeep = Upkeep(documents)
    replace(documents, "one", path="a/notes.md", metadata='{"tag": 1}')
    replace(documents, "two", path="a/notes.md")
    before = folder(disk)
    refused = False
    refused = False
    with pytest.MonkeyPatch.context() as patched:
        _fail(patched, call, nth, OSError(errno.ENOSPC, "full"))
        try:
            upkeep.rename("a/notes.md", "b/notes.md")
        except MemoryFailure as failure:
            refused = failure.code == "storage-failed"
    after = folder(disk)

    assert _is_served(world)
    names = [name for name in ("a", "b") if (disk / name / "notes.md").exists()]
    if not refused:
        assert names == ["b"]
    elif call != "unlink":  # a link that cannot be taken back stays
        assert names == ["a"]
        assert after == before
    assert documents.read(f"{names[0]}/notes.md").content == "two"
    assert bodies(upkeep, f"{names[0]}/notes.md") == ["one"]
    assert '"tag":1' in upkeep.describe(f"{names[0]}/notes.md")


def test_a_name_that_is_taken_during_a_rename_is_left_to_who_took_it(
    world: World, upkeep: Upkeep, disk: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither document is lost, and the caller learns which name it was."""
    documents = world.documents()
    replace(documents, "mine")
    real = os.link

    def late(source: str, target: str) -> None:
        pathlib.Path(target).write_text("theirs")
        real(source, target)

    monkeypatch.setattr(os, "link", late)
    with pytest.raises(MemoryFailure, match="name-taken") as refused:
        upkeep.rename("notes.md", "new/x.md")
    assert refused.value.field == "to"
    assert folder(disk) == {
        str(disk / "notes.md"): b"mine",
        str(disk / "new"): None,
        str(disk / "new/x.md"): b"theirs",
    }
    assert _is_served(world)


def test_a_killed_rename_of_a_file_too_large_to_read_is_finished(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Two names of one file are known by the file, which nobody reads for that."""
    write(documents, "notes.md", "one")
    (disk / "big.md").write_bytes(b"x\n" * (READ_BYTES // 2 + 1))
    _killed_rename(upkeep, "big.md", "old/big.md", call="unlink")
    assert (disk / "big.md").samefile(disk / "old/big.md")

    assert _is_served(world)
    assert not (disk / "big.md").exists()
    assert (disk / "old/big.md").stat().st_nlink == 1


def _make_way(place: pathlib.Path) -> None:
    place.parent.rmdir()


def _directory(place: pathlib.Path) -> None:
    place.mkdir()
    (place / "x.md").write_text("x")


def _link_to(place: pathlib.Path) -> None:
    place.symlink_to("../notes.md")


def _other(place: pathlib.Path) -> None:
    place.write_text("two")


def _link_above(place: pathlib.Path) -> None:
    place.parent.rmdir()
    place.parent.symlink_to(".")


@pytest.mark.parametrize("repair", [False, True])
@pytest.mark.parametrize("come_between", [_make_way, _directory, _link_to, _other, _link_above])
def test_a_killed_rename_is_given_up_where_something_came_between(
    world: World,
    documents: Documents,
    disk: pathlib.Path,
    come_between: Callable[[pathlib.Path], None],
    repair: bool,
) -> None:
    """The document stays at its old name with its history; what stands at the new one stays."""
    upkeep = Upkeep(documents)
    replace(documents, "one")
    replace(documents, "two")
    _killed_rename(upkeep, "notes.md", "archive/b.md", call="link")
    come_between(disk / "archive/b.md")
    between = folder(disk)

    if repair:
        assert ("rename-unfinished", True) in _findings(upkeep, repair=True)
        assert "rename-unfinished" not in dict(_findings(upkeep, repair=False))
        assert folder(disk) == between
    assert _is_served(world)
    assert documents.read("notes.md").content == "two"
    assert bodies(upkeep) == ["one"]
    assert folder(disk) == {**between, str(disk / "served.md"): b"x\n"}


def _findings(upkeep: Upkeep, *, repair: bool) -> list[tuple[str, bool]]:
    report = json.loads(upkeep.check(repair=repair))
    return [(one["code"], one["repaired"]) for one in report["findings"]]


def test_a_killed_rename_is_given_up_where_the_old_name_cannot_be_taken_away(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Its second name is taken back."""
    replace(documents, "one", path="shut/a.md")
    _killed_rename(upkeep, "shut/a.md", "b.md", call="unlink")
    with pytest.MonkeyPatch.context() as patched:
        _refuse_in(patched, f"{world.root}/shut")
        assert _is_served(world)
    assert not (disk / "b.md").exists()
    assert documents.read("shut/a.md").content == "one"


@pytest.mark.parametrize("content", PLANTED)
def test_a_journal_that_nobody_here_wrote_moves_nothing_and_is_dropped(
    world: World, documents: Documents, disk: pathlib.Path, content: bytes
) -> None:
    """Not JSON, no legal paths, names that are taken: every document and history stays."""
    upkeep = Upkeep(documents)
    outside = disk.parent / "outside.md"
    outside.write_text("outside")
    for path in ("notes.md", "other.md", "gone.md", "deep/x.md"):
        replace(documents, f"one of {path}", path=path)
        replace(documents, f"two of {path}", path=path)
    upkeep.delete("gone.md")
    (disk / "link").symlink_to(disk.parent)
    before = folder(disk)
    (disk / JOURNAL).write_bytes(content)

    assert _is_served(world)
    assert folder(disk) == {**before, str(disk / "served.md"): b"x\n"}
    assert bodies(upkeep) == ["one of notes.md"]
    assert bodies(upkeep, "other.md") == ["one of other.md"]
    assert bodies(upkeep, "gone.md") == ["one of gone.md", "two of gone.md"]
    assert outside.read_text() == "outside"


@pytest.mark.parametrize("text", ["a fact", "poison"])
def test_a_journal_moves_no_text_into_a_prompt_unscreened(
    world: World, documents: Documents, disk: pathlib.Path, text: str
) -> None:
    """Whoever wrote it: a text that may not stand there stays, any other is moved."""
    write(documents, "notes.md", "one")
    (disk / "notes.md").write_text(text)
    (disk / JOURNAL).write_text('{"path": "notes.md", "to": "MEMORY.md"}')
    assert _is_served(world)
    assert (disk / "MEMORY.md").exists() is (text != "poison")
    assert (disk / "notes.md").exists() is (text == "poison")


def test_a_journal_that_is_no_file_keeps_nothing_from_being_served(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """A FIFO is not waited for, a link is not followed, a directory is reported."""
    write(documents, "notes.md", "one")
    os.mkfifo(disk / JOURNAL)
    assert _is_served(world)
    (disk / JOURNAL).symlink_to(disk / "notes.md")
    assert _is_served(world)
    (disk / JOURNAL).mkdir()
    with suppress(AssertionError):
        _is_served(world)
    assert write(world.documents(), "notes.md", "two") == "one\ntwo\n"
    assert ("rename-unfinished", False) in _findings(upkeep, repair=True)
    with pytest.raises(MemoryFailure, match="storage-failed"):
        upkeep.rename("notes.md", "new/x.md")
    assert not (disk / "new").exists()


def test_metadata_go_along_where_a_repair_finishes_a_rename(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """What is listed is listed after the document has moved, else they would be orphans."""
    replace(documents, "one", metadata='{"tag": 1}')
    _killed_rename(upkeep, "notes.md", "x.md", call="link")

    assert ("rename-unfinished", False) in _findings(upkeep, repair=False)
    assert (disk / JOURNAL).exists()
    assert "sidecar-orphan" not in dict(_findings(upkeep, repair=True))
    assert '"tag":1' in upkeep.describe("x.md")


@pytest.mark.parametrize("path", ["todo.md", f"{COMPOSED}/todo.md"])
@pytest.mark.parametrize("is_killed", [False, True])
def test_a_decomposed_directory_takes_a_renamed_document_in(
    world: World, documents: Documents, disk: pathlib.Path, path: str, is_killed: bool
) -> None:
    """No second directory in composed form hides those that are there."""
    upkeep = Upkeep(documents)
    (disk / DECOMPOSED).mkdir()
    (disk / DECOMPOSED / "menu.md").write_text("espresso")
    replace(documents, "one", path=path)
    to = f"{COMPOSED}/{COMPOSED}/list.md"
    if is_killed:
        _killed_rename(upkeep, path, to, call="link")
        assert _is_served(world)
    else:
        upkeep.rename(path, to)

    assert {entry.name for entry in disk.iterdir()} <= {".store", DECOMPOSED, "served.md"}
    assert (disk / DECOMPOSED / COMPOSED / "list.md").read_text() == "one"
    assert documents.read(f"{COMPOSED}/menu.md").content == "espresso"
    assert documents.read(to).content == "one"
