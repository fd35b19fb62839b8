"""An archive as it is written: member after member, to a file or a pipe."""

import json
import tarfile
from hashlib import sha256
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

from ironclaw_memory.portability.members import ChecksumMember, Member, name_of


_MODE: Final = 0o600
_END: Final = b"\0" * (2 * tarfile.BLOCKSIZE)  # two empty blocks end an archive


def packed(member: Member, body: bytes, *, unix_ms: int = 0) -> bytes:
    """Return a member as it stands in an archive: its header, its body, filled up to a block."""
    header = tarfile.TarInfo(name_of(member))
    header.size = len(body)
    header.mode = _MODE
    header.mtime = unix_ms // 1000
    head = header.tobuf(tarfile.PAX_FORMAT, "utf-8", "strict")
    return b"".join((head, body, b"\0" * (-len(body) % tarfile.BLOCKSIZE)))


def as_json(value: Any) -> bytes:
    """Return *value* as it stands in a member."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return text.encode(errors="backslashreplace")


def checksum(digest: str) -> bytes:
    """Return the member that holds the hexadecimal *digest* of all bytes before it."""
    return packed(ChecksumMember(), f"{digest}\n".encode())


class Writer:
    """Writes an archive to *out* without ever seeking in it. Use with ``with``.

    The checksum and the mark of the end are written only if the block ends well: an
    archive that was broken off does not look whole.
    """

    def __init__(self, out: BinaryIO) -> None:
        """Write to *out*, which stays the caller's to close."""
        self._out = out
        self._sum = sha256()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._write(checksum(self._sum.hexdigest()))
            self._write(_END)

    def add(self, member: Member, body: bytes, *, unix_ms: int = 0) -> None:
        """Add a member with its body; names of users and machines stay out of it."""
        self._write(packed(member, body, unix_ms=unix_ms))

    def add_json(self, member: Member, value: Any) -> None:
        """Add a member that holds *value* as JSON."""
        self.add(member, as_json(value))

    def _write(self, content: bytes) -> None:
        self._sum.update(content)
        self._out.write(content)
