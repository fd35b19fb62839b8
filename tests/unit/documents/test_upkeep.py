"""Refresh, retention of documents, and what killed calls leave."""

import json
import os
import pathlib
from contextlib import suppress

import pytest
from tests.unit.documents.fakes import NOON, World

from memory_native import walking
from memory_native.documents import Documents, WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.metadata import Policy
from memory_native.upkeep import Upkeep


DAY_MS = 86_400_000


def _write(documents: Documents, path: str, content: str = "text", **metadata: object) -> None:
    overlay = json.dumps(metadata) if metadata else None
    documents.write(WriteRequest(target=path, content=content, append=False, metadata=overlay))


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


def test_listing_a_large_scope_takes_nothing_from_the_time_for_indexing(
    world: World, documents: Documents, disk: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each call would list everything and index a single document."""
    for number in range(5):
        (disk / f"{number}.md").write_text("x")
    now, real = [0.0], walking.scan

    def slow(directory: str) -> tuple[list[os.DirEntry[str]], bool]:
        now[0] += 60.0
        return real(directory)

    monkeypatch.setattr(walking, "scan", slow)
    upkeep = Upkeep(documents, monotonic=lambda: now[0])

    report = upkeep.refresh([], everything=True, budget_ms=1)
    assert (report.indexed, report.remaining) == (5, 0)


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


@pytest.mark.parametrize("neighbour", [b"other.md", b"bad\xff.md"])
def test_a_living_document_of_a_decomposed_name_keeps_its_history(
    world: World,
    documents: Documents,
    upkeep: Upkeep,
    disk: pathlib.Path,
    neighbour: bytes,
) -> None:
    """Edited by hand today, it is not forgotten, though its last version is old."""
    rule = {"enabled": True, "retention_days": 7}
    (disk / "cafe\u0301.md").write_text("one")
    (disk / os.fsdecode(neighbour)).write_text("x")
    _write(documents, "caf\u00e9.md", "two", hygiene=rule)
    world.host.unix_ms += 40 * DAY_MS
    (disk / "cafe\u0301.md").write_text("by hand")
    os.utime(disk / "cafe\u0301.md", ns=(0, world.host.unix_ms * 1_000_000))

    assert upkeep.sweep(dry_run=False).versions == 0
    assert documents.read("caf\u00e9.md").content == "by hand"
    assert len(upkeep.history("caf\u00e9.md").versions) == 1


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


def test_litter_of_killed_calls_is_cleared_by_a_later_one(
    world: World, documents: Documents, disk: pathlib.Path
) -> None:
    """Old enough, it belongs to nobody."""
    _write(documents, "notes.md")
    litter = disk / ".store/staging/0123"
    litter.write_bytes(b"x")
    os.utime(litter, ns=(0, NOON * 1_000_000))
    _write(documents, "notes.md", "other")
    assert litter.exists()
    world.host.unix_ms += 61_000
    _write(documents, "notes.md", "another")

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


def test_erasing_takes_the_litter_of_killed_calls_along(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """What was staged a moment ago may be the very text that must go."""
    _write(documents, "notes.md", "secret")
    (disk / ".store/staging/0123").write_bytes(b"secret, staged")
    upkeep.erase("notes.md")

    assert not list((disk / ".store/staging").iterdir())


def test_a_refresh_of_everything_looks_for_metadata_where_there_is_some(
    world: World, disk: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes a guest as long as reading the document does."""
    (disk / "a/b").mkdir(parents=True)
    (disk / "m").mkdir()
    (disk / "m/.config").write_text('{"skip_indexing": true}')
    for path in ("a/b/plain.md", "m/governed.md"):
        (disk / path).write_text("text")
    documents, asked = world.documents(), list[str]()
    policy = documents.sidecars.policy

    def noted(path: str) -> Policy:
        asked.append(path)
        return policy(path)

    monkeypatch.setattr(documents.sidecars, "policy", noted)
    Upkeep(documents).refresh([], everything=True, budget_ms=1_000)

    assert set(world.index.texts()) == {"a/b/plain.md"}
    assert "a/b/plain.md" not in asked
    assert "m/governed.md" in asked
