"""Texts that a killed call staged and nobody will put in place.

A profile operation sees ``context/`` alone and stages in a store of its own there, which no
write to a document ever looks into.
"""

import os
import stat
from contextlib import suppress

from memory_native import files, paths
from memory_native.store import Store


def staged(root: str) -> list[str]:
    """Return the staged files of both stores of a scope."""
    return [path for store in stores(root) if _is_own(store.staging) for path in store.litter()]


def clear(root: str) -> None:
    """Remove them."""
    for path in staged(root):
        with suppress(FileNotFoundError):
            os.unlink(path)


def stores(root: str) -> list[Store]:
    """Return those of both stores of a scope that are there."""
    both = [Store(os.path.dirname(f"{root}/{name}")) for name in sorted(paths.STORES)]
    return [store for store in both if _is_own(store.directory)]


def _is_own(directory: str) -> bool:
    """Tell a directory from a link to one, in which documents may lie."""
    found = files.lstat(directory)
    return found is not None and stat.S_ISDIR(found.st_mode)
