"""What a guest that was stopped can leave behind and cannot clear away itself."""

import os
from contextlib import suppress
from typing import Final

from ironclaw_memory.scopes.walk import ENTER, STORE


_SUFFIX: Final = ".lock"


def clear_stale_locks(directory: int) -> None:
    """Remove the lock directories of SQLite databases in a scope and in its ``.store``.

    SQLite in a guest locks ``N`` by making the directory ``N.lock``; a guest that is
    stopped meanwhile leaves it, and everybody after it finds the database locked for
    ever (tech-notes.md section 0.4). Whoever calls this holds the scope exclusively, so
    no lock that is found belongs to anybody. Only empty directories beside a file of
    the name are taken.
    """
    _clear(directory)
    with suppress(OSError):
        store = os.open(STORE, ENTER, dir_fd=directory)
        try:
            _clear(store)
        finally:
            os.close(store)


def _clear(directory: int) -> None:
    with os.scandir(directory) as entries:
        names = {entry.name for entry in entries}
    for name in names:
        if name.endswith(_SUFFIX) and name.removesuffix(_SUFFIX) in names:
            with suppress(OSError):
                os.rmdir(name, dir_fd=directory)
