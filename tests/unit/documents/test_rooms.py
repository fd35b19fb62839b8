"""A file or a link where the store has a directory of its own."""

import json
import pathlib
import shutil

import pytest
from tests.unit.documents.fakes import FakeHost

from memory_native.documents import WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.provider import Provider
from memory_native.requests import SearchRequest


@pytest.fixture
def provider(tmp_path: pathlib.Path) -> Provider:
    """Return a provider whose scope holds one document."""
    provider = _provider(tmp_path)
    _write(provider, "one")
    return provider


def _provider(root: pathlib.Path) -> Provider:
    provider = Provider(str(root), FakeHost())
    provider.upkeep.refresh([], everything=True, budget_ms=1_000)
    return provider


def _write(provider: Provider, content: str) -> None:
    provider.write(WriteRequest(target="a.md", content=content, append=False))


def _findings(provider: Provider, *, repair: bool) -> set[tuple[str, str, bool]]:
    found = json.loads(provider.upkeep.check(repair=repair))["findings"]
    return {(one["code"], one["path"], one["repaired"]) for one in found}


@pytest.mark.parametrize("kind", ["file", "link"])
@pytest.mark.parametrize("room", ["index", "staging"])
def test_what_stands_where_something_derived_was_makes_way(
    provider: Provider, tmp_path: pathlib.Path, kind: str, room: str
) -> None:
    """A write is not stopped by it, and nothing is written through a link."""
    _put_in_place(tmp_path / ".store" / room, kind, tmp_path / "elsewhere")
    _write(Provider(str(tmp_path), FakeHost()), "two")
    provider = _provider(tmp_path)

    assert [hit.path for hit in provider.search(SearchRequest(query="two")).hits] == ["a.md"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "link"])
@pytest.mark.parametrize("room", ["versions", "meta"])
def test_what_stands_where_something_kept_was_stops_writing_until_it_is_mended(
    provider: Provider, tmp_path: pathlib.Path, room: str, kind: str
) -> None:
    """It is named, moved aside and lost to nobody."""
    _put_in_place(tmp_path / ".store" / room, kind, tmp_path / "elsewhere")
    later = Provider(str(tmp_path), FakeHost())

    with pytest.raises(MemoryFailure, match="store-damaged"):
        _write(later, "two")
    assert ("store-damaged", f".store/{room}", False) in _findings(provider, repair=False)
    assert ("store-damaged", f".store/{room}", True) in _findings(provider, repair=True)
    _write(later, "two")
    assert len(list((tmp_path / ".store").glob(f"{room}.*"))) == (kind == "file")


def test_an_index_that_became_a_file_while_it_was_served_fails_no_write(
    provider: Provider, tmp_path: pathlib.Path
) -> None:
    """What is written is found once the index was made anew."""
    _put_in_place(tmp_path / ".store" / "index", "file", tmp_path / "elsewhere")
    _write(provider, "two")
    provider.upkeep.refresh([], everything=True, budget_ms=1_000)
    assert [hit.path for hit in provider.search(SearchRequest(query="two")).hits] == ["a.md"]


def _put_in_place(room: pathlib.Path, kind: str, elsewhere: pathlib.Path) -> None:
    elsewhere.mkdir()
    shutil.rmtree(room)
    if kind == "link":
        room.symlink_to(elsewhere)
    else:
        room.write_text("a file")
