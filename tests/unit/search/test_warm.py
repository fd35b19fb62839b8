"""An index that stays open between calls never answers from a state that is gone."""

import os
import shutil
from pathlib import Path

import pytest
from tests.unit.search.scope import IndexedScope, stamp

from memory_native.search import IndexUnusable, IndexWriter, WarmIndex, catalogue


def paths(warm: WarmIndex, query: str) -> list[str]:
    """Return the documents that are found."""
    with warm.reader() as reader:
        return [hit.path for hit in reader.documents(query, limit=5)]


def put(warm: WarmIndex, path: str, text: str) -> None:
    """Index one document over the connection that was kept."""
    with warm.writer() as writer:
        writer.put(path, text, stamp(text))


def open_files() -> int:
    """Return how many files this process has open."""
    return sum(1 for _ in Path("/dev/fd").iterdir())


def test_the_same_reader_serves_while_nothing_changes(scope: IndexedScope) -> None:
    """Two calls, one opening."""
    scope.put("a.md", "green tea")
    warm = WarmIndex(scope.directory)
    with warm.reader() as first:
        pass
    with warm.reader() as second:
        assert second is first


def test_a_write_between_two_calls_is_seen(scope: IndexedScope) -> None:
    """Added, replaced and removed documents all show at once."""
    scope.put("a.md", "green tea")
    warm = WarmIndex(scope.directory)
    assert paths(warm, "tea") == ["a.md"]
    scope.put("b.md", "black tea")
    assert sorted(paths(warm, "tea")) == ["a.md", "b.md"]
    scope.put("a.md", "coffee")
    assert paths(warm, "tea") == ["b.md"]
    scope.remove("b.md")
    assert paths(warm, "tea") == []


def test_a_rebuilt_index_is_another_one(scope: IndexedScope) -> None:
    """Even with as many transactions, pages and the same time."""
    scope.put("a.md", "green tea")
    status = scope.file.stat()
    warm = WarmIndex(scope.directory)
    assert paths(warm, "tea") == ["a.md"]
    shutil.rmtree(scope.directory)
    scope.put("b.md", "black tea")
    os.utime(scope.file, ns=(status.st_mtime_ns, status.st_mtime_ns))
    assert scope.file.stat().st_size == status.st_size
    assert paths(warm, "tea") == ["b.md"]


def test_a_mark_stops_a_warm_index_too(scope: IndexedScope) -> None:
    """A writer at work, or one that was killed."""
    scope.put("a.md", "green tea")
    warm = WarmIndex(scope.directory)
    assert paths(warm, "tea") == ["a.md"]
    scope.mark.write_text("writing")
    with pytest.raises(IndexUnusable):
        paths(warm, "tea")


def test_what_is_kept_is_bounded(scope: IndexedScope, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the bound everything is read again, with the same answer."""
    monkeypatch.setattr(catalogue, "MOST_HELD", 0)
    scope.put("a.md", "green tea")
    warm = WarmIndex(scope.directory)
    with warm.reader() as reader:
        before = reader.documents("tea", limit=5)
        held = dict(reader._retrieval.catalogue._sections)
        assert reader.documents("tea", limit=5) == before
        kept = reader._retrieval.catalogue._sections
        assert all(kept[number] is not section for number, section in held.items())


def test_a_writer_goes_on_over_the_connection_of_the_last_one(scope: IndexedScope) -> None:
    """Opening a file costs as much as adding a note."""
    warm = WarmIndex(scope.directory)
    put(warm, "a.md", "green tea")
    with warm.writer() as second:
        kept = second._connection
    with warm.writer() as third:
        assert third._connection is kept
    assert paths(warm, "tea") == ["a.md"]


def test_a_kept_writer_sees_what_another_wrote(scope: IndexedScope) -> None:
    """Its own view of the file is dropped."""
    warm = WarmIndex(scope.directory)
    put(warm, "a.md", "green tea")
    scope.put("b.md", "black tea")
    put(warm, "c.md", "white tea")
    assert sorted(paths(warm, "tea")) == ["a.md", "b.md", "c.md"]


def test_clearing_traces_counts_as_a_transaction(scope: IndexedScope) -> None:
    """Whoever kept pages forgets them then, and does not write back what stood between their cells."""
    scope.put("a.md", "green tea")
    counted = scope.file.read_bytes()[24:28]  # sqlite.org/fileformat2.html, section 1.3.7
    with IndexWriter(scope.directory) as writer:
        writer.clear_traces()

    assert scope.file.read_bytes()[24:28] != counted


def test_a_kept_writer_writes_to_the_file_that_is_there_now(scope: IndexedScope) -> None:
    """A rebuilt index, or a copy moved into its place."""
    warm = WarmIndex(scope.directory)
    put(warm, "a.md", "green tea")
    copy = scope.file.with_name("copy")
    shutil.copy2(scope.file, copy)
    copy.replace(scope.file)
    put(warm, "b.md", "black tea")
    assert sorted(paths(warm, "tea")) == ["a.md", "b.md"]


def test_a_change_in_the_same_tick_of_the_clock_is_seen(scope: IndexedScope) -> None:
    """The file's time does not tell then; its header does."""
    scope.put("a.md", "green tea")
    status = scope.file.stat()
    warm = WarmIndex(scope.directory, now_ns=lambda: status.st_mtime_ns)
    assert paths(warm, "tea") == ["a.md"]
    scope.put("b.md", "black tea")
    os.utime(scope.file, ns=(status.st_mtime_ns, status.st_mtime_ns))
    assert sorted(paths(warm, "tea")) == ["a.md", "b.md"]


def test_a_settled_file_is_not_opened_to_be_asked_again(
    scope: IndexedScope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look at its time is enough, and as strict."""
    scope.put("a.md", "green tea")
    warm = WarmIndex(scope.directory, now_ns=lambda: scope.file.stat().st_mtime_ns + (60 << 30))
    assert paths(warm, "tea") == ["a.md"]
    with monkeypatch.context() as patched:
        patched.setattr(os, "open", _never)
        assert paths(warm, "tea") == ["a.md"]
    scope.put("b.md", "black tea")
    assert sorted(paths(warm, "tea")) == ["a.md", "b.md"]
    scope.mark.write_text("writing")
    with pytest.raises(IndexUnusable):
        paths(warm, "tea")


def _never(*_given: object, **_named: object) -> int:
    raise AssertionError


def test_a_failed_write_keeps_no_connection(scope: IndexedScope) -> None:
    """What it left in memory is not what is in the file."""
    warm = WarmIndex(scope.directory)
    put(warm, "a.md", "green tea")
    with pytest.raises(UnicodeEncodeError):
        put(warm, "b.md", "\ud800")
    put(warm, "c.md", "white tea")
    assert paths(warm, "tea") == ["c.md"]


def test_what_is_written_while_it_is_asked_is_let_out_to_nobody(scope: IndexedScope) -> None:
    """Somebody who holds no lock: the answer may be half of each."""
    scope.put("a.md", "green tea")
    warm = WarmIndex(scope.directory)

    def keep(_path: str) -> bool:
        if not written:
            written.append("b.md")
            scope.put("b.md", "black tea")
        return True

    written: list[str] = []
    with pytest.raises(IndexUnusable), warm.reader() as reader:
        reader.documents("tea", limit=5, keep=keep)
    assert sorted(paths(warm, "tea")) == ["a.md", "b.md"]


def test_a_reader_gives_back_every_file_it_opened(scope: IndexedScope) -> None:
    """The one it looks at too, also when it cannot be used."""
    scope.put("a.md", "green tea")
    warm = WarmIndex(scope.directory)
    before = open_files()
    assert paths(warm, "tea") == ["a.md"]
    scope.mark.write_text("writing")
    with pytest.raises(IndexUnusable):
        paths(warm, "tea")
    scope.mark.unlink()
    scope.file.write_bytes(scope.file.read_bytes()[:50])
    with pytest.raises(IndexUnusable):
        paths(warm, "tea")
    assert open_files() == before
