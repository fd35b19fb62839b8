"""What upkeep takes and gives, named as in wit/upkeep.wit."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class VersionRow:
    """What is known of one kept version; *hash* is ``sha256:`` and 64 hexadecimal digits."""

    number: int
    hash: str
    size: int
    unix_ms: int
    changed_by: str
    erased: bool


@dataclass(frozen=True, kw_only=True)
class VersionList:
    """The kept versions of a document, oldest first."""

    path: str
    versions: tuple[VersionRow, ...]


@dataclass(frozen=True, kw_only=True)
class ChangeReport:
    """What became of a document; *kept_as* is the version of the previous body."""

    path: str
    size: int
    kept_as: int | None


@dataclass(frozen=True, kw_only=True)
class DeletedList:
    """One part of the documents that are gone and have versions; *more* says that others follow."""

    paths: tuple[str, ...]
    more: bool


@dataclass(frozen=True, kw_only=True)
class Erasure:
    """What was erased: the document itself, and how many version bodies."""

    document: bool
    versions: int


@dataclass(frozen=True, kw_only=True)
class Adoption:
    """A version from elsewhere as it is kept; *versions* counts those that the document has."""

    path: str
    number: int
    versions: int


@dataclass(frozen=True, kw_only=True)
class SweepReport:
    """What retention removed or would remove: paths, version bodies, bytes; and what it *left*."""

    documents: tuple[str, ...]
    versions: int
    bytes: int
    left: tuple[str, ...]
    more_left: bool


@dataclass(frozen=True, kw_only=True)
class RefreshReport:
    """What the index took in, lost, and has still to do."""

    indexed: int
    removed: int
    remaining: int


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that is wrong with a store; *path* may be empty."""

    code: str
    path: str
    repaired: bool = False
