"""What cannot be read is said to be that, and keeps nothing else from being read."""

import errno
import json
import os
import pathlib

import pytest
from tests.unit.documents.acts import write
from tests.unit.documents.fakes import World

from memory_native import standing
from memory_native.documents import Documents
from memory_native.failures import MemoryFailure
from memory_native.upkeep import Upkeep


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


def test_a_standing_document_that_cannot_be_read_is_a_failure_of_its_lane(
    documents: Documents, disk: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise its owner would be told that there is nothing to recall."""
    del documents
    deny(monkeypatch, "open", part="MEMORY.md")
    with pytest.raises(MemoryFailure, match="document-unreadable"):
        standing.chunks(str(disk), budget=4)


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
