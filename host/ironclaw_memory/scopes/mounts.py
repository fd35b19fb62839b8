"""The one place that turns a host path into a mount.

`open_root_ambient` is the only function here that uses the authority of the whole
process to reach a path (the rule and the name are cap-std's). Everything after it
opens names relative to a directory descriptor and follows no link, so a link that a
guest or a person planted between the root and a scope is refused, not followed.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ironclaw_memory.errors import RootUnusable
from ironclaw_memory.model import Access


DIRECTORY_MODE: Final = 0o700  # design.md section 6
HOST_DIRECTORY: Final = "host"  # design.md section 6: never mounted
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NO_LINK: Final = _DIRECTORY | os.O_NOFOLLOW


@dataclass(frozen=True, kw_only=True)
class Mount:
    """A directory of the host as a guest sees it: where, and whether it may write.

    The host's side is ``parts`` below ``root`` and shows in no message. ``access`` has
    no default on purpose.
    """

    root: Path = field(repr=False)
    parts: tuple[str, ...] = field(repr=False)
    guest_path: str
    access: Access

    @contextmanager
    def opened(self) -> Iterator[int]:
        """Yield a descriptor of the directory, closed at the end of the block.

        With access to write anything missing directories are made, mode 0700. With read
        access nothing is made: an absent scope is an empty directory that has no name any
        more. Raises `RootUnusable` if the way there is a link, is no directory, or
        cannot be used.
        """
        descriptor = self._open()
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def exists(self) -> bool:
        """Say whether something is there, making and opening nothing."""
        return self.stands_for() is not None

    def stands_for(self) -> tuple[int, int] | None:
        """Return the `identity` of what stands at the mount's path now, in one system call.

        It is compared with directories that were opened without following a link, and
        never opened itself: a link on the way only leads to another identity.
        """
        try:
            status = os.lstat("/".join((os.fspath(self.root), *self.parts)))  # on every call
        except OSError:
            return None
        return (status.st_dev, status.st_ino)

    def _open(self) -> int:
        make = self.access is not Access.READ
        try:
            try:
                root = open_root_ambient(self.root, make=make)
                return open_beneath(root, self.parts, make=make)
            except FileNotFoundError:
                if make:
                    raise
                return _open_nameless()
        except OSError as problem:
            raise _unusable(problem) from None


def open_root_ambient(root: Path, *, make: bool) -> int:
    """Return a descriptor of the data directory itself, which a link may lead to."""
    if make:
        root.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
    return os.open(root, _DIRECTORY)


def open_beneath(descriptor: int, parts: tuple[str, ...], *, make: bool) -> int:
    """Return a descriptor *parts* below *descriptor*, which is closed in any case.

    Raises `OSError` if a part is a link, is no directory, or is absent and not to be made.
    """
    for part in parts:
        try:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, DIRECTORY_MODE, dir_fd=descriptor)
            below = os.open(part, _NO_LINK, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = below
    return descriptor


def identity(descriptor: int) -> tuple[int, int] | None:
    """Return what tells one open directory from any other, or ``None`` for a removed one.

    Device and inode stay with a directory as long as somebody holds it open, so a warm
    instance is never mistaken for one of a directory that was made anew.
    """
    status = os.fstat(descriptor)
    return (status.st_dev, status.st_ino) if status.st_nlink else None


def _open_nameless() -> int:
    """Return a descriptor of an empty directory that is already removed.

    Nothing can be made in it and nothing has to be cleaned up.
    """
    import tempfile  # noqa: PLC0415 - seldom needed, and slow to load

    path = tempfile.mkdtemp()
    try:
        return os.open(path, _NO_LINK)
    finally:
        Path(path).rmdir()


def _unusable(problem: OSError) -> RootUnusable:
    """Name the kind of problem, not the path."""
    return RootUnusable(
        f"The directory of the scope cannot be used: {os.strerror(problem.errno or 0)}.",
        hint="Every directory below the root must be a real directory of yours, not a link; "
        "see `ironclaw-memory doctor`.",
    )
