"""Removing a directory that a guest filled: any depth, any number, no link followed.

`shutil.rmtree` calls itself for every level and holds a descriptor for each, so some
hundreds of nested directories end it with a `RecursionError`, and whatever is removed
on the way to something else would never be.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final


_ENTER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(directory: Path) -> None:
    """Remove *directory* and everything in it; what is not there is removed already.

    Every directory below is moved up to the top before it is emptied, so two
    descriptors are enough. Interrupted, it can be repeated. Raises `OSError`.
    """
    with suppress(FileNotFoundError):
        top = os.open(directory, _ENTER)
        try:
            _empty(top)
        finally:
            os.close(top)
        directory.rmdir()


def _empty(top: int) -> None:
    number = 0
    while names := os.listdir(top):
        for name in names:
            if not _is_directory(name, top):
                os.unlink(name, dir_fd=top)
                continue
            below = os.open(name, _ENTER, dir_fd=top)
            try:
                number = _lift(below, top, number)
            finally:
                os.close(below)
            os.rmdir(name, dir_fd=top)


def _lift(below: int, top: int, number: int) -> int:
    """Empty the directory *below*: files go, directories move to *top* under unused numbers."""
    for name in os.listdir(below):
        if not _is_directory(name, below):
            os.unlink(name, dir_fd=below)
            continue
        while _exists(str(number), top):
            number += 1
        os.rename(name, str(number), src_dir_fd=below, dst_dir_fd=top)
    return number


def _is_directory(name: str, directory: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode)


def _exists(name: str, directory: int) -> bool:
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
