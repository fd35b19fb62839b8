"""Files as people have them: their names, sizes and kinds."""

import os
import pathlib

import pytest
from tests.unit.documents.acts import folder, write

from memory_native.documents import Documents, WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.upkeep import Upkeep


@pytest.mark.parametrize("path", ["with space.md", "会议/记录.md", "🚀/launch 🎉.md", "no-suffix"])
def test_names_are_as_people_have_them(documents: Documents, path: str) -> None:
    """Spaces, CJK and emoji are fine, and a suffix is not needed."""
    assert write(documents, path, "x") == "x\n"


def test_a_decomposed_file_is_reached_by_its_composed_path(
    documents: Documents, disk: pathlib.Path
) -> None:
    """Other systems store decomposed names; no second file appears."""
    (disk / "cafe\u0301").mkdir()
    (disk / "cafe\u0301" / "re\u0301sume\u0301.md").write_text("one\n")

    assert write(documents, "caf\u00e9/r\u00e9sum\u00e9.md", "two") == "one\ntwo\n"
    assert [entry.name for entry in disk.iterdir() if entry.name != ".store"] == ["cafe\u0301"]


def test_a_decomposed_request_is_stored_composed(documents: Documents, disk: pathlib.Path) -> None:
    """Names are kept in form C."""
    documents.write(WriteRequest(target="cafe\u0301.md", content="x"))

    assert (disk / "caf\u00e9.md").exists()


def test_a_twin_is_refused_after_a_person_added_one(
    documents: Documents, disk: pathlib.Path
) -> None:
    """The names a directory had are looked up again once it changed."""
    write(documents, "one.md", "x")
    (disk / "Two.md").write_text("x")

    with pytest.raises(MemoryFailure, match="path-twin"):
        write(documents, "two.md", "x")
    with pytest.raises(MemoryFailure, match="path-twin"):
        write(documents, "ONE.md", "x")


def test_what_went_within_a_tick_of_the_clock_is_no_twin(
    documents: Documents, disk: pathlib.Path
) -> None:
    """The directory's time then says that nothing changed."""
    write(documents, "d/one.md", "x")
    write(documents, "d/two.md", "x")
    before = (disk / "d").stat()
    (disk / "d" / "one.md").unlink()
    os.utime(disk / "d", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert write(documents, "d/one.md", "y") == "y\n"


@pytest.mark.parametrize("leave", ["rename", "delete"])
def test_a_standing_document_in_other_letters_that_a_person_made_can_make_way(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path, leave: str
) -> None:
    """It is read, and bars the right one until it has been renamed or deleted."""
    (disk / "memory.md").write_text("one\n")
    assert documents.read("memory.md").content == "one\n"
    with pytest.raises(MemoryFailure, match="path-twin"):
        documents.write(WriteRequest(target="memory", content="two"))
    if leave == "rename":
        upkeep.rename("memory.md", "MEMORY.md")
    else:
        upkeep.delete("memory.md")
    documents.write(WriteRequest(target="memory", content="two"))
    assert documents.read("MEMORY.md").content == {"rename": "one\ntwo\n", "delete": "two\n"}[leave]


def test_exactly_one_mebibyte_is_accepted(documents: Documents) -> None:
    """The limit is inclusive."""
    assert len(write(documents, "notes.md", "a" * (1 << 20), append=False)) == 1 << 20


def test_a_document_over_the_limit_can_be_made_smaller(
    documents: Documents, disk: pathlib.Path
) -> None:
    """A large file from elsewhere can be read and replaced."""
    (disk / "notes.md").write_bytes(b"a" * (2 << 20))

    assert len(documents.read("notes.md").content) == 2 << 20
    assert write(documents, "notes.md", "short", append=False) == "short"


@pytest.mark.parametrize(
    ("name", "points_to", "target"),
    [
        ("x.md", "real.md", "x.md"),
        ("x.md", "../secret.md", "x.md"),
        ("x.md", None, "x.md"),
        ("d", "..", "d/secret.md"),
        ("d", "threads", "d/x.md"),
        ("d", ".store", "d/format"),
    ],
)
def test_what_is_no_document_is_never_followed(
    documents: Documents, disk: pathlib.Path, name: str, points_to: str | None, target: str
) -> None:
    """Links, and FIFOs (without a destination here), are refused for reading and writing."""
    (disk.parent / "secret.md").write_text("secret")
    (disk / "threads").mkdir()
    write(documents, "real.md", "real")
    if points_to is None:
        os.mkfifo(disk / name)
    else:
        (disk / name).symlink_to(points_to)
    before = folder(disk.parent)

    with pytest.raises(MemoryFailure, match="not-a-document"):
        documents.read(target)
    with pytest.raises(MemoryFailure, match="not-a-document"):
        write(documents, target, "x")
    assert before == folder(disk.parent)
