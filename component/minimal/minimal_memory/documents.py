"""Documents as files below one directory: read, stored whole or not at all, never through a link."""

import os
import stat

from minimal_memory import names
from minimal_memory.failing import Refusal


LARGEST = 1 << 20  # bytes of a document


class Documents:
    """The documents below *root*."""

    def __init__(self, root: str) -> None:
        """Serve *root*; nothing is opened yet."""
        self._root = root

    def read(self, path: str) -> str | None:
        """Return a document's text, or ``None`` where there is none."""
        status = self._status(path)
        if status is None:
            return None
        if not stat.S_ISREG(status.st_mode):  # a directory, a link, a pipe: not ours to open
            raise Refusal("operation", "not-a-document")
        with open(f"{self._root}/{path}", "rb") as file:
            body = file.read(LARGEST + 1)
        try:
            return body.decode()
        except UnicodeDecodeError:
            raise Refusal("operation", "not-text") from None

    def store(self, path: str, text: str) -> None:
        """Make *text* the document: written beside it, synced, and moved into its place."""
        body = text.encode()
        if len(body) > LARGEST:
            raise Refusal("input", "document-too-large", "content")
        self._make_way(path)
        scratch = f"{self._root}/.store/new"
        os.makedirs(os.path.dirname(scratch), exist_ok=True)
        with open(scratch, "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, f"{self._root}/{path}")
        _sync(os.path.dirname(f"{self._root}/{path}"))

    def _status(self, path: str) -> os.stat_result | None:
        """Look at *path* without following a link anywhere on the way to it."""
        at = self._root
        for segment in path.split("/"):
            if at != self._root and not stat.S_ISDIR(os.lstat(at).st_mode):
                return None
            at = f"{at}/{segment}"
            try:
                found = os.lstat(at)
            except OSError:
                return None
        return found

    def _make_way(self, path: str) -> None:
        """Make the directories above *path*; refuse twins and what stands in the way."""
        at = self._root
        segments = path.split("/")
        for segment in segments[:-1]:
            self._refuse_twin(at, segment)
            at = f"{at}/{segment}"
            if not os.path.lexists(at):
                os.mkdir(at)
            elif not stat.S_ISDIR(os.lstat(at).st_mode):
                raise Refusal("operation", "path-occupied")
        self._refuse_twin(at, segments[-1])
        target = f"{at}/{segments[-1]}"
        if os.path.lexists(target) and not stat.S_ISREG(os.lstat(target).st_mode):
            raise Refusal("operation", "path-occupied")

    def _refuse_twin(self, directory: str, name: str) -> None:
        """Refuse a new name that a file system could take for one that is there."""
        if os.path.lexists(f"{directory}/{name}"):
            return
        try:
            there = os.listdir(directory)
        except OSError:  # a name in there is not UTF-8, so twins cannot be told
            return
        if names.fold(name) in map(names.fold, there):
            raise Refusal("input", "path-twin", "target")


def _sync(directory: str) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
