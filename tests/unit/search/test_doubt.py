"""What a writer does that was told not to trust the index, and what it finds in the index's place."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.unit.search.scope import IndexedScope, stamp

from memory_native.search import IndexReader, IndexUnusable, IndexWriter
from memory_native.search.passages import MOST_BYTES, searchable
from memory_native.search.schema import PAGE_BYTES


LINES = 400
TEXT = "\n".join(f"- remark {number} about tea and station{number}" for number in range(LINES))


@contextmanager
def doubting(scope: IndexedScope) -> Iterator[IndexWriter]:
    """Write without trust."""
    with IndexWriter(scope.directory, trusting=False) as writer:
        yield writer


def synced(scope: IndexedScope) -> None:
    """Index a document and have it on disk."""
    with IndexWriter(scope.directory) as writer:
        writer.put("a.md", TEXT, stamp(TEXT))
        writer.sync()


def pages_of(file: Path, table: str) -> list[int]:
    """Return the numbers of the pages of *table*, its root first."""
    with closing(sqlite3.connect(file)) as connection:
        query = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        return [row[0] for row in connection.execute(query, (table,))]


def test_what_was_synced_is_kept(scope: IndexedScope) -> None:
    """A look over everything costs no rebuild then."""
    synced(scope)
    with doubting(scope) as writer:
        assert not writer.rebuild_needed
        assert set(writer.stamps()) == {"a.md"}


def test_what_was_not_synced_may_be_half_after_a_power_cut(scope: IndexedScope) -> None:
    """So it is built again, once; whoever trusts goes on with it."""
    synced(scope)
    scope.put("b.md", "tea\n")
    with IndexWriter(scope.directory) as writer:
        assert not writer.rebuild_needed
    with doubting(scope) as writer:
        assert writer.rebuild_needed
        assert writer.stamps() == {}
        writer.put("b.md", "tea\n", stamp("tea\n"))
        writer.sync()
    with doubting(scope) as writer:
        assert set(writer.stamps()) == {"b.md"}


def test_a_rebuild_without_trust_goes_on_in_another_call(scope: IndexedScope) -> None:
    """What it has put so far is synced; else each call would begin anew."""
    scope.put("old.md", TEXT)
    for path in ("a.md", "b.md", "c.md"):
        with doubting(scope) as writer:
            writer.put(path, "tea\n", stamp("tea\n"))
            writer.continue_later()
    with doubting(scope) as writer:
        assert writer.rebuild_needed
        assert set(writer.stamps()) == {"a.md", "b.md", "c.md"}


@pytest.mark.parametrize("table", ["posting", "section", "content", "document", "block"])
def test_a_page_that_was_lost_is_found_by_whoever_doubts(scope: IndexedScope, table: str) -> None:
    """The header is as it should be; a search would stumble every time."""
    synced(scope)
    raw = bytearray(scope.file.read_bytes())
    for page in pages_of(scope.file, table):
        raw[(page - 1) * PAGE_BYTES : page * PAGE_BYTES] = bytes(PAGE_BYTES)
    scope.file.write_bytes(raw)
    with IndexReader(scope.directory) as reader:
        assert not reader.is_sound()
    with doubting(scope) as writer:
        assert writer.rebuild_needed
        writer.put("a.md", TEXT, stamp(TEXT))
    assert len(scope.passages("tea", limit=LINES)) == LINES
    with IndexReader(scope.directory) as reader:
        assert reader.is_sound()


@pytest.mark.parametrize("name", ["index.sqlite", "dirty", "unsynced"])
@pytest.mark.parametrize("what", ["pipe", "link", "directory", "full directory"])
def test_what_is_no_file_gives_way(scope: IndexedScope, name: str, what: str) -> None:
    """Nothing is waited for, followed or left in the way."""
    scope.put("a.md", "green tea\n")
    place = Path(scope.directory) / name
    place.unlink(missing_ok=True)
    if what == "pipe":
        os.mkfifo(place)
    elif what == "link":
        place.symlink_to("elsewhere")
    else:
        place.mkdir()
        if what == "full directory":
            (place / "x").write_text("x")
    if name != "unsynced":
        with pytest.raises(IndexUnusable):
            IndexReader(scope.directory)
    with IndexWriter(scope.directory) as writer:
        assert writer.rebuild_needed is (name != "unsynced")
        writer.put("a.md", "green tea\n", stamp("green tea\n"))
        writer.sync()
    assert scope.lines("tea") == [("a.md", 1)]
    assert not (Path(scope.directory) / "elsewhere").exists()
    with doubting(scope) as writer:
        assert not writer.rebuild_needed


def test_what_is_searchable_of_a_document_is_bounded() -> None:
    """By its bytes: a larger file came by hand."""
    long = list(searchable(("茶" * 100 + "\n") * 9_000))
    assert MOST_BYTES - 301 <= sum(len(p.text.encode()) + 1 for p in long) <= MOST_BYTES + 1
    assert [p.text for p in searchable("one\ntwo")] == ["one", "two"]
