"""An archive that somebody compressed: unpacked once, within bounds, to a file of no name."""

import gzip
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from ironclaw_memory.portability.hostile import (
    MIB,
    TRUNCATED,
    ArchiveDamaged,
    ArchiveRefused,
    check_file,
)


MAX_RATIO: Final = 200
"""Of an unpacked archive to a packed one: the smallest documents, mostly padding, come to 30."""

_ALWAYS_FINE: Final = 64 * MIB
_MAGIC: Final = b"\x1f\x8b"
_PIECE: Final = 1 << 20


@contextmanager
def unpacked(file: BinaryIO) -> Iterator[BinaryIO]:
    """Yield *file*, or what it holds if it is a gzip, for the length of a block.

    Raises `ArchiveDamaged` for a gzip that breaks off or has another checksum than it says,
    and `ArchiveRefused` for one that unpacks to more than an archive may have.
    """
    magic = file.read(len(_MAGIC))
    file.seek(0)
    if magic != _MAGIC:
        yield file
        return
    with tempfile.TemporaryFile(prefix="ironclaw-memory-") as plain:
        _unpack(file, plain)
        plain.seek(0)
        yield plain


def _unpack(file: BinaryIO, plain: BinaryIO) -> None:
    try:
        with gzip.GzipFile(fileobj=file, mode="rb") as packed:
            while piece := packed.read(_PIECE):
                plain.write(piece)
                size = plain.tell()
                check_file(size)
                if size > max(_ALWAYS_FINE, MAX_RATIO * file.tell()):
                    raise ArchiveRefused("unpacks to far more than any export")
    except EOFError:
        raise ArchiveDamaged(TRUNCATED) from None
    except (gzip.BadGzipFile, zlib.error):
        raise ArchiveDamaged("is damaged: it cannot be unpacked") from None
