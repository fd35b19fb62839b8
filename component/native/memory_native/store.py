"""The provider's own directory, ``.store``: what is in it and which format it has.

    .store/format                   a number; a newer one than ours is never written to
    .store/staging/                 files being written; older ones are litter
    .store/versions/<key>/          the history of one document
    .store/meta/<key>.json          the metadata of one document
    .store/index/                   the search index, derived
    .store/rename.json              a rename under way

``<key>`` is the SHA-256 of the path in hexadecimal: injective, one case, 64 bytes.
"""

import os
import stat
from contextlib import suppress
from hashlib import sha256
from typing import Final

from memory_native import files, paths, walking
from memory_native.failures import MemoryFailure
from memory_native.limits import LITTER_SECONDS


FORMAT: Final = 1
_FORMAT_BYTES: Final = 64
_LITTER_MS: Final = LITTER_SECONDS * 1000
_ROOMS: Final = ("staging", "versions", "meta", "index")
_DERIVED: Final = frozenset({"staging", "index"})  # what is in them can be made anew


def key(path: str) -> str:
    """Return the name under which the store keeps things about *path*."""
    return sha256(path.encode()).hexdigest()


class Store:
    """The layout of one scope's ``.store``."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.directory = f"{root}/{paths.STORE}"
        self.staging = f"{self.directory}/staging"
        self.versions = f"{self.directory}/versions"
        self.metadata = f"{self.directory}/meta"
        self.index = f"{self.directory}/index"
        self.rename_journal = f"{self.directory}/rename.json"
        self._rooms_made = False
        self._cleared_ms: int | None = None

    def format(self) -> int | None:
        """Return the store's format number, None where there is no store, 0 if it is damaged."""
        content = files.read_own(f"{self.directory}/format", most=_FORMAT_BYTES)
        if content is None:
            return None
        text = content.strip()
        return int(text) if text.isdigit() and len(text) < 10 else 0  # noqa: PLR2004 - a sane number

    def prepare(self, *, unix_ms: int) -> bool:
        """Make the store ready for writing and clear what killed calls left in it.

        Tells whether the scope is fresh: neither documents nor a store until now.
        Raises ``store-newer`` if another format is in use, ``format-damaged`` if
        nobody can tell, ``storage-failed`` if ``.store`` is not a directory of its own,
        ``store-damaged`` if something stands where versions or metadata are kept.
        """
        with files.storage():
            found = self.format()
            if found not in (None, FORMAT):
                raise MemoryFailure("store-newer" if found else "format-damaged")
            is_fresh = found is None and not walking.scan(self.root)[0]
            if found is None or not self._rooms_made:  # a person may remove .store at any time
                self._make_rooms()
            if found is None:
                self.write_format()
            self._clear_now_and_then(unix_ms)
        return is_fresh

    def write_format(self) -> None:
        """Say that the store has our format; a directory in that place is moved aside."""
        place = f"{self.directory}/format"
        found = files.lstat(place)
        if found is not None and _is_directory(found):
            _move_aside(place)
        self.write_own(place, b"%d\n" % FORMAT)

    def misplaced(self) -> list[str]:
        """Return the names of the rooms in whose place something else stands."""
        looked = {room: files.lstat(f"{self.directory}/{room}") for room in _ROOMS}
        return [room for room, found in looked.items() if found and not _is_directory(found)]

    def make_room(self, room: str) -> None:
        """Move what stands in the place of *room* aside, and make it."""
        place = f"{self.directory}/{room}"
        _move_aside(place)
        os.mkdir(place, 0o700)
        files.sync_directory(self.directory)

    def stage(self, content: bytes) -> str:
        """Write *content* durably to a new file in the staging room; returns its path."""
        return self.stage_with_status(content)[0]

    def stage_with_status(self, content: bytes) -> tuple[str, os.stat_result]:
        """Do the same, and return the file's status too."""
        path = f"{self.staging}/{os.urandom(8).hex()}"
        return path, files.create(path, content)

    def write_own(self, path: str, content: bytes) -> None:
        """Replace a file of the store durably."""
        staged = self.stage(content)
        os.replace(staged, path)
        files.sync_directory(os.path.dirname(path))

    def litter(self, *, before_ms: int | None = None) -> list[str]:
        """Return the staged files, those older than *before_ms* if that is given."""
        found = []
        for entry in walking.scan(self.staging)[0]:
            status = files.lstat(entry.path)
            if status and (before_ms is None or status.st_mtime_ns < before_ms * 1_000_000):
                found.append(entry.path)
        return found

    def clear_litter(self, *, before_ms: int | None = None) -> int:
        """Remove staged files; returns how many."""
        found = self.litter(before_ms=before_ms)
        for path in found:
            with suppress(FileNotFoundError):
                os.unlink(path)
        return len(found)

    def _clear_now_and_then(self, unix_ms: int) -> None:
        """Look for old litter, not more often than litter grows old."""
        if self._cleared_ms is None or not 0 <= unix_ms - self._cleared_ms < _LITTER_MS:
            self.clear_litter(before_ms=unix_ms - _LITTER_MS)
            self._cleared_ms = unix_ms

    def _make_rooms(self) -> None:
        found = files.lstat(self.directory)
        if found is None:
            os.mkdir(self.directory, 0o700)
        elif not _is_directory(found):
            raise MemoryFailure("storage-failed")
        for room in _ROOMS:
            found = files.lstat(f"{self.directory}/{room}")
            if found is None:
                os.mkdir(f"{self.directory}/{room}", 0o700)
            elif not _is_directory(found):
                if room not in _DERIVED:  # a person has to see to what they put there
                    raise MemoryFailure("store-damaged")
                self.make_room(room)
        files.sync_directory(self.directory)
        files.sync_directory(self.root)
        self._rooms_made = True


def _is_directory(status: os.stat_result) -> bool:
    return stat.S_ISDIR(status.st_mode)


def _move_aside(path: str) -> None:
    """Have nothing at *path*: a link goes, anything else may be somebody's and is kept beside it."""
    if os.path.islink(path):
        os.unlink(path)
    else:
        os.rename(path, f"{path}.{os.urandom(4).hex()}")
