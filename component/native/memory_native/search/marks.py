"""Two small files beside the index: whether it is being written, and whether it is on disk.

A kill in the middle of a transaction may leave the index malformed, so trust hangs on the *mark*:
the writer creates it before its first write and removes it after its commit; whoever finds it does
not read the index.

A power cut may leave some pages as they were, so a second file, which is on disk before the first
page changes, says that the index was not *synced* since. A refresh syncs it and removes that file;
whoever was told not to trust the index (`upkeep.refresh` with ``everything``) and finds it
starts afresh. A mark that says `REBUILDING` is only set on what is synced.
"""

import os
import secrets
import stat


MARK_NAME = "dirty"
UNSYNCED_NAME = "unsynced"

WRITING = ""
REBUILDING = "rebuilding"

FILE_MODE = 0o600
_DIRECTORY_MODE = 0o700
# A pipe is looked at before it is opened: to open one waits for its other end, and WASI knows no
# flag against that.
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
READ = os.O_RDONLY | NO_LINK
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | NO_LINK


def mark_path(directory: str) -> str:
    """Return where the mark is."""
    return os.path.join(directory, MARK_NAME)


def is_marked(directory: str) -> bool:
    """Tell whether a writer has begun and not ended."""
    return os.path.lexists(mark_path(directory))


def begin_mark(directory: str) -> str | None:
    """Create the mark of a writer at work; return what an older one says, None where none was.

    One that cannot be read was being written. Whatever else stands in its place gives way.
    """
    try:
        os.close(os.open(mark_path(directory), CREATE, FILE_MODE))
    except FileNotFoundError:
        os.makedirs(directory, _DIRECTORY_MODE, exist_ok=True)
    except NotADirectoryError:
        clear_place(directory)
        os.makedirs(directory, _DIRECTORY_MODE)
    except OSError:
        pass
    else:
        return None
    found = mark_state(directory)
    set_mark(directory, WRITING)
    return found


def set_mark(directory: str, state: str) -> None:
    """Have the mark say *state*, on disk, in a *directory* that exists.

    A link, a pipe or a directory in its place gives way.
    """
    path = mark_path(directory)
    if os.path.lexists(path) and not _is_file(path):
        clear_place(path)
    handle = os.open(path, _WRITE, FILE_MODE)
    try:
        os.write(handle, state.encode())
        os.fsync(handle)
    finally:
        os.close(handle)


def note_unsynced(directory: str) -> bool:
    """Have it on disk that the index is not synced; return whether that was so already."""
    path = os.path.join(directory, UNSYNCED_NAME)
    try:
        handle = os.open(path, CREATE, FILE_MODE)
    except FileExistsError:
        return True
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    sync_place(directory, os.O_RDONLY | os.O_DIRECTORY)
    return False


def note_synced(directory: str) -> None:
    """Take back `note_unsynced`; a power cut may undo that, which costs a rebuild."""
    clear_place(os.path.join(directory, UNSYNCED_NAME))


def sync_place(path: str, flags: int) -> None:
    """Have what is at *path*, opened with *flags*, on disk."""
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def clear_place(path: str) -> None:
    """Have nothing at *path*: a directory that is not empty is moved aside."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError:
        os.rename(path, f"{path}.{secrets.token_hex(4)}")


def _is_file(path: str) -> bool:
    return stat.S_ISREG(os.stat(path, follow_symlinks=False).st_mode)


def mark_state(directory: str) -> str | None:
    """Return what the mark says, None where there is none; one that cannot be read was being written."""
    path = mark_path(directory)
    if not os.path.lexists(path):
        return None
    try:
        if not _is_file(path):
            return WRITING
        handle = os.open(path, READ)
    except OSError:
        return WRITING
    try:
        return os.read(handle, 64).decode("ascii", "replace")
    except OSError:
        return WRITING
    finally:
        os.close(handle)


def clear_mark(directory: str) -> None:
    """Remove the mark: the index file is what it should be."""
    os.unlink(mark_path(directory))
