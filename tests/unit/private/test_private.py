"""Directories that only their owner can enter."""

import os
import stat
from pathlib import Path

from ironclaw_memory.private import make_private


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
