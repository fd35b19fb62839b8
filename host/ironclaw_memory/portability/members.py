"""The names inside an archive, and what each of them means.

    manifest.json                        format number, scope, counts; first
    documents/PATH                       a document, byte for byte
    versions/PATH.meta                   its metadata and the rows of its history, as JSON
    versions/PATH.versions/NUMBER        the body of one version
    archive.sha256                       the hash of every byte before this member; last

A document that was deleted has its history here and no body below ``documents/``.

No segment of a document's path may end in ``.meta`` or ``.versions`` (reference.md
section 1), so no two documents share a name here, whatever they are called.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from ironclaw_memory.scopes import STORES


FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
CHECKSUM: Final = "archive.sha256"
DOCUMENTS: Final = "documents/"
VERSIONS: Final = "versions/"
META_SUFFIX: Final = ".meta"
VERSIONS_SUFFIX: Final = ".versions"
RESERVED_SUFFIXES: Final = (META_SUFFIX, VERSIONS_SUFFIX, ".chunks")
_BODY: Final = re.compile(r"(.+)\.versions/([1-9][0-9]{0,9})")


@dataclass(frozen=True)
class ManifestMember:
    """The manifest."""


@dataclass(frozen=True)
class ChecksumMember:
    """What tells that the archive is as it was written; whoever packs one anew leaves it out."""


@dataclass(frozen=True)
class DocumentMember:
    """The body of the document at ``path``."""

    path: str


@dataclass(frozen=True)
class MetaMember:
    """Metadata and history of the document at ``path``."""

    path: str


@dataclass(frozen=True)
class BodyMember:
    """The body of version ``number`` of the document at ``path``."""

    path: str
    number: int


Member = ManifestMember | ChecksumMember | DocumentMember | MetaMember | BodyMember


def name_of(member: Member) -> str:
    """Return the name of *member*; `member_of` is the inverse."""
    match member:
        case ManifestMember():
            return MANIFEST
        case ChecksumMember():
            return CHECKSUM
        case DocumentMember(path):
            return f"{DOCUMENTS}{path}"
        case MetaMember(path):
            return f"{VERSIONS}{path}{META_SUFFIX}"
        case BodyMember(path, number):
            return f"{VERSIONS}{path}{VERSIONS_SUFFIX}/{number}"


def member_of(name: str) -> Member | None:
    """Return what *name* means, or ``None`` if no archive of ours has such a name."""
    if name == MANIFEST:
        return ManifestMember()
    if name == CHECKSUM:
        return ChecksumMember()
    member = _about_a_document(name)
    return member if member is not None and is_document_path(member.path) else None


def _about_a_document(name: str) -> DocumentMember | MetaMember | BodyMember | None:
    if name.startswith(DOCUMENTS):
        return DocumentMember(name.removeprefix(DOCUMENTS))
    if not name.startswith(VERSIONS):
        return None
    rest = name.removeprefix(VERSIONS)
    body = _BODY.fullmatch(rest)
    if body:
        return BodyMember(body.group(1), int(body.group(2)))
    return MetaMember(rest.removesuffix(META_SUFFIX)) if rest.endswith(META_SUFFIX) else None


def is_document_path(path: str) -> bool:
    """Say whether *path* could name a document (reference.md section 1), in form C."""
    segments = path.split("/")
    return (
        path == unicodedata.normalize("NFC", path)
        and "\\" not in path
        and not any(unicodedata.category(character) in {"Cc", "Cs"} for character in path)
        and not any(segment in {"", ".", ".."} for segment in segments)
        and not any(segment.endswith(RESERVED_SUFFIXES) for segment in segments)
        and not any(f"{path}/".startswith(f"{store}/") for store in STORES)
    )
