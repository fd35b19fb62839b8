"""Directories that only their owner can enter."""

from pathlib import Path
from typing import Final


MODE: Final = 0o700  # design.md section 6


def make_private(directory: Path) -> None:
    """Make *directory* and whatever is missing above it, each with mode 0700.

    `Path.mkdir` would make the parents as the process's mask has it. Raises `OSError`.
    """
    missing = [place for place in (directory, *directory.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=MODE, exist_ok=True)
