"""What a check finds, what it mends, and what it leaves alone."""

import json
import os
import pathlib
from collections.abc import Callable

import pytest
from tests.unit.documents.fakes import FakeHost, FakeSafety, World

from memory_native import limits, names, tree, walking
from memory_native.documents import Documents, WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.profile import Profile
from memory_native.requests import ProfileFields
from memory_native.upkeep import Upkeep


@pytest.fixture
def upkeep(documents: Documents) -> Upkeep:
    """Return the upkeep of the scope."""
    return Upkeep(documents)


def _write(documents: Documents, path: str, content: str = "text", **metadata: object) -> None:
    overlay = json.dumps(metadata) if metadata else None
    documents.write(WriteRequest(target=path, content=content, append=False, metadata=overlay))


def _findings(upkeep: Upkeep, *, repair: bool = False) -> list[tuple[str, str, bool]]:
    report = json.loads(upkeep.check(repair=repair))
    return [(one["code"], one["path"], one["repaired"]) for one in report["findings"]]


def test_a_sound_store_has_no_findings(documents: Documents, upkeep: Upkeep) -> None:
    """After ordinary use there is nothing to say."""
    for path in ("notes.md", "a/b.md"):
        _write(documents, path, "one", tag=1)
        _write(documents, path, "two")
    upkeep.delete("notes.md")

    report = json.loads(upkeep.check(repair=False))
    assert report["findings"] == []
    assert (report["format"], report["documents"], report["bytes"]) == (1, 1, 3)
    assert report["store_bytes"] > 0


def test_an_untouched_folder_is_no_store_yet(upkeep: Upkeep, disk: pathlib.Path) -> None:
    """Looking creates nothing."""
    report = json.loads(upkeep.check(repair=False))

    assert (report["format"], report["documents"], report["findings"]) == (0, 0, [])
    assert not list(disk.iterdir())


def test_what_a_person_put_there_is_named_and_left_alone(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Links, FIFOs, twins, illegal and undecodable names, binary and huge files."""
    _write(documents, "notes.md")
    (disk / "Notes.md").write_text("twin")
    (disk / "link.md").symlink_to("notes.md")
    os.mkfifo(disk / "pipe")
    (disk / "binary.bin").write_bytes(b"\xff")
    (disk / "tab\there.md").write_text("x")
    (disk / "old.meta").write_text("x")
    (disk / "huge.md").write_bytes(b"a" * (limits.READ_BYTES + 1))
    with open(os.fsencode(disk) + b"/\xff.md", "wb") as file:  # noqa: PTH123 - a name in bytes
        file.write(b"x")
    before = sorted(path.name for path in disk.iterdir())

    for repair in (False, True):
        found = {(code, path) for code, path, _ in _findings(upkeep, repair=repair)}
        assert {
            ("twin", "Notes.md"),
            ("twin", "notes.md"),
            ("link", "link.md"),
            ("fifo", "pipe"),
            ("not-text", "binary.bin"),
            ("name-illegal", "tab\there.md"),
            ("name-illegal", "old.meta"),
            ("too-large", "huge.md"),
            ("name-not-utf8", "?.md"),
        } <= found
    assert sorted(path.name for path in disk.iterdir()) == before


def test_what_is_derived_is_mended(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Litter, orphans, stray bodies and an index out of step are found, mended, and gone."""
    for path in ("notes.md", "gone.md", "new.md"):
        _write(documents, path, "one", tag=1)
    _write(documents, "notes.md", "two")
    (disk / "gone.md").unlink()
    (disk / "notes.md").write_text("by hand")
    versions = next((disk / ".store/versions").iterdir())
    (versions / "77").write_bytes(b"x")
    (disk / ".store/staging/0123").write_bytes(b"x")
    (disk / ".store/meta/garbage.json").write_bytes(b'{"path":"\\ud800","metadata":{}}')
    expected = {
        ("litter", ""),
        ("version-stray", "notes.md"),
        ("sidecar-damaged", ""),
        ("sidecar-orphan", "gone.md"),
        ("index-out-of-step", "notes.md"),
        ("index-out-of-step", "gone.md"),
    }

    assert set(_findings(upkeep)) == {(*one, False) for one in expected}
    assert set(_findings(upkeep, repair=True)) == {(*one, True) for one in expected}
    assert _findings(upkeep) == []
    assert world.index.texts() == {"notes.md": "by hand", "new.md": "one"}
    assert documents.read("notes.md").content == "by hand"
    assert upkeep.version("notes.md", 1).content == "one"


@pytest.mark.parametrize(
    ("text", "is_odd"),
    [
        ("", False),
        ('{"skip_versioning": true, "mine": 1}', False),
        ('\ufeff{"hygiene": {"enabled": true}}', False),
        ('{"skip_versioning": ture}', True),
        ("not json", True),
        ('{"skip_indexing": "yes"}', True),
        ('{"hygiene": true}', True),
        ('{"hygiene": {"enabled": "yes"}}', True),
        ('{"hygiene": {"enabled": true, "retention_days": "30"}}', True),
        ('{"schema": 5}', True),
        ('{"schema": {"type": "string"}}', False),
    ],
)
def test_a_config_that_nobody_understands_is_named(
    upkeep: Upkeep, disk: pathlib.Path, text: str, is_odd: bool
) -> None:
    """It would have no effect, and nothing else tells so."""
    (disk / ".config").write_text(text)
    found = [code for code, _, _ in _findings(upkeep) if code == "config-invalid"]

    assert bool(found) is is_odd


def test_an_unusable_index_is_rebuilt(world: World, documents: Documents, upkeep: Upkeep) -> None:
    """By repair, and not by looking."""
    _write(documents, "notes.md")
    world.index.state = "dirty"

    assert _findings(upkeep) == [("index-unusable", "", False)]
    assert world.index.state == "dirty"
    assert _findings(upkeep, repair=True) == [("index-unusable", "", True)]
    assert world.index.state == "clean"


def _log(disk: pathlib.Path) -> pathlib.Path:
    (log,) = (disk / ".store/versions").rglob("rows")
    return log


@pytest.mark.parametrize("head", [b"?", b'{"path":"other.md"}', b'{"path":"\\ud800"}'])
def test_a_history_that_does_not_name_its_document_is_found_and_mended(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path, head: bytes
) -> None:
    """Nothing that goes over all histories would meet it: no retention, no list of what is gone."""
    _write(documents, "notes.md", "one")
    _write(documents, "notes.md", "two")
    _, *rows = _log(disk).read_bytes().splitlines(keepends=True)
    _log(disk).write_bytes(head + b"\n" + b"".join(rows))

    assert _findings(upkeep) == [("version-damaged", "notes.md", False)]
    assert _findings(upkeep, repair=True) == [("version-damaged", "notes.md", True)]
    assert _findings(upkeep) == []
    upkeep.delete("notes.md")
    assert upkeep.deleted(None).paths == ("notes.md",)
    assert upkeep.version("notes.md", 1).content == "one"


@pytest.mark.parametrize("gone", ["document", "first row"])
def test_a_nameless_history_that_cannot_be_named_without_loss_is_left(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path, gone: str
) -> None:
    """Nobody knows whose it is, or a body would go with its row."""
    for text in ("one", "two", "three"):
        _write(documents, "notes.md", text)
    if gone == "document":
        (disk / "notes.md").unlink()
        upkeep.refresh([], everything=True, budget_ms=1000)
    _log(disk).write_bytes(_log(disk).read_bytes().replace(b"\n", b"?", gone == "first row"))
    _log(disk).write_bytes(b"?" + _log(disk).read_bytes())
    before = sorted(_log(disk).parent.iterdir())

    path = "notes.md" if gone == "first row" else ""
    for repair in (False, True):
        assert _findings(upkeep, repair=repair) == [("version-damaged", path, False)]
    assert sorted(_log(disk).parent.iterdir()) == before


def test_a_history_that_was_only_begun_is_no_damage(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """The next write overwrites the half of a line that a killed one left."""
    _write(documents, "notes.md", "one")
    _write(documents, "notes.md", "two")
    _log(disk).write_bytes(_log(disk).read_bytes()[:9])

    assert _findings(upkeep) == []


@pytest.mark.parametrize("number", ["2", "999999999"])
def test_a_newer_store_is_never_written_to(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path, number: str
) -> None:
    """Every call that would write says so; reading goes on."""
    _write(documents, "notes.md")
    (disk / ".store/format").write_text(number)
    calls: list[Callable[[], object]] = [
        lambda: _write(documents, "notes.md", "other"),
        lambda: documents.put("threads/t/x.md", b"x"),
        lambda: upkeep.delete("notes.md"),
        lambda: upkeep.rename("notes.md", "x.md"),
        lambda: upkeep.erase("notes.md"),
        lambda: upkeep.sweep(dry_run=False),
        lambda: upkeep.refresh([], everything=True, budget_ms=1),
        lambda: upkeep.check(repair=True),
    ]

    for call in calls:
        with pytest.raises(MemoryFailure, match="store-newer"):
            call()
    assert documents.read("notes.md").content == "text"


def test_a_damaged_format_number_stops_writing_until_it_is_mended(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Nobody can tell whether it was a newer one; repair writes it again."""
    _write(documents, "notes.md")
    (disk / ".store/format").write_text("?")

    with pytest.raises(MemoryFailure, match="format-damaged"):
        _write(documents, "notes.md", "other")
    assert ("format-damaged", "", True) in _findings(upkeep, repair=True)
    _write(documents, "notes.md", "other")


def test_a_directory_in_place_of_the_format_number_is_moved_aside(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """It is damage like any other."""
    _write(documents, "notes.md")
    (disk / ".store/format").unlink()
    (disk / ".store/format/kept").mkdir(parents=True)

    assert ("format-damaged", "", True) in _findings(upkeep, repair=True)
    _write(documents, "notes.md", "other")


def test_the_damaged_format_number_of_a_profiles_store_is_mended_too(
    upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """It is a store of its own, and what cannot be saved there names the same repair."""
    profile = Profile(root=str(disk), host=FakeHost(), safety=FakeSafety())
    profile.set(ProfileFields(locale="de"))
    (disk / "context/.store/format").write_text("")

    with pytest.raises(MemoryFailure, match="format-damaged"):
        profile.set(ProfileFields(locale="fr"))
    assert ("format-damaged", "context", True) in _findings(upkeep, repair=True)
    profile.set(ProfileFields(locale="fr"))


@pytest.mark.parametrize("room", ["", "/versions"])
def test_a_store_that_is_a_link_is_not_written_to(
    documents: Documents, disk: pathlib.Path, room: str
) -> None:
    """Its rooms must be directories of its own."""
    outside = disk.parent / "outside"
    outside.mkdir()
    if room:
        (disk / ".store").mkdir()
    (disk / f".store{room}").symlink_to(outside)

    with pytest.raises(MemoryFailure, match="store-damaged" if room else "storage-failed"):
        _write(documents, "notes.md")
    assert not list(outside.iterdir())


def test_a_long_rebuild_is_begun_by_a_check_and_left_to_refresh(
    world: World, documents: Documents, disk: pathlib.Path
) -> None:
    """The finding stays unrepaired until a refresh has done the rest."""
    for number in range(5):
        (disk / f"{number}.md").write_text("x")
    ticks = iter(range(0, 10_000, 20))
    upkeep = Upkeep(documents, monotonic=lambda: float(next(ticks)))

    assert _findings(upkeep) == [("index-unfinished", "", False)]
    assert _findings(upkeep, repair=True) == [("index-unfinished", "", False)]
    assert _findings(upkeep) == [("index-unfinished", "", False)]
    assert 0 < len(world.index.entries) < 5
    while upkeep.refresh([], everything=False, budget_ms=1).remaining:
        continue
    assert _findings(upkeep) == []
    assert len(world.index.entries) == 5


def test_a_listing_that_breaks_off_is_completed_from_what_is_known(
    world: World, disk: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the guest one name that is not UTF-8 hides what comes after it from every listing."""
    documents = world.documents()
    upkeep = Upkeep(documents)
    for path in ("a.md", "b/c.md"):
        _write(documents, path)
    (disk / "new.md").write_text("x")
    real = walking.scan

    def broken(directory: str) -> tuple[list[os.DirEntry[str]], bool]:
        entries, complete = real(directory)
        return ([], False) if directory.rstrip("/") == world.root else (entries, complete)

    monkeypatch.setattr(walking, "scan", broken)
    upkeep.refresh(["new.md"], everything=True, budget_ms=1000)
    assert set(world.index.entries) == {"a.md", "b/c.md", "new.md"}
    listed = tree.listing(documents.root, documents.names, "", 10, known=documents.indexing.seen)
    assert json.loads(listed) == [{"b/": ["c.md"]}, "a.md", "new.md"]
    assert _findings(upkeep) == [("name-not-utf8", "", False)]


def test_a_decomposed_name_is_found_where_a_listing_breaks_off(
    world: World, disk: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read, indexed and listed by its composed path, and a write makes no twin of it."""
    documents = world.documents()
    (disk / "cafe\u0301.md").write_text("x\n")
    monkeypatch.setattr(walking, "scan", lambda directory: ([], False))
    monkeypatch.setattr(names, "scan", walking.scan)

    Upkeep(documents).refresh(["cafe\u0301.md"], everything=True, budget_ms=1000)
    assert world.index.texts() == {"caf\u00e9.md": "x\n"}
    listed = tree.listing(documents.root, documents.names, "", 1, known=documents.indexing.seen)
    assert json.loads(listed) == ["caf\u00e9.md"]
    documents.write(WriteRequest(target="caf\u00e9.md", content="y"))
    assert (disk / "cafe\u0301.md").read_text() == "x\ny\n"
    assert not (disk / "caf\u00e9.md").exists()
