"""What follows a write: its events, and the index that takes it in."""

import pathlib

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.documents.acts import patch, write
from tests.unit.documents.fakes import World

from memory_native.documents import Change
from memory_native.documents.indexing import AT_ONCE_BYTES
from memory_native.upkeep import Upkeep


def test_events_name_the_document_by_its_hash_alone(world: World) -> None:
    """A write is reported with its size, an append with what it added, then the indexing."""
    documents = world.documents()
    write(documents, "notes.md", "one")
    world.host.events.clear()
    write(documents, "notes.md", "two")

    written, indexed = world.host.events
    assert (written.kind, written.size) == ("document-written", 4)
    assert (indexed.kind, indexed.size) == ("document-indexed", 8)
    assert written.path_hash == indexed.path_hash
    assert written.path_hash is not None
    assert written.path_hash.startswith("sha256:")


def test_a_fault_of_the_index_does_not_fail_the_write(world: World) -> None:
    """The document is stored; searching asks for a refresh."""
    documents = world.documents()
    write(documents, "notes.md", "one")
    world.index.broken = True

    assert write(documents, "notes.md", "two") == "one\ntwo\n"
    assert world.index.state == "dirty"


def test_a_write_does_not_rebuild_the_index(world: World, disk: pathlib.Path) -> None:
    """Files that were there before wait for a refresh, and readers are told."""
    for number in range(3):
        (disk / f"{number}.md").write_text("x")
    write(world.documents(), "notes.md", "one")

    assert list(world.index.entries) == ["notes.md"]
    assert world.index.state == "rebuilding"


def test_the_first_write_creates_the_index(world: World) -> None:
    """In an empty scope nothing can be missing from it."""
    write(world.documents(), "notes.md", "one")

    assert world.index.state == "clean"


def test_a_refresh_that_finds_the_index_damaged_rebuilds_it(
    world: World, disk: pathlib.Path
) -> None:
    """The first search after that is answered, and not told to ask again."""
    documents = world.documents()
    write(documents, "notes.md", "one")
    (disk / "other.md").write_text("two")
    world.index.damaged = True
    Upkeep(documents).refresh(["other.md"], everything=False, budget_ms=1000)

    assert world.index.state == "clean"
    assert set(world.index.texts()) == {"notes.md", "other.md"}


def test_a_large_new_text_waits_for_a_refresh(world: World) -> None:
    """Taking it in could outlast the deadline of a write; readers are told to ask again."""
    documents = world.documents()
    write(documents, "notes.md", "one")
    write(documents, "large.md", "word " * AT_ONCE_BYTES, append=False)
    write(documents, "large.md", "one more")
    assert (world.index.state, list(world.index.entries)) == ("rebuilding", ["notes.md"])

    Upkeep(documents).refresh([], everything=False, budget_ms=1000)
    assert world.index.state == "clean"
    write(documents, "large.md", "still one more")
    patch(documents, "large.md", "word word", "other")
    assert world.index.state == "clean"
    assert world.index.texts()["large.md"] == documents.read("large.md").content


@given(old=st.binary(max_size=30), new=st.binary(max_size=30))
def test_new_bytes_are_what_is_between_the_common_ends(old: bytes, new: bytes) -> None:
    """What both begin and end with is not counted, and is never counted twice."""
    count = Change.between("x", "x", old, new).new_bytes

    assert 0 <= count <= len(new)
    assert any(
        old.startswith(new[:begin]) and old.endswith(new[begin + count :])
        for begin in range(len(new) - count + 1)
    )
    assert (count == 0) <= (len(new) <= len(old))
