"""Removing what a guest left behind, however it is shaped."""

import os
from pathlib import Path

from ironclaw_memory.upkeep.removing import remove_tree


def _burrow(directory: Path, levels: int) -> None:
    directory.mkdir()
    here = os.open(directory, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=here)
        os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=here))
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def test_any_depth_is_removed(tmp_path: Path) -> None:
    """Two thousand levels, where a function that calls itself gives up at one thousand."""
    _burrow(tmp_path / "deep", 2_000)
    remove_tree(tmp_path / "deep")
    assert list(tmp_path.iterdir()) == []


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    """What a link leads to stays."""
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "a.md").write_text("tea")
    gone = tmp_path / "gone"
    gone.mkdir()
    (gone / "0").mkdir()  # a name that moving up would use
    (gone / "0" / "below").mkdir()
    (gone / "link").symlink_to(kept)
    (gone / "0" / "below" / "link").symlink_to(kept / "a.md")
    os.mkfifo(gone / "pipe")
    remove_tree(gone)
    assert not gone.exists()
    assert (kept / "a.md").read_text() == "tea"


def test_what_is_not_there_is_removed_already(tmp_path: Path) -> None:
    """Repeating a removal is no error."""
    remove_tree(tmp_path / "nothing")
