"""Histories that move: to another name, to another scope."""

import pathlib

import pytest
from tests.unit.documents.acts import bodies, replace
from tests.unit.documents.fakes import World

from memory_native.documents import Documents
from memory_native.failures import MemoryFailure
from memory_native.upkeep import Upkeep, VersionRow


def test_a_new_name_takes_everything_along(
    world: World, documents: Documents, upkeep: Upkeep
) -> None:
    """Versions, metadata and index entry follow."""
    replace(documents, "one", metadata='{"tag": 1}')
    replace(documents, "two")
    change = upkeep.rename("notes.md", "archive/old.md")

    assert (change.path, change.size, change.kept_as) == ("archive/old.md", 3, None)
    assert bodies(upkeep, "archive/old.md") == ["one"]
    assert '"tag":1' in upkeep.describe("archive/old.md")
    assert world.index.texts() == {"archive/old.md": "two"}
    with pytest.raises(MemoryFailure, match="document-missing"):
        upkeep.history("notes.md")


@pytest.mark.parametrize(
    ("path", "to", "code"),
    [
        ("absent.md", "x.md", "document-missing"),
        ("notes.md", "other.md", "name-taken"),
        ("notes.md", "notes.md", "name-taken"),
        ("notes.md", "gone.md", "name-taken"),
        ("notes.md", "other.md/x.md", "path-occupied"),
        ("notes.md", "Other.md", "path-twin"),
        ("notes.md", "../x.md", "path-traversal"),
        ("notes.md", "x.meta", "path-reserved"),
        ("notes.md", "MEMORY.md/x", "path-kept"),
        ("notes.md", "memory.md", "path-kept"),
        ("notes.md", "Context/profile.json", "path-kept"),
        ("notes.md", "threads/t1/r1.md", "threads-reserved"),
        ("notes.md", "Threads/t1.md", "threads-reserved"),
    ],
)
def test_a_taken_or_illegal_name_is_refused(
    documents: Documents, upkeep: Upkeep, path: str, to: str, code: str
) -> None:
    """Nothing is overwritten, not even the history of a deleted document."""
    for name in ("notes.md", "other.md", "gone.md"):
        replace(documents, f"text of {name}", path=name)
    upkeep.delete("gone.md")

    with pytest.raises(MemoryFailure, match=code):
        upkeep.rename(path, to)
    assert documents.read("notes.md").content == "text of notes.md"
    assert documents.read("other.md").content == "text of other.md"


def test_a_text_does_not_become_a_prompt_document_by_its_name(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """The safety screen sees what a rename would put into a prompt, as it is on disk now."""
    replace(documents, "a fact")
    (disk / "notes.md").write_text("poison")

    with pytest.raises(MemoryFailure, match="high_risk_prompt_injection"):
        upkeep.rename("notes.md", "MEMORY.md")
    assert (disk / "notes.md").read_text() == "poison"
    assert not (disk / "MEMORY.md").exists()
    assert upkeep.rename("notes.md", "elsewhere.md").path == "elsewhere.md"


def test_a_transcript_can_be_renamed_and_nothing_becomes_one(
    documents: Documents, upkeep: Upkeep
) -> None:
    """The recorder alone decides that something was said."""
    documents.put("threads/t1/r1.md", b"## user\nhello\n")
    assert upkeep.rename("threads/t1/r1.md", "threads/t1/first.md").path == "threads/t1/first.md"
    assert upkeep.rename("threads/t1/first.md", "notes.md").path == "notes.md"
    with pytest.raises(MemoryFailure, match="threads-reserved"):
        upkeep.rename("notes.md", "threads/t1/first.md")


@pytest.mark.parametrize(
    ("path", "to", "field"),
    [
        ("notes.md", "other.md", "to"),
        ("notes.md", "Other.md", "to"),
        ("notes.md", "other.md/x.md", "to"),
        ("notes.md", "link/x.md", "to"),
        ("link", "x.md", None),
    ],
)
def test_a_refusal_tells_the_old_name_from_the_new_one(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path, path: str, to: str, field: str | None
) -> None:
    """A rename names two documents."""
    replace(documents, "one")
    replace(documents, "two", path="other.md")
    (disk / "link").symlink_to("/")

    with pytest.raises(MemoryFailure) as refused:
        upkeep.rename(path, to)
    assert refused.value.field == field


def test_the_case_of_a_name_can_be_changed(documents: Documents, upkeep: Upkeep) -> None:
    """A document is no twin of itself."""
    replace(documents, "one")
    upkeep.rename("notes.md", "Notes.md")

    assert documents.read("Notes.md").content == "one"


def test_a_history_can_be_carried_elsewhere(world: World, tmp_path: pathlib.Path) -> None:
    """Adopting every row, in any order and twice, gives the same history."""
    documents = world.documents()
    source = Upkeep(documents)
    for text in ("one", "two", "three", "four"):
        replace(documents, text)
    source.erase("notes.md", 2)
    rows = source.history("notes.md").versions
    other_root = tmp_path / "other"
    other_root.mkdir()
    other = World(str(other_root)).documents()
    target = Upkeep(other)

    for row in (*reversed(rows), *rows):
        content = None if row.erased else source.version("notes.md", row.number).content
        target.adopt("notes.md", row, content)
    assert target.history("notes.md").versions == rows
    assert bodies(target) == ["one", "three"]
    replace(other, "five")
    replace(other, "six")
    assert [row.number for row in target.history("notes.md").versions] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("changed", "content", "code"),
    [
        ({"hash": "sha256:" + "0" * 64}, "one", "version-mismatch"),
        ({}, "other", "version-mismatch"),
        ({}, None, "version-mismatch"),
        ({"size": 4}, "one", "version-mismatch"),
        ({"number": 0}, "one", "version-invalid"),
        ({"erased": True}, "one", "version-mismatch"),
    ],
)
def test_a_version_that_contradicts_itself_is_not_adopted(
    documents: Documents,
    upkeep: Upkeep,
    changed: dict[str, object],
    content: str | None,
    code: str,
) -> None:
    """Body and row must agree."""
    replace(documents, "one")
    replace(documents, "two")
    facts = vars(upkeep.history("notes.md").versions[0]) | changed

    with pytest.raises(MemoryFailure, match=code):
        upkeep.adopt("other.md", VersionRow(**facts), content)


def test_a_number_is_taken_once(documents: Documents, upkeep: Upkeep) -> None:
    """Another body under a known number is refused."""
    for text in ("one", "two", "three"):
        replace(documents, text)
    first, second = upkeep.history("notes.md").versions
    stolen = VersionRow(**(vars(second) | {"number": first.number}))

    with pytest.raises(MemoryFailure, match="version-taken"):
        upkeep.adopt("notes.md", stolen, "two")
