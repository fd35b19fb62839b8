"""What an archive may not be. Everything is looked at before anything is written.

An archive comes from somewhere, perhaps from an enemy. Only regular files and
directories are taken, under names of ours, each once, within bounds; links, devices,
sparse files, absolute names and ``..`` are refused with the whole archive. Nothing is
ever extracted to a file system: bodies are read from the archive as text.
"""

import io
import tarfile
from typing import ClassVar, Final

from ironclaw_memory.errors import RequestError


MIB: Final = 1 << 20
MAX_ARCHIVE_BYTES: Final = 2048 * MIB  # a scope of 256 MiB with many times that in versions
MAX_MEMBERS: Final = 400_000  # 20,000 documents (design.md section 5), each with some versions
MAX_MEMBER_BYTES: Final = 8 * MIB  # what a read may answer (design.md section 5)
MAX_HEADER_BYTES: Final = 64 << 10  # of one extended header: names, not bodies
MAX_NAME_BYTES: Final = 4096
TRUNCATED: Final = "is truncated: its end is missing"
_REGULAR: Final = frozenset({tarfile.REGTYPE, tarfile.AREGTYPE})


class ArchiveRefused(RequestError):
    """The archive is not one of ours, or hostile; nothing was written."""

    code = "archive-refused"

    advice: ClassVar[str] = "Make it with `ironclaw-memory export`."

    def __init__(self, problem: str) -> None:
        """Say what is wrong with the archive; no name of its own is repeated."""
        super().__init__(f"The archive {problem}.", hint=f"Nothing was imported. {self.advice}")


class NoArchive(ArchiveRefused):
    """The file is something else than an archive; nothing was imported."""

    advice = (
        "Make one with `ironclaw-memory export`; for what is none, `ironclaw-memory import` "
        "takes --from server-memory or --from markdown."
    )


class ArchiveDamaged(ArchiveRefused):
    """The archive is truncated, or not as it was written; nothing was imported."""

    code = "archive-damaged"
    advice = "Get a whole copy of it, or export again."


class BoundedFile:
    """A seekable file whose single reads are bounded, for a parser that trusts its input.

    tarfile reads an extended header as large as the archive says it is, and an archive
    may say anything.
    """

    def __init__(self, file: io.BufferedIOBase, *, limit: int = MAX_HEADER_BYTES) -> None:
        """Pass reads of at most *limit* bytes on to *file*."""
        self._file = file
        self._limit = limit

    def read(self, size: int = -1) -> bytes:
        """Read; raises `ArchiveRefused` for a size that no honest header asks for."""
        if not 0 <= size <= self._limit:
            raise ArchiveRefused("has a header of an impossible size")
        return self._file.read(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move; raises `ArchiveRefused` for a place before the beginning."""
        if offset < 0:
            raise ArchiveRefused("points before its own beginning")
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the position."""
        return self._file.tell()


def check_file(size: int) -> None:
    """Raise `ArchiveRefused` for an archive of more than `MAX_ARCHIVE_BYTES`."""
    if size > MAX_ARCHIVE_BYTES:
        raise ArchiveRefused(f"is larger than {MAX_ARCHIVE_BYTES // MIB} MiB")


def check_header(header: tarfile.TarInfo, *, end: int, archive_size: int) -> None:
    """Raise `ArchiveRefused` unless *header* is of a plain file or directory.

    *end* is where the member before it ended: a header that lies before that leads in
    circles.
    """
    name = header.name
    problems = (
        (header.offset < end or header.size < 0, "leads in circles"),
        (not _is_text(name), "has a name that is not UTF-8"),
        (header.issym() or header.islnk(), "contains a link"),
        (header.issparse() or header.type == tarfile.GNUTYPE_SPARSE, "contains a sparse file"),
        (header.type not in _REGULAR and not header.isdir(), "contains something that is no file"),
        (name.startswith(("/", "~")), "contains an absolute name"),
        (".." in name.split("/"), "contains a name with `..`"),
        (len(name.encode(errors="replace")) > MAX_NAME_BYTES, "contains an over-long name"),
        (header.size > MAX_MEMBER_BYTES, f"contains a file of over {MAX_MEMBER_BYTES // MIB} MiB"),
    )
    for broken, problem in problems:
        if broken:
            raise ArchiveRefused(problem)
    if header.offset_data + header.size > archive_size:
        raise ArchiveDamaged(TRUNCATED)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
