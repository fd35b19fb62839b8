"""Earlier bodies: kept, listed, restored, erased, and never lost by a kill."""

import pathlib

import pytest
from tests.unit.documents.fakes import NOON, World

from memory_native.documents import Documents, WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.limits import VERSION_BYTES, VERSIONS_KEPT, VERSIONS_MAX
from memory_native.upkeep import Upkeep, VersionRow
from memory_native.versions.retention import expired
from memory_native.versions.rows import Row


DAY_MS = 86_400_000


@pytest.fixture
def upkeep(documents: Documents) -> Upkeep:
    """Return the upkeep of the scope."""
    return Upkeep(documents)


def _append(documents: Documents, content: str, *, path: str = "notes.md") -> None:
    documents.write(WriteRequest(target=path, content=content))


def _replace(documents: Documents, content: str, *, path: str = "notes.md", **fields: str) -> None:
    documents.write(WriteRequest(target=path, content=content, append=False, **fields))  # type: ignore[arg-type]


def _bodies(upkeep: Upkeep, path: str = "notes.md") -> list[str]:
    rows = upkeep.history(path).versions
    return [upkeep.version(path, row.number).content for row in rows if not row.erased]


def test_each_overwrite_keeps_the_previous_content(
    world: World, documents: Documents, upkeep: Upkeep
) -> None:
    """A row says what the body was, when it went and whose write replaced it."""
    _replace(documents, "one")
    world.host.unix_ms = NOON + 7
    _replace(documents, "two")

    (row,) = upkeep.history("notes.md").versions
    assert (row.number, row.size, row.unix_ms, row.erased) == (1, 3, NOON + 7, False)
    assert row.changed_by == "tenant:acme:user:alice:project:_none"
    assert row.hash.startswith("sha256:")
    assert _bodies(upkeep) == ["one"]


def test_nothing_is_kept_of_nothing(documents: Documents, upkeep: Upkeep) -> None:
    """Empty and identical contents leave no version."""
    documents.write(WriteRequest(target="bootstrap"))
    _replace(documents, "x", path="BOOTSTRAP.md")
    _replace(documents, "x", path="BOOTSTRAP.md")

    assert upkeep.history("BOOTSTRAP.md").versions == ()


def test_skip_versioning_keeps_nothing(documents: Documents, upkeep: Upkeep) -> None:
    """The document said so."""
    _replace(documents, "one", metadata='{"skip_versioning": true}')
    _replace(documents, "two")

    assert upkeep.history("notes.md").versions == ()


def test_every_body_of_many_appends_can_be_had(documents: Documents, upkeep: Upkeep) -> None:
    """A version is a prefix, read back from whatever still begins with it."""
    bodies, text = [], ""
    for number in range(120):
        _append(documents, f"fact {number} {'x' * number}")
        bodies.append(text)
        text = documents.read("notes.md").content

    assert _bodies(upkeep) == bodies[1:]


def test_appends_take_little_space(documents: Documents, disk: pathlib.Path) -> None:
    """Ten thousand appends must fit: what is stored grows with the document, not with its square."""
    for number in range(300):
        _append(documents, f"fact {number} {'x' * 100}")
    stored = sum(p.stat().st_size for p in (disk / ".store/versions").rglob("*") if p.is_file())

    assert stored < 300 * 500


@pytest.mark.parametrize("metadata", ["{}", '{"skip_versioning": true}'])
def test_prefixes_survive_the_end_of_what_they_were_read_from(
    documents: Documents, upkeep: Upkeep, metadata: str
) -> None:
    """A replacement, kept or not, first secures the versions that the document begins with."""
    for word in ("one", "two", "three"):
        _append(documents, word)
    _replace(documents, "other", metadata=metadata)
    _replace(documents, "another")

    assert _bodies(upkeep)[:2] == ["one\n", "one\ntwo\n"]


def test_a_hand_edit_costs_at_most_the_last_quarter(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Full bodies are stored as the document grows, since an editor secures nothing."""
    for number in range(200):
        _append(documents, f"fact {number} {'x' * 60}")
    size = len(documents.read("notes.md").content)
    (disk / "notes.md").write_text("rewritten by hand\n")

    lost = []
    for row in upkeep.history("notes.md").versions:
        try:
            upkeep.version("notes.md", row.number)
        except MemoryFailure as failure:
            lost.append((failure.code, row.size))
    assert all(code == "version-damaged" and had > size * 0.79 for code, had in lost)
    assert len(lost) < 50


def test_a_restored_body_is_the_document_again(documents: Documents, upkeep: Upkeep) -> None:
    """What it replaces is itself kept."""
    _replace(documents, "one")
    _replace(documents, "two")
    change = upkeep.restore("notes.md", 1)

    assert (change.size, change.kept_as) == (3, 2)
    assert documents.read("notes.md").content == "one"
    assert _bodies(upkeep) == ["one", "two"]


def test_a_restored_body_is_screened(world: World, documents: Documents, upkeep: Upkeep) -> None:
    """What a write may not store, a restoration may not store either."""
    _replace(documents, "one")
    _replace(documents, "two")
    world.safety.forbidden = "one"

    with pytest.raises(MemoryFailure, match="high_risk_prompt_injection"):
        upkeep.restore("notes.md", 1)


def test_a_deleted_document_can_be_restored(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Its last body is a version; empty folders go with it."""
    _append(documents, "one", path="a/b/notes.md")
    _append(documents, "two", path="a/b/notes.md")
    change = upkeep.delete("a/b/notes.md")

    assert (change.size, change.kept_as) == (0, 2)
    assert not (disk / "a").exists()
    assert "a/b/notes.md" not in world.index.entries
    assert _bodies(upkeep, "a/b/notes.md") == ["one\n", "one\ntwo\n"]
    upkeep.restore("a/b/notes.md", 2)
    assert documents.read("a/b/notes.md").content == "one\ntwo\n"


def test_an_erased_version_is_gone_from_disk_and_keeps_its_row(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Other versions stay readable, even those that were read from it."""
    _append(documents, "one")
    _append(documents, "two")
    _replace(documents, "three")
    before = set((disk / ".store/versions").rglob("*"))
    assert upkeep.erase("notes.md", 2).versions == 1

    erased = upkeep.history("notes.md").versions[1]
    assert erased.erased
    with pytest.raises(MemoryFailure, match="version-erased"):
        upkeep.version("notes.md", 2)
    assert upkeep.version("notes.md", 1).content == "one\n"
    assert {path.name for path in before - set((disk / ".store/versions").rglob("*"))} == {"2"}
    assert upkeep.erase("notes.md", 2).versions == 0


def test_erasing_the_newest_prefix_keeps_the_older_ones(
    documents: Documents, upkeep: Upkeep
) -> None:
    """The document is what they are read from; a write without a version secures them."""
    for word in ("one", "two", "three"):
        _append(documents, word)
    upkeep.erase("notes.md", 2)
    _replace(documents, "other", metadata='{"skip_versioning": true}')

    assert upkeep.version("notes.md", 1).content == "one\n"


def test_an_erased_document_leaves_no_trace(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Document, versions, metadata and index entry are gone."""
    _replace(documents, "secret one", metadata='{"tag": "secret"}')
    _replace(documents, "secret two")
    erasure = upkeep.erase("notes.md")

    assert (erasure.document, erasure.versions) == (True, 1)
    assert not [path for path in disk.rglob("*") if path.is_file() and path.name != "format"]
    assert world.index.entries == {}
    with pytest.raises(MemoryFailure, match="document-missing"):
        upkeep.erase("notes.md")


@pytest.mark.parametrize("number", [0, 2, 4_000_000_000])
def test_an_unknown_version_is_an_input_failure(
    documents: Documents, upkeep: Upkeep, number: int
) -> None:
    """Reading, restoring and erasing say the same."""
    _replace(documents, "one")
    _replace(documents, "two")

    for call in (upkeep.version, upkeep.restore, upkeep.erase):
        with pytest.raises(MemoryFailure, match="version-missing"):
            call("notes.md", number)


def test_a_damaged_body_is_said_to_be_damaged(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """It is never served, whatever is in the file."""
    _replace(documents, "one")
    _replace(documents, "two")
    (body,) = (disk / ".store/versions").rglob("1")
    body.write_bytes(b"x")

    with pytest.raises(MemoryFailure, match="version-damaged"):
        upkeep.version("notes.md", 1)
    assert documents.read("notes.md").content == "two"


def test_a_torn_row_is_ignored_and_overwritten(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """A power cut in the middle of a line loses nothing before it."""
    _replace(documents, "one")
    _replace(documents, "two")
    (log,) = (disk / ".store/versions").rglob("rows")
    log.write_bytes(log.read_bytes() + b'?[2,"abc')
    _replace(documents, "three")

    assert _bodies(upkeep) == ["one", "two"]


def test_a_new_name_takes_everything_along(
    world: World, documents: Documents, upkeep: Upkeep
) -> None:
    """Versions, metadata and index entry follow."""
    _replace(documents, "one", metadata='{"tag": 1}')
    _replace(documents, "two")
    change = upkeep.rename("notes.md", "archive/old.md")

    assert (change.path, change.size, change.kept_as) == ("archive/old.md", 3, None)
    assert _bodies(upkeep, "archive/old.md") == ["one"]
    assert '"tag":1' in upkeep.describe("archive/old.md")
    assert world.index.texts() == {"archive/old.md": "two"}
    with pytest.raises(MemoryFailure, match="document-missing"):
        upkeep.history("notes.md")


@pytest.mark.parametrize(
    ("path", "to", "code"),
    [
        ("absent.md", "x.md", "document-missing"),
        ("notes.md", "other.md", "path-occupied"),
        ("notes.md", "notes.md", "path-occupied"),
        ("notes.md", "gone.md", "path-occupied"),
        ("notes.md", "other.md/x.md", "path-occupied"),
        ("notes.md", "Other.md", "path-twin"),
        ("notes.md", "../x.md", "path-traversal"),
        ("notes.md", "x.meta", "path-reserved"),
    ],
)
def test_a_taken_or_illegal_name_is_refused(
    documents: Documents, upkeep: Upkeep, path: str, to: str, code: str
) -> None:
    """Nothing is overwritten, not even the history of a deleted document."""
    for name in ("notes.md", "other.md", "gone.md"):
        _replace(documents, f"text of {name}", path=name)
    upkeep.delete("gone.md")

    with pytest.raises(MemoryFailure, match=code):
        upkeep.rename(path, to)
    assert documents.read("notes.md").content == "text of notes.md"
    assert documents.read("other.md").content == "text of other.md"


def test_a_text_does_not_become_a_prompt_document_by_its_name(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """The safety screen sees what a rename would put into a prompt, as it is on disk now."""
    _replace(documents, "a fact")
    (disk / "notes.md").write_text("poison")

    with pytest.raises(MemoryFailure, match="high_risk_prompt_injection"):
        upkeep.rename("notes.md", "MEMORY.md")
    assert (disk / "notes.md").read_text() == "poison"
    assert not (disk / "MEMORY.md").exists()
    assert upkeep.rename("notes.md", "elsewhere.md").path == "elsewhere.md"


def test_the_case_of_a_name_can_be_changed(documents: Documents, upkeep: Upkeep) -> None:
    """A document is no twin of itself."""
    _replace(documents, "one")
    upkeep.rename("notes.md", "Notes.md")

    assert documents.read("Notes.md").content == "one"


def test_a_history_can_be_carried_elsewhere(world: World, tmp_path: pathlib.Path) -> None:
    """Adopting every row, in any order and twice, gives the same history."""
    documents = world.documents()
    source = Upkeep(documents)
    for text in ("one", "two", "three", "four"):
        _replace(documents, text)
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
    assert _bodies(target) == ["one", "three"]
    _replace(other, "five")
    _replace(other, "six")
    assert [row.number for row in target.history("notes.md").versions] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("changed", "content", "code"),
    [
        ({"hash": "sha256:" + "0" * 64}, "one", "version-mismatch"),
        ({}, "other", "version-mismatch"),
        ({}, None, "version-mismatch"),
        ({"size": 4}, "one", "version-mismatch"),
        ({"number": 0}, "one", "version-mismatch"),
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
    _replace(documents, "one")
    _replace(documents, "two")
    facts = vars(upkeep.history("notes.md").versions[0]) | changed

    with pytest.raises(MemoryFailure, match=code):
        upkeep.adopt("other.md", VersionRow(**facts), content)


def test_a_number_is_taken_once(documents: Documents, upkeep: Upkeep) -> None:
    """Another body under a known number is refused."""
    for text in ("one", "two", "three"):
        _replace(documents, text)
    first, second = upkeep.history("notes.md").versions
    stolen = VersionRow(**(vars(second) | {"number": first.number}))

    with pytest.raises(MemoryFailure, match="version-taken"):
        upkeep.adopt("notes.md", stolen, "two")


def test_old_versions_go_and_the_newest_stay(
    world: World, documents: Documents, upkeep: Upkeep
) -> None:
    """Beyond the newest fifty, only the young ones are kept; a dry run only says so."""
    for number in range(VERSIONS_KEPT + 11):
        _replace(documents, f"text {number}")
    world.host.unix_ms += 31 * DAY_MS

    dry = upkeep.sweep(dry_run=True)
    assert len(upkeep.history("notes.md").versions) == VERSIONS_KEPT + 10
    assert upkeep.sweep(dry_run=False) == dry
    rows = upkeep.history("notes.md").versions
    assert (dry.versions, len(rows), rows[0].number) == (10, VERSIONS_KEPT, 11)
    assert _bodies(upkeep)[0] == "text 10"
    assert dry.bytes > 0


def test_a_history_is_never_longer_than_a_reply() -> None:
    """Young and small as they are, the oldest versions beyond the maximum go."""
    rows = [
        Row(
            number=number,
            hash="",
            size=1,
            unix_ms=NOON,
            changed_by="",
            following="",
            base=0,
        )
        for number in range(1, VERSIONS_MAX + 4)
    ]

    assert [row.number for row in expired(rows, stored={}, now_ms=NOON)] == [1, 2, 3]


def test_young_versions_stay(documents: Documents, upkeep: Upkeep) -> None:
    """Within thirty days nothing goes, however many there are."""
    for number in range(VERSIONS_KEPT + 20):
        _replace(documents, f"text {number}")

    assert upkeep.sweep(dry_run=False).versions == 0


def test_rewriting_all_day_does_not_fill_the_disk(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Young versions go too once the bodies of one document take eight mebibytes."""
    import random  # noqa: PLC0415 - bytes that do not compress

    source = random.Random(1)  # noqa: S311
    for _ in range(130):
        _replace(documents, source.randbytes(75_000).hex())
    stored = sum(p.stat().st_size for p in (disk / ".store/versions").rglob("*") if p.is_file())

    assert stored < VERSION_BYTES + 64 * 100_000
    assert len(upkeep.history("notes.md").versions) >= VERSIONS_KEPT
