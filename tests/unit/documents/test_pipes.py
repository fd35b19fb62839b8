"""A FIFO in place of a file or directory of the store is looked at, and never opened."""

import json
import os
import pathlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from tests.unit.documents.acts import bodies, replace, write

from memory_native.documents import Documents
from memory_native.failures import MemoryFailure
from memory_native.upkeep import Upkeep


@pytest.fixture(autouse=True)
def _nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where the sandbox would wait: it opens what it lists, and has no flag against waiting."""

    def looking(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: str, *given: Any, **named: Any) -> Any:
            assert not pathlib.Path(path).is_fifo(), path
            return real(path, *given, **named)

        return call

    for name in ("open", "scandir"):
        monkeypatch.setattr(os, name, looking(getattr(os, name)))


@pytest.fixture
def kept(documents: Documents, disk: pathlib.Path) -> pathlib.Path:
    """Write a document that has a version and metadata; return its store."""
    replace(documents, "one", metadata='{"tag": 1}')
    replace(documents, "two")
    return disk / ".store"


def _to_fifo(place: pathlib.Path) -> None:
    place.rename(place.with_name("away"))
    os.mkfifo(place)


def _only(place: pathlib.Path, pattern: str) -> pathlib.Path:
    (found,) = place.glob(pattern)
    return found


def _codes(upkeep: Upkeep, *, repair: bool = False) -> list[str]:
    return [one["code"] for one in json.loads(upkeep.check(repair=repair))["findings"]]


def test_in_place_of_the_format_number_it_is_a_damaged_one(
    documents: Documents, upkeep: Upkeep, kept: pathlib.Path
) -> None:
    """Nobody knows which format the store has until somebody repairs it."""
    _to_fifo(kept / "format")
    with pytest.raises(MemoryFailure, match="format-damaged"):
        write(documents, "notes.md", "three")
    assert "format-damaged" in _codes(upkeep, repair=True)
    assert write(documents, "notes.md", "three") == "two\nthree\n"


def test_in_place_of_a_log_of_versions_it_gives_way(
    documents: Documents, upkeep: Upkeep, kept: pathlib.Path
) -> None:
    """There are no versions then, until the next write keeps one."""
    _to_fifo(_only(kept, "versions/*/rows"))
    _codes(upkeep)
    assert bodies(upkeep) == []
    assert write(documents, "notes.md", "three") == "two\nthree\n"
    assert bodies(upkeep) == ["two"]


def test_in_place_of_a_body_it_is_a_damaged_version(upkeep: Upkeep, kept: pathlib.Path) -> None:
    """The check names it."""
    _to_fifo(_only(kept, "versions/*/1"))
    with pytest.raises(MemoryFailure, match="version-damaged"):
        upkeep.version("notes.md", 1)
    assert "version-damaged" in _codes(upkeep)


def test_in_place_of_metadata_it_says_nothing(
    documents: Documents, upkeep: Upkeep, kept: pathlib.Path
) -> None:
    """It is found damaged, and new metadata take its place."""
    _to_fifo(_only(kept, "meta/*.json"))
    assert json.loads(upkeep.describe("notes.md"))["metadata"] == {}
    assert "sidecar-damaged" in _codes(upkeep)
    write(documents, "notes.md", "three", metadata='{"tag": 3}')
    assert json.loads(upkeep.describe("notes.md"))["metadata"] == {"tag": 3}


@pytest.mark.parametrize("name", ["versions", "meta", "versions/*"])
def test_in_place_of_a_room_it_is_not_listed(
    documents: Documents, upkeep: Upkeep, kept: pathlib.Path, name: str
) -> None:
    """A check, a sweep and an erasure come to an end, and the documents are read."""
    _to_fifo(_only(kept, name))
    _codes(upkeep)
    upkeep.sweep(dry_run=True)
    assert documents.read("notes.md").content == "two"
    with suppress(MemoryFailure):
        upkeep.erase("notes.md")


def test_in_place_of_the_store_it_is_not_listed(
    upkeep: Upkeep, documents: Documents, kept: pathlib.Path
) -> None:
    """Reading goes on, writing is refused."""
    _to_fifo(kept)
    _codes(upkeep)
    assert documents.read("notes.md").content == "two"
    with pytest.raises(MemoryFailure, match="storage-failed"):
        write(documents, "notes.md", "three")


def test_below_it_there_is_no_document(documents: Documents, disk: pathlib.Path) -> None:
    """Also where a name has to be looked for in every spelling."""
    os.mkfifo(disk / "pipe")
    with pytest.raises(MemoryFailure, match="not-a-document"):
        documents.read("pipe/caf\u00e9.md")


def test_in_place_of_a_directory_that_ruled_what_is_below_it_is_not_listed(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Its ``.config`` and what was below it went with it."""
    write(documents, "a/.config", "{}")
    write(documents, "a/notes.md", "one")
    (disk / "a").rename(disk / "b")
    os.mkfifo(disk / "a")
    assert upkeep.refresh(["a/.config"], everything=False, budget_ms=1000).removed == 2
