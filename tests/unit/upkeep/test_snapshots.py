"""Snapshots: what is copied, when, and that a restore ends whole wherever it is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ironclaw_memory.errors import InvalidArguments, LimitExceeded, RootUnusable
from ironclaw_memory.model import LATEST, Scope
from ironclaw_memory.scopes import LocalStore, directory_of
from ironclaw_memory.upkeep import copying
from ironclaw_memory.upkeep.snapshots import Snapshot, Snapshots


DAY = 24 * 60 * 60 * 1000
NOW = 1_780_000_000_000
SCOPE = Scope(tenant="acme", user="alice")
OTHER = Scope(tenant="acme", user="bob")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return the directory of `SCOPE` with a document, a nested one and a store."""
    home = tmp_path.joinpath(*directory_of(SCOPE))
    (home / "daily").mkdir(parents=True)
    (home / ".store").mkdir()
    (home / "MEMORY.md").write_text("tea\n")
    (home / "daily" / "1.md").write_text("one\n")
    (home / ".store" / "index").write_bytes(b"\0\1")
    return home


def _snapshots(tmp_path: Path, kept: int = 7) -> Snapshots:
    return Snapshots(LocalStore(tmp_path), tmp_path / "host", kept=kept)


def _taken(taken: Snapshot | None) -> Snapshot:
    assert taken is not None
    return taken


def _content(home: Path) -> dict[str, bytes]:
    files = (path for path in home.rglob("*") if path.is_file())
    return {str(path.relative_to(home)): path.read_bytes() for path in files}


def test_one_snapshot_before_the_first_write_of_a_day(tmp_path: Path, home: Path) -> None:
    """The second write of the day takes none, the next day's first one does."""
    kept = _snapshots(tmp_path)
    first = _taken(kept.before_write(SCOPE, now_ms=NOW))
    assert (first.files, first.bytes) == (3, 10)
    assert kept.before_write(SCOPE, now_ms=NOW + 1) is None
    second = _taken(kept.before_write(SCOPE, now_ms=NOW + DAY))
    assert [snapshot.id for snapshot in kept.all(SCOPE)] == [second.id, first.id]


def test_a_scope_without_documents_needs_no_snapshot(tmp_path: Path) -> None:
    """Nothing is copied, nothing is made."""
    assert _snapshots(tmp_path).before_write(OTHER, now_ms=NOW) is None
    assert _snapshots(tmp_path).all(OTHER) == ()


def test_restoring_brings_back_exactly_what_was_there(tmp_path: Path, home: Path) -> None:
    """Changed, removed and added files, the directory itself stays the same one."""
    kept, before, inode = _snapshots(tmp_path), _content(home), home.stat().st_ino
    taken = _taken(kept.take(SCOPE, now_ms=NOW))
    (home / "MEMORY.md").write_text("poison")
    (home / "daily" / "1.md").unlink()
    (home / "daily").rmdir()
    (home / "new.md").write_text("more poison")

    undo = _taken(kept.restore(SCOPE, taken.id, now_ms=NOW + 1))
    assert _content(home) == before
    assert home.stat().st_ino == inode

    kept.restore(SCOPE, undo.id, now_ms=NOW + 2)
    assert _content(home)["MEMORY.md"] == b"poison"


def test_the_latest_snapshot_needs_no_id(tmp_path: Path, home: Path) -> None:
    """The newest one is meant; where there is none the word is as wrong as any id."""
    kept = _snapshots(tmp_path)
    with pytest.raises(InvalidArguments):
        kept.restore(SCOPE, LATEST, now_ms=NOW)
    kept.take(SCOPE, now_ms=NOW)
    (home / "MEMORY.md").write_text("second\n")
    kept.take(SCOPE, now_ms=NOW + 1)
    (home / "MEMORY.md").write_text("third\n")
    kept.restore(SCOPE, LATEST, now_ms=NOW + 2)
    assert _content(home)["MEMORY.md"] == b"second\n"


def test_another_scope_is_not_touched(tmp_path: Path, home: Path) -> None:
    """A snapshot of one scope cannot be restored into another."""
    kept = _snapshots(tmp_path)
    taken = _taken(kept.take(SCOPE, now_ms=NOW))
    assert kept.all(OTHER) == ()
    with pytest.raises(InvalidArguments):
        kept.restore(OTHER, taken.id, now_ms=NOW)


def test_links_and_pipes_are_passed_over(tmp_path: Path, home: Path) -> None:
    """Neither a planted link nor a pipe is followed, opened or copied."""
    (tmp_path / "secret").write_text("of the host")
    (home / "link.md").symlink_to(tmp_path / "secret")
    (home / "dir").symlink_to(tmp_path)
    os.mkfifo(home / "pipe")
    taken = _taken(_snapshots(tmp_path).take(SCOPE, now_ms=NOW))

    assert (taken.files, taken.skipped) == (3, 3)
    copies = (tmp_path / "host" / "snapshots").rglob("*")
    assert b"of the host" not in [path.read_bytes() for path in copies if path.is_file()]


@pytest.mark.parametrize("snapshot_id", ["nope", "..", "../x", "", "snapshot-20260101-aaaaaaaa"])
def test_an_id_that_names_no_snapshot_is_refused(
    tmp_path: Path, home: Path, snapshot_id: str
) -> None:
    """No path is made of what the caller types."""
    before = _content(home)
    with pytest.raises(InvalidArguments):
        _snapshots(tmp_path).restore(SCOPE, snapshot_id, now_ms=NOW)
    assert _content(home) == before


@pytest.mark.parametrize("damage", ["byte", "missing", "extra", "index"])
def test_a_damaged_snapshot_is_refused_before_anything_is_touched(
    tmp_path: Path, home: Path, damage: str
) -> None:
    """Every hash is checked first."""
    kept, before = _snapshots(tmp_path), _content(home)
    taken = _taken(kept.take(SCOPE, now_ms=NOW))
    (copy,) = (tmp_path / "host" / "snapshots").glob(f"*/{taken.id}")
    match damage:
        case "byte":
            (copy / "files" / "MEMORY.md").write_text("cha\n")
        case "missing":
            (copy / "files" / "MEMORY.md").unlink()
        case "extra":
            (copy / "files" / "more").write_text("x")
        case _:
            (copy / "index.json").write_text("{")
    with pytest.raises(InvalidArguments):
        kept.restore(SCOPE, taken.id, now_ms=NOW)
    assert _content(home) == before


def test_only_the_newest_are_kept_and_the_one_to_restore(tmp_path: Path, home: Path) -> None:
    """The oldest go, but never the one that is being brought back."""
    kept = _snapshots(tmp_path, kept=2)
    taken = [_taken(kept.take(SCOPE, now_ms=NOW + day * DAY)) for day in range(4)]
    assert [s.id for s in kept.all(SCOPE)] == [taken[3].id, taken[2].id]

    (home / "MEMORY.md").write_text("later\n")
    kept.restore(SCOPE, taken[2].id, now_ms=NOW + 5 * DAY)
    assert _content(home)["MEMORY.md"] == b"tea\n"


class _Killed(BaseException):
    """Stands for the end of the process."""


def _killed_after(calls: int, do: Callable[..., None]) -> Callable[..., None]:
    left = iter(range(calls))

    def dying(*arguments: object, **named: object) -> None:
        if next(left, None) is None:
            raise _Killed
        do(*arguments, **named)

    return dying


@pytest.mark.parametrize("renames", range(1, 9))
def test_a_restore_killed_between_two_moves_is_finished_later(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    """One rename keeps what was there, four move out, one turns the tide, three move in."""
    kept, before = _snapshots(tmp_path), _content(home)
    taken = _taken(kept.take(SCOPE, now_ms=NOW))
    (home / "MEMORY.md").write_text("poison")
    (home / "extra.md").write_text("poison")
    with monkeypatch.context() as patched:
        patched.setattr("os.rename", _killed_after(renames, os.rename))
        with pytest.raises(_Killed):
            kept.restore(SCOPE, taken.id, now_ms=NOW + 1)

    assert _content(home) != before
    assert _snapshots(tmp_path).finish_interrupted(SCOPE)
    assert not _snapshots(tmp_path).finish_interrupted(SCOPE)
    assert _content(home) == before


def test_a_restore_killed_before_the_first_move_has_not_happened(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until what was there is kept, nothing moves."""
    kept = _snapshots(tmp_path)
    taken = _taken(kept.take(SCOPE, now_ms=NOW))
    (home / "MEMORY.md").write_text("later")
    with monkeypatch.context() as patched:
        patched.setattr("os.rename", _killed_after(0, os.rename))
        with pytest.raises(_Killed):
            kept.restore(SCOPE, taken.id, now_ms=NOW + 1)

    _snapshots(tmp_path).finish_interrupted(SCOPE)
    assert _content(home)["MEMORY.md"] == b"later"
    assert kept.restore(SCOPE, taken.id, now_ms=NOW + 2)
    assert _content(home)["MEMORY.md"] == b"tea\n"


def test_a_scope_beyond_the_bounds_is_refused(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The write is refused rather than half protected, and the half copy goes."""
    monkeypatch.setattr(copying, "MAX_BYTES", 5)
    with pytest.raises(LimitExceeded):
        _snapshots(tmp_path).before_write(SCOPE, now_ms=NOW)
    assert _snapshots(tmp_path).all(SCOPE) == ()
    assert _copies(tmp_path) == []


KILLED = """
import os, pathlib, signal, sys
from ironclaw_memory.model import Scope
from ironclaw_memory.scopes import LocalStore
from ironclaw_memory.upkeep import snapshots

snapshots._index = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
root = pathlib.Path(sys.argv[1])
kept = snapshots.Snapshots(LocalStore(root), root / "host")
kept.take(Scope(tenant="acme", user="alice"), now_ms=int(sys.argv[2]))
"""


@pytest.mark.parametrize("then", ["forget", "take"])
def test_what_a_killed_snapshot_copied_goes(tmp_path: Path, home: Path, then: str) -> None:
    """With what is erased, or with the next snapshot: nobody would ever look at it."""
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(NOW)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert "MEMORY.md" in _copies(tmp_path)

    kept = _snapshots(tmp_path)
    (home / "MEMORY.md").unlink()
    if then == "take":
        assert _taken(kept.take(SCOPE, now_ms=NOW)).files == 2
    else:
        assert kept.forget(SCOPE) == 0
    assert "MEMORY.md" not in _copies(tmp_path)


def _copies(tmp_path: Path) -> list[str]:
    found = (tmp_path / "host" / "snapshots").rglob("*")
    return [path.name for path in found if path.is_file()]


def test_a_snapshot_that_cannot_be_written_is_a_fault_of_the_host(
    tmp_path: Path, home: Path
) -> None:
    """The error names no path."""
    (tmp_path / "host").mkdir(exist_ok=True)
    (tmp_path / "host" / "snapshots").write_text("in the way")
    with pytest.raises(RootUnusable) as caught:
        _snapshots(tmp_path).before_write(SCOPE, now_ms=NOW)
    assert str(tmp_path) not in caught.value.message


def test_a_scope_that_a_provider_made_too_deep_to_copy_is_restored_all_the_same(
    tmp_path: Path, home: Path
) -> None:
    """Else the provider could prevent the one act that mends what it did."""
    kept = _snapshots(tmp_path)
    wanted = _taken(kept.before_write(SCOPE, now_ms=NOW))
    before = _content(home)
    home.joinpath(*["d"] * (copying.MAX_DEPTH + 5)).mkdir(parents=True)
    (home / "MEMORY.md").unlink()

    assert kept.restore(SCOPE, wanted.id, now_ms=NOW + 1) is None
    assert _content(home) == before
    assert not (home / "d").exists()
