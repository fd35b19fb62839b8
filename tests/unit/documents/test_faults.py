"""Writes that meet an edit, a full disk, or another writer: all or nothing."""

import errno
import os
import pathlib

import pytest
from tests.unit.documents.acts import folder, write
from tests.unit.documents.fakes import World

from memory_native.documents import Documents, WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.upkeep import Upkeep


def test_an_edit_during_a_write_is_not_lost(world: World, disk: pathlib.Path) -> None:
    """The write starts again from what the editor left."""
    documents = world.documents()
    write(documents, "notes.md", "one")
    edits = iter(["one\nby hand 1\n", "one\nby hand 2\n"])

    def edit() -> None:
        if text := next(edits, ""):
            (disk / "notes.md").write_text(text)

    world.safety.on_screen = edit
    assert write(documents, "notes.md", "two") == "one\nby hand 2\ntwo\n"


def test_a_document_that_keeps_changing_is_a_conflict(world: World, disk: pathlib.Path) -> None:
    """After eight tries the write gives up with nothing changed by it."""
    documents = world.documents()
    write(documents, "notes.md", "one")

    def edit() -> None:
        with (disk / "notes.md").open("a") as file:
            file.write("by hand\n")

    world.safety.screened.clear()
    world.safety.on_screen = edit
    with pytest.raises(MemoryFailure, match="conflict"):
        write(documents, "notes.md", "two")
    assert (disk / "notes.md").read_text() == "one\n" + "by hand\n" * 8
    assert len(world.safety.screened) == 8


@pytest.mark.parametrize("target", ["old.md", "new/deep/x.md"])
@pytest.mark.parametrize("call", ["write", "fsync", "replace", "mkdir", "ftruncate"])
@pytest.mark.parametrize("nth", range(1, 7))
def test_a_full_disk_leaves_everything_as_before(
    world: World,
    disk: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    target: str,
    call: str,
    nth: int,
) -> None:
    """Whichever step fails before the replacement, documents and folders are what they were."""
    documents = world.documents()
    write(documents, "old.md", "one")
    write(documents, "old.md", "two")
    before = folder(disk)

    with monkeypatch.context() as patched:
        patched.setattr(os, call, _fails_at(getattr(os, call), nth))
        refused = _refused(documents, target)

    replaced = (disk / target).exists() and (disk / target).read_text() == "three"
    assert replaced or refused
    if not replaced:
        assert before == folder(disk)
    assert write(world.documents(), "old.md", "four").endswith("four\n")
    assert Upkeep(documents).version("old.md", 1).content == "one\n"


def _fails_at(real: object, nth: int) -> object:
    calls = iter(range(1, 1_000_000))

    def call(*arguments: object, **named: object) -> object:
        if next(calls) == nth:
            raise OSError(errno.ENOSPC, "full")
        return real(*arguments, **named)  # type: ignore[operator]

    return call


def _refused(documents: Documents, target: str) -> bool:
    try:
        documents.write(WriteRequest(target=target, content="three", append=False))
    except MemoryFailure as failure:
        return failure.code == "storage-failed"
    return False
