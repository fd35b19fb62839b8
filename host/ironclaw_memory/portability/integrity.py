"""Whether an archive is whole: its end is there, and it is as it was written.

A tar says nothing about its own length. A reader that comes to the end of the file, or to
a header that makes no sense, stops there as if nothing were missing: half an archive would
come in as if it were all.
"""

import tarfile
from hashlib import sha256
from typing import BinaryIO, Final

from ironclaw_memory.portability.hostile import TRUNCATED, ArchiveDamaged
from ironclaw_memory.portability.writing import checksum


_PIECE: Final = 1 << 20
_END_BYTES: Final = 2 * tarfile.BLOCKSIZE  # empty ones, as POSIX has it


class ArchiveChanged(ArchiveDamaged):
    """The archive is sound and not as it was written."""

    advice = (
        "Get an undamaged copy of it, or export again. If you packed it anew yourself, "
        "leave archive.sha256 out."
    )


def check_end(file: BinaryIO, *, at: int) -> None:
    """Raise `ArchiveDamaged` unless nothing but the mark of the end comes after byte *at*."""
    file.seek(at + -at % tarfile.BLOCKSIZE)
    found = 0
    while piece := file.read(_PIECE):
        if found + len(piece) < tarfile.BLOCKSIZE:
            break  # the beginning of a header, or of the mark
        if piece.count(0) != len(piece):
            raise ArchiveDamaged("is damaged: something in it is no member")
        found += len(piece)
    if found < _END_BYTES:
        raise ArchiveDamaged(TRUNCATED)


def check_sum(file: BinaryIO, *, at: int) -> None:
    """Raise `ArchiveDamaged` unless the member at byte *at* is the checksum of what is before.

    It must be there as an export writes it, header and padding included.
    """
    expected = checksum(_digest(file, at))
    file.seek(at)
    if file.read(len(expected)) != expected:
        raise ArchiveChanged("is damaged: it does not have the checksum that it was written with")


def _digest(file: BinaryIO, size: int) -> str:
    digest = sha256()
    file.seek(0)
    while size and (piece := file.read(min(size, _PIECE))):
        digest.update(piece)
        size -= len(piece)
    return digest.hexdigest()
