"""An archive as a file: looked through completely, then read piece by piece."""

import io
import json
import os
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.nesting import too_deep
from ironclaw_memory.portability.compression import unpacked
from ironclaw_memory.portability.hostile import (
    MAX_MEMBERS,
    TRUNCATED,
    ArchiveDamaged,
    ArchiveRefused,
    BoundedFile,
    NoArchive,
    check_file,
    check_header,
)
from ironclaw_memory.portability.integrity import ArchiveChanged, check_end, check_sum
from ironclaw_memory.portability.members import (
    FORMAT,
    BodyMember,
    ChecksumMember,
    DocumentMember,
    ManifestMember,
    Member,
    MetaMember,
    member_of,
)
from ironclaw_memory.reports import VersionRow


MAX_NUMBER: Final = 1 << 31
"""Of a version; an owner's next writes count on from the last, and a number has 32 bits."""


@dataclass(frozen=True, kw_only=True)
class Meta:
    """What an archive knows of a document besides its body."""

    metadata: Mapping[str, Any] = field(default_factory=dict)
    versions: tuple[VersionRow, ...] = ()


class Archive:
    """An archive that was looked through; `opened` makes one."""

    def __init__(self, file: BinaryIO, places: Mapping[Member, tuple[int, int]]) -> None:
        """Read *file*, whose members lie at *places*: offset and size in bytes."""
        self._file = file
        self._places = places

    def paths(self) -> tuple[str, ...]:
        """Return the paths of the documents, sorted."""
        return tuple(sorted(m.path for m in self._places if isinstance(m, DocumentMember)))

    def deleted(self) -> tuple[str, ...]:
        """Return the paths of the documents of which there is only a history, sorted."""
        known = {m.path for m in self._places if isinstance(m, MetaMember)}
        return tuple(sorted(known.difference(self.paths())))

    def document(self, path: str) -> bytes:
        """Return the body of a document."""
        return self._read(DocumentMember(path))

    def body(self, path: str, number: int) -> bytes | None:
        """Return the body of a version, or ``None`` if the archive lacks it."""
        member = BodyMember(path, number)
        return self._read(member) if member in self._places else None

    def meta(self, path: str) -> Meta:
        """Return metadata and history of a document; raises `ArchiveRefused` if they do not hold."""
        member = MetaMember(path)
        return meta_of(self._read(member)) if member in self._places else Meta()

    def _read(self, member: Member) -> bytes:
        offset, size = self._places[member]
        self._file.seek(offset)
        content = self._file.read(size)
        if len(content) != size:
            raise ArchiveDamaged(TRUNCATED)
        return content


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """Open the archive in the file *path*, a tar or a gzip of one, for a block.

    All of it is looked at first: every member, the mark of its end, its checksum. Raises
    `ArchiveDamaged` for one that is not whole, `ArchiveRefused` for anything else but an
    honest archive of ours, and `InvalidArguments` for a file that cannot be read.
    """
    try:
        file = path.open("rb")
    except OSError as problem:
        raise InvalidArguments(
            f"The archive cannot be read: {os.strerror(problem.errno or 0)}.", field="file"
        ) from None
    with file, unpacked(file) as plain:
        places = _places(plain)
        if ChecksumMember() in places:
            check_sum(plain, at=places[ChecksumMember()][0] - tarfile.BLOCKSIZE)
        archive = Archive(plain, places)
        _check_manifest(archive)
        for name in (*archive.paths(), *archive.deleted()):
            archive.meta(name)
        yield archive


def _places(file: BinaryIO) -> dict[Member, tuple[int, int]]:
    """Return where each member's body lies; raises `ArchiveRefused`."""
    size = os.fstat(file.fileno()).st_size
    check_file(size)
    places: dict[Member, tuple[int, int]] = {}
    end = 0
    for count, header in enumerate(_headers(file)):
        if count >= MAX_MEMBERS:
            raise ArchiveRefused(f"has more than {MAX_MEMBERS} members")
        if ChecksumMember() in places:
            raise ArchiveChanged("is damaged: it goes on after its checksum")
        check_header(header, end=end, archive_size=size)
        end = header.offset_data + header.size
        if not header.isdir():
            _place(places, header)
    check_end(file, at=end)
    if ManifestMember() not in places:
        raise ArchiveRefused("has no manifest")
    return places


def _place(places: dict[Member, tuple[int, int]], header: tarfile.TarInfo) -> None:
    member = member_of(header.name)
    if member is None:
        raise ArchiveRefused("contains a name that no export has")
    if member in places:
        raise ArchiveRefused("contains a name twice")
    places[member] = (header.offset_data, header.size)


def _headers(file: BinaryIO) -> Iterator[tarfile.TarInfo]:
    bounded = cast("BinaryIO", BoundedFile(cast("io.BufferedIOBase", file)))
    started = False
    try:
        with tarfile.open(fileobj=bounded, mode="r:", encoding="utf-8") as tar:
            while (header := tar.next()) is not None:
                started = True
                yield header
                tar.members.clear()  # type: ignore[attr-defined] # else all headers stay in memory
    except (tarfile.TarError, OSError, ValueError, OverflowError, IndexError):
        if started:
            raise ArchiveDamaged("is truncated or damaged: a header in it makes no sense") from None
        raise NoArchive("is not a tar archive, or only its first bytes") from None


def _check_manifest(archive: Archive) -> None:
    manifest = _object(archive._read(ManifestMember()))  # noqa: SLF001 - the same file's other half
    if manifest.get("format") != FORMAT:
        raise ArchiveRefused(f"is not of format {FORMAT}")


def meta_of(content: bytes) -> Meta:
    """Return what *content* says of a document; raises `ArchiveRefused` if it does not hold."""
    value = _object(content)
    metadata, versions = value.get("metadata", {}), value.get("versions", [])
    if not isinstance(metadata, dict) or not isinstance(versions, list):
        raise ArchiveRefused("has metadata that does not hold")
    return Meta(metadata=metadata, versions=tuple(row_of(row) for row in versions))


def row_of(value: Any) -> VersionRow:
    """Return one row of a history; raises `ArchiveRefused` if it does not hold."""
    match value:
        case {
            "number": int(number),
            "hash": str(digest),
            "size": int(size),
            "unix_ms": int(unix_ms),
            "changed_by": str(changed_by),
            "erased": bool(erased),
        } if 0 < number <= MAX_NUMBER and min(size, unix_ms) >= 0 and max(size, unix_ms) < 1 << 63:
            return VersionRow(
                number=number,
                hash=digest,
                size=size,
                unix_ms=unix_ms,
                changed_by=changed_by,
                erased=erased,
            )
        case _:
            raise ArchiveRefused("has a history that does not hold")


def _object(content: bytes) -> dict[str, Any]:
    try:
        value = None if too_deep(content) else json.loads(content)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ArchiveRefused("has a description that is not a JSON object")
    return value
