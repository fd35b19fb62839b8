"""What the owner's acts answer: rows of a history, and what became of documents."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class VersionRow:
    """What is known of one kept version; sizes in bytes, times in Unix milliseconds."""

    number: int
    hash: str
    size: int
    unix_ms: int
    changed_by: str
    erased: bool


@dataclass(frozen=True, kw_only=True)
class Change:
    """What became of a document; ``kept_as`` is the version that holds the earlier body."""

    path: str
    size: int
    kept_as: int | None


@dataclass(frozen=True, kw_only=True)
class Erasure:
    """What is gone for good: the document itself, and how many version bodies."""

    document: bool
    versions: int


@dataclass(frozen=True, kw_only=True)
class Adoption:
    """A version from elsewhere as it is kept; ``versions`` counts those that the document has."""

    path: str
    number: int
    versions: int


@dataclass(frozen=True, kw_only=True)
class SweepReport:
    """What retention removed, or would remove.

    ``left`` are documents that stay though their time has passed, or may have: they cannot be
    removed, or their metadata cannot be read. ``more_left`` says that it does not name all.
    """

    documents: tuple[str, ...]
    versions: int
    bytes: int
    left: tuple[str, ...]
    more_left: bool


@dataclass(frozen=True, kw_only=True)
class RefreshReport:
    """What the index took in, and what it let go."""

    indexed: int
    removed: int
