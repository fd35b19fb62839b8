"""Directories and files that only their owner can reach, whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from ironclaw_memory.private import clear_unfinished, make_private, write_private


def test_every_directory_that_is_made_is_private(tmp_path: Path) -> None:
    """Whatever the process's mask is; what was there keeps its mode."""
    there = tmp_path / "there"
    there.mkdir(mode=0o755)
    before = os.umask(0)
    try:
        make_private(there / "a" / "b")
        make_private(there / "a" / "b")
    finally:
        os.umask(before)
    made = [there / "a", there / "a" / "b"]
    assert [stat.S_IMODE(place.stat().st_mode) for place in made] == [0o700, 0o700]
    assert stat.S_IMODE(there.stat().st_mode) == 0o755


class _Killed(BaseException):
    """Ends a write as SIGKILL would."""


def test_a_file_is_the_owners_alone_and_replaces_a_link(tmp_path: Path) -> None:
    """Whatever the process's mask is; what a link names is left as it was."""
    (tmp_path / "elsewhere").write_text("theirs")
    (tmp_path / "f").symlink_to(tmp_path / "elsewhere")
    before = os.umask(0)
    try:
        write_private(tmp_path / "f", b"new", durable=False, at_ns=5)
    finally:
        os.umask(before)
    status = (tmp_path / "f").lstat()
    assert (stat.S_ISREG(status.st_mode), stat.S_IMODE(status.st_mode)) == (True, 0o600)
    assert status.st_mtime_ns == 5
    assert (tmp_path / "f").read_bytes() == b"new"
    assert (tmp_path / "elsewhere").read_text() == "theirs"


@pytest.mark.parametrize(("durable", "synced"), [(True, ["file", "directory"]), (False, [])])
def test_a_durable_file_is_synced_and_then_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool, synced: list[str]
) -> None:
    """The other order would name a file that is not there after a power cut."""
    came: list[str] = []

    def noting(descriptor: int) -> None:
        is_directory = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        came.append("directory" if is_directory else "file")
        assert (tmp_path / "f").exists() == is_directory

    monkeypatch.setattr(os, "fsync", noting)
    write_private(tmp_path / "f", b"new", durable=durable)

    assert came == synced


def test_a_write_that_fails_leaves_the_old_file_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing beside it."""
    write_private(tmp_path / "f", b"old", durable=True)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_private(tmp_path / "f", b"new", durable=True)

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"f": b"old"}


def test_what_a_killed_writer_left_is_cleared_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is gone removes nothing itself."""
    write_private(tmp_path / "f", b"old", durable=False)
    write_private(tmp_path / "other", b"old", durable=False)

    def killed(*arguments: object, **named: object) -> None:
        raise _Killed

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", killed)
        patched.setattr(Path, "unlink", killed)
        for name in ("f", "other"):
            with pytest.raises(_Killed):
                write_private(tmp_path / name, b"new", durable=False)
    assert len(list(tmp_path.iterdir())) == 4

    clear_unfinished(tmp_path / "f")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert [name for name in left if not name.startswith(".")] == ["f", "other"]
    assert [name[:7] for name in left if name.startswith(".")] == [".other."]
    assert (tmp_path / "f").read_bytes() == b"old"
