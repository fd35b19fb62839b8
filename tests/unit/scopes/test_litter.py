"""What stopped guests leave behind."""

import os
from pathlib import Path

import pytest

from ironclaw_memory.scopes import clear_stale_locks


@pytest.mark.parametrize("place", [".", ".store"])
def test_the_lock_of_a_stopped_guest_is_removed(tmp_path: Path, place: str) -> None:
    """A database that nobody uses is not locked; everything else stays."""
    home = tmp_path / place
    (home / "index.sqlite.lock").mkdir(parents=True)
    (home / "index.sqlite").write_text("")
    (home / "notes.lock").mkdir()
    (home / "full.lock").mkdir()
    (home / "full").write_text("")
    (home / "full.lock/x").write_text("")

    directory = os.open(tmp_path, os.O_RDONLY)
    clear_stale_locks(directory)
    os.close(directory)

    left = {path.name for path in home.iterdir()} - {".store"}
    assert left == {"index.sqlite", "notes.lock", "full", "full.lock"}


def test_a_scope_without_a_store_is_left_alone(tmp_path: Path) -> None:
    """Nothing is made, and a link instead of the store is not followed."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.lock").mkdir()
    (tmp_path / "outside/a").write_text("")
    (tmp_path / "scope").mkdir()
    (tmp_path / "scope/.store").symlink_to("../outside")

    directory = os.open(tmp_path / "scope", os.O_RDONLY)
    clear_stale_locks(directory)
    os.close(directory)

    assert (tmp_path / "outside/a.lock").exists()
