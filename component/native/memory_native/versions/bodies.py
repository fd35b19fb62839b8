"""The bodies that are stored in full: one compressed file each, named by the version's number."""

import os
import zlib
from collections.abc import Iterable
from typing import Final

from memory_native import files, walking
from memory_native.limits import READ_BYTES
from memory_native.store import Store


_LEVEL: Final = 1  # measured on 900 KB of notes: level 6 takes five times as long, saves a fifth


class Bodies:
    """The full bodies in one history's directory."""

    def __init__(self, storage: Store, directory: str) -> None:
        self._store = storage
        self._directory = directory

    def sizes(self) -> dict[int, int]:
        """Return the bytes that each takes on disk, by number."""
        found = {}
        for entry in walking.scan(self._directory)[0]:
            if entry.name.isdecimal():
                found[int(entry.name)] = entry.stat(follow_symlinks=False).st_size
        return found

    def put(self, number: int, body: bytes) -> None:
        """Store a body; its name is on disk once the directory is synced."""
        staged = self._store.stage(zlib.compress(body, _LEVEL))
        os.replace(staged, self._path(number))

    def put_durably(self, number: int, body: bytes) -> None:
        """Store a body for good."""
        self.put(number, body)
        files.sync_directory(self._directory)

    def get(self, number: int) -> bytes | None:
        """Return a body, None if it is absent or damaged."""
        content = files.read_own(self._path(number))
        return None if content is None else _inflate(content)

    def drop(self, numbers: Iterable[int]) -> None:
        """Remove bodies for good, as far as they are there."""
        if sum(files.remove_if_present(self._path(number)) for number in numbers):
            files.sync_directory(self._directory)

    def _path(self, number: int) -> str:
        return f"{self._directory}/{number}"


def _inflate(content: bytes) -> bytes | None:
    unpacker = zlib.decompressobj()
    try:
        body = unpacker.decompress(content, READ_BYTES + 1)
    except zlib.error:
        return None
    return body if unpacker.eof else None
