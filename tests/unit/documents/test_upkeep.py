"""Refresh, retention of documents, checks, capabilities and the tree."""

import json
import os
import pathlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from tests.unit.documents.fakes import NOON, World

from memory_native import limits, store, tree, walking
from memory_native.backend import NATIVE, BackendCapabilities
from memory_native.documents import Documents, WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.upkeep import Upkeep


DAY_MS = 86_400_000


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


def test_hand_edits_are_taken_in(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """An edited, an added and a removed document, named by the host as found on disk."""
    _write(documents, "edited.md")
    _write(documents, "removed.md")
    (disk / "edited.md").write_text("by hand")
    (disk / "cafe\u0301.md").write_text("added")
    (disk / "removed.md").unlink()

    named = ["edited.md", "cafe\u0301.md", "removed.md", "a\\b", ""]
    report = upkeep.refresh(named, everything=False, budget_ms=1000)
    assert (report.indexed, report.removed, report.remaining) == (2, 1, 0)
    assert world.index.texts() == {"edited.md": "by hand", "caf\u00e9.md": "added"}
    again = upkeep.refresh(named, everything=True, budget_ms=1000)
    assert (again.indexed, again.removed) == (0, 0)


def test_a_refresh_stops_in_time_and_goes_on(
    world: World, documents: Documents, disk: pathlib.Path
) -> None:
    """Each call does something, what was done stays, and readers wait for the end."""
    for number in range(5):
        (disk / f"{number}.md").write_text("x")
    ticks = iter(range(1000))
    upkeep = Upkeep(documents, monotonic=lambda: float(next(ticks)))

    remaining, calls = 1, 0
    while remaining:
        report = upkeep.refresh([], everything=True, budget_ms=1)
        remaining, calls = report.remaining, calls + 1
        assert report.indexed >= 1
        assert (world.index.state == "clean") == (remaining == 0)
    assert calls == 5
    assert len(world.index.entries) == 5


def test_a_refresh_leaves_out_what_is_no_text_or_not_wanted(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Binary files, links, FIFOs and skipped documents never get into the index."""
    _write(documents, "skipped.md", skip_indexing=True)
    (disk / "binary.bin").write_bytes(b"\xff\xfe")
    (disk / "link.md").symlink_to("skipped.md")
    os.mkfifo(disk / "fifo.md")
    (disk / "plain.md").write_text("x")
    upkeep.refresh(["link.md", "fifo.md", "binary.bin"], everything=True, budget_ms=1000)

    assert set(world.index.entries) == {"plain.md"}


def test_a_config_changed_by_hand_reaches_what_is_below(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Naming the `.config` is enough."""
    _write(documents, "a/notes.md")
    (disk / "a/.config").write_text('{"skip_indexing": true}')
    upkeep.refresh(["a/.config"], everything=False, budget_ms=1000)

    assert world.index.texts() == {}


def test_retention_removes_what_asked_for_it(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Old documents go, young ones stay, and a dry run touches nothing."""
    rule = {"enabled": True, "retention_days": 7}
    _write(documents, "log/.config", "{}", hygiene=rule)
    for path in ("log/old.md", "log/young.md", "kept.md"):
        _write(documents, path)
    for path in ("log/old.md", "log/.config", "kept.md"):
        os.utime(disk / path, ns=(0, (NOON - 8 * DAY_MS) * 1_000_000))
    os.utime(disk / "log/young.md", ns=(0, NOON * 1_000_000))

    dry = upkeep.sweep(dry_run=True)
    assert dry.documents == ("log/old.md",)
    assert (disk / "log/old.md").exists()
    assert upkeep.sweep(dry_run=False) == dry
    assert not (disk / "log/old.md").exists()
    assert (disk / "log/young.md").exists()
    upkeep.restore("log/old.md", 1)
    assert documents.read("log/old.md").content == "text"


def test_what_was_swept_long_ago_is_forgotten(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """After the retention time has passed again, the history goes as well."""
    _write(documents, "old.md", hygiene={"enabled": True, "retention_days": 7})
    os.utime(disk / "old.md", ns=(0, 0))
    upkeep.sweep(dry_run=False)
    world.host.unix_ms += 8 * DAY_MS
    report = upkeep.sweep(dry_run=False)

    assert report.versions == 1
    with pytest.raises(MemoryFailure, match="document-missing"):
        upkeep.history("old.md")


def test_a_folder_rule_does_not_sweep_what_a_model_lives_by(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """A protected document is swept only by its own metadata."""
    rule = {"enabled": True, "retention_days": 7}
    _write(documents, ".config", "{}", hygiene=rule)
    _write(documents, "MEMORY.md")
    os.utime(disk / "MEMORY.md", ns=(0, 0))
    assert upkeep.sweep(dry_run=True).documents == ()

    _write(documents, "MEMORY.md", hygiene=rule)
    assert upkeep.sweep(dry_run=True).documents == ("MEMORY.md",)


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
    (disk / ".store/meta/garbage.json").write_bytes(b"x")
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


def test_an_unusable_index_is_rebuilt(world: World, documents: Documents, upkeep: Upkeep) -> None:
    """By repair, and not by looking."""
    _write(documents, "notes.md")
    world.index.state = "dirty"

    assert _findings(upkeep) == [("index-unusable", "", False)]
    assert world.index.state == "dirty"
    assert _findings(upkeep, repair=True) == [("index-unusable", "", True)]
    assert world.index.state == "clean"


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
    """What cannot be told is treated as newer; repair writes it again."""
    _write(documents, "notes.md")
    (disk / ".store/format").write_text("?")

    with pytest.raises(MemoryFailure, match="store-newer"):
        _write(documents, "notes.md", "other")
    assert ("format-damaged", "", True) in _findings(upkeep, repair=True)
    _write(documents, "notes.md", "other")


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

    with pytest.raises(MemoryFailure, match="storage-failed"):
        _write(documents, "notes.md")
    assert not list(outside.iterdir())


def test_litter_of_killed_calls_is_cleared_by_a_later_one(
    world: World, documents: Documents, disk: pathlib.Path
) -> None:
    """Old enough, it belongs to nobody."""
    _write(documents, "notes.md")
    litter = disk / ".store/staging/0123"
    litter.write_bytes(b"x")
    os.utime(litter, ns=(0, (NOON - 61_000) * 1_000_000))
    _write(documents, "notes.md", "other")

    assert not litter.exists()


def test_a_rename_that_was_killed_is_finished(
    world: World, documents: Documents, upkeep: Upkeep, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped at any step, the next write completes it, with nothing lost."""
    for stop in range(1, 12):
        path, to = f"{stop}.md", f"{stop}-new.md"
        _write(documents, path, "one", tag=1)
        _write(documents, path, "two")
        with monkeypatch.context() as patched:
            _die_at(patched, stop)
            with suppress(_KilledError):
                upkeep.rename(path, to)
        again = world.documents()
        _write(again, "other.md", str(stop))
        name = to if (pathlib.Path(world.root) / to).exists() else path
        assert again.read(name).content == "two"
        assert Upkeep(again).version(name, 1).content == "one"
        assert '"tag":1' in Upkeep(again).describe(name)
        assert len(list(pathlib.Path(world.root).glob(f"{stop}*.md"))) == 1


class _KilledError(BaseException):
    """The process ends here."""


def _die_at(patched: pytest.MonkeyPatch, stop: int) -> None:
    calls = iter(range(1, 1000))

    def dying(real: object) -> object:
        def call(*arguments: object, **named: object) -> object:
            if next(calls) == stop:
                raise _KilledError
            return real(*arguments, **named)  # type: ignore[operator]

        return call

    for name in ("replace", "rename", "link", "unlink", "mkdir"):
        patched.setattr(os, name, dying(getattr(os, name)))


def _call(world: World, name: str) -> None:
    documents = world.documents()
    upkeep = Upkeep(documents)
    calls: dict[str, Callable[[], object]] = {
        "read": lambda: documents.read("notes.md"),
        "write": lambda: _write(documents, "notes.md", "new"),
        "put": lambda: documents.put("threads/t/x.md", b"x"),
        "overlay": lambda: _write(documents, "notes.md", "new", tag=1),
        "protected": lambda: _write(documents, "MEMORY.md", "new"),
        "history": lambda: upkeep.history("notes.md"),
        "version": lambda: upkeep.version("notes.md", 1),
        "restore": lambda: upkeep.restore("notes.md", 1),
        "delete": lambda: upkeep.delete("notes.md"),
        "erase": lambda: upkeep.erase("notes.md"),
        "rename": lambda: upkeep.rename("notes.md", "x.md"),
        "sweep": lambda: upkeep.sweep(dry_run=True),
        "refresh": lambda: upkeep.refresh([], everything=True, budget_ms=1),
        "describe": lambda: upkeep.describe("notes.md"),
        "check": lambda: upkeep.check(repair=True),
    }
    calls[name]()


_EVERY_FILE_CALL = (
    "read write put overlay protected history version restore delete erase rename describe check"
)


@pytest.mark.parametrize(
    ("flag", "call"),
    [
        *(("file_documents", call) for call in _EVERY_FILE_CALL.split()),
        ("metadata", "overlay"),
        ("metadata", "describe"),
        ("versioning", "history"),
        ("versioning", "version"),
        ("versioning", "restore"),
        ("versioning", "sweep"),
        ("delete", "delete"),
        ("delete", "erase"),
        ("delete", "sweep"),
        ("prompt_write_safety", "protected"),
        ("full_text_search", "refresh"),
    ],
)
def test_what_a_backend_does_not_declare_is_refused_before_any_effect(
    world: World, disk: pathlib.Path, flag: str, call: str
) -> None:
    """No flag, no operation, no trace."""
    _write(world.documents(), "notes.md", "one")
    _write(world.documents(), "notes.md", "two")
    before = {path: path.stat().st_mtime_ns for path in disk.rglob("*")}
    opened = world.index.opened
    world.backend = replace(NATIVE, **{flag: False})

    with pytest.raises(MemoryFailure, match="unsupported"):
        _call(world, call)
    assert before == {path: path.stat().st_mtime_ns for path in disk.rglob("*")}
    assert opened == world.index.opened


def test_without_versioning_a_write_keeps_nothing(world: World, disk: pathlib.Path) -> None:
    """Writing does not ask for versions, so it goes on without them."""
    world.backend = replace(NATIVE, versioning=False)
    _write(world.documents(), "notes.md", "one")
    _write(world.documents(), "notes.md", "two")

    assert not list((disk / ".store/versions").iterdir())


def test_flags_are_off_until_declared() -> None:
    """An empty declaration declares nothing, and the native one says no to what it lacks."""
    off = ("vector_search", "embeddings", "graph_memory", "transactions")

    assert not any(vars(BackendCapabilities()).values())
    assert [flag for flag, on in vars(NATIVE).items() if not on] == list(off)


def _tree(documents: Documents, path: str = "", depth: int = 10) -> object:
    return json.loads(tree.listing(documents.root, documents.names, path, depth))


def test_the_tree_nests_directories_before_files(documents: Documents) -> None:
    """Sorted at each level; the last level only names directories."""
    for path in ("b.md", "a.md", "z/y/x.md", "z/a.md", "c/d.md"):
        _write(documents, path)

    assert _tree(documents, depth=1) == ["c/", "z/", "a.md", "b.md"]
    assert _tree(documents, depth=2) == [
        {"c/": ["d.md"]},
        {"z/": ["y/", "a.md"]},
        "a.md",
        "b.md",
    ]
    assert _tree(documents, "z", depth=5) == [{"y/": ["x.md"]}, "a.md"]
    assert _tree(documents, "z/", depth=0) == ["y/", "a.md"]


@pytest.mark.parametrize("path", ["absent", "a.md", "a.md/x", "link"])
def test_a_path_that_matches_no_directory_lists_nothing(
    documents: Documents, disk: pathlib.Path, path: str
) -> None:
    """It is no error, and a link is not followed."""
    _write(documents, "a.md")
    (disk / "link").symlink_to(disk.parent)

    assert _tree(documents, path) == []


def test_only_documents_and_directories_are_listed(
    documents: Documents, disk: pathlib.Path
) -> None:
    """The store, sidecar names, links and FIFOs are not there; a decomposed name is composed."""
    _write(documents, "a.md")
    (disk / "old.meta").write_text("x")
    (disk / "link.md").symlink_to("a.md")
    os.mkfifo(disk / "pipe")
    (disk / "cafe\u0301").mkdir()
    (disk / "cafe\u0301" / "b.md").write_text("x")
    with open(os.fsencode(disk) + b"/\xff.md", "wb") as file:  # noqa: PTH123 - a name in bytes
        file.write(b"x")

    assert _tree(documents) == [{"caf\u00e9/": ["b.md"]}, "a.md"]
    assert _tree(documents, "caf\u00e9") == ["b.md"]
    assert _tree(documents, "cafe\u0301") == ["b.md"]


@pytest.mark.parametrize("where", ["", "deep/"])
def test_a_long_listing_is_cut_and_says_so(
    documents: Documents, disk: pathlib.Path, where: str
) -> None:
    """Two thousand entries and a mark, at whatever level it was cut."""
    (disk / where).mkdir(exist_ok=True)
    for number in range(2001):
        (disk / f"{where}{number:04}.md").touch()
    listed = _tree(documents)

    assert isinstance(listed, list)
    assert listed[-1] == tree.CUT
    assert len(json.dumps(listed).split(", ")) in {2001, 2002}


def test_exactly_two_thousand_entries_are_not_cut(documents: Documents, disk: pathlib.Path) -> None:
    """The limit is inclusive."""
    for number in range(2000):
        (disk / f"{number:04}.md").touch()

    assert tree.CUT not in str(_tree(documents))


def test_the_key_of_a_path_is_injective_and_case_safe() -> None:
    """Twins have different keys of one case."""
    keys = {store.key(path) for path in ("a.md", "A.md", "a/md", "\u00e4.md")}

    assert len(keys) == 4
    assert all(key == key.lower() for key in keys)


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


def test_a_long_rebuild_is_begun_by_a_check_and_left_to_refresh(
    world: World, documents: Documents, disk: pathlib.Path
) -> None:
    """The finding stays unrepaired until a refresh has done the rest."""
    for number in range(5):
        (disk / f"{number}.md").write_text("x")
    ticks = iter(range(0, 10_000, 20))
    upkeep = Upkeep(documents, monotonic=lambda: float(next(ticks)))

    assert _findings(upkeep, repair=True) == [("index-unusable", "", False)]
    assert 0 < len(world.index.entries) < 5
    while upkeep.refresh([], everything=False, budget_ms=1).remaining:
        continue
    assert _findings(upkeep) == []
    assert len(world.index.entries) == 5


def test_erasing_takes_the_litter_of_killed_calls_along(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """What was staged a moment ago may be the very text that must go."""
    _write(documents, "notes.md", "secret")
    (disk / ".store/staging/0123").write_bytes(b"secret, staged")
    upkeep.erase("notes.md")

    assert not list((disk / ".store/staging").iterdir())
