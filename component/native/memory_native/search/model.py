"""What goes into the index and what comes out."""

from dataclasses import dataclass
from typing import Literal


UnusableReason = Literal["missing", "damaged", "dirty", "foreign-format"]


@dataclass(frozen=True)
class Stamp:
    """Which bytes of a document were indexed: size in bytes, mtime in nanoseconds, hash as hex."""

    size: int
    mtime_ns: int
    sha256: str


@dataclass(frozen=True)
class PassageHit:
    """One passage: 1-based line, the line (or the piece of a long one), and what matched."""

    path: str
    line: int
    text: str
    score: float
    matched: tuple[str, ...]


@dataclass(frozen=True)
class DocumentHit:
    """One document: its best passages in document order; score 0 to 1, the best document has 1."""

    path: str
    content: str
    score: float
    is_hybrid_match: bool = False


class IndexUnusable(Exception):
    """The index cannot be trusted; nothing was read from it.

    ``missing``: there is none. ``dirty``: a writer did not finish, or is at work. ``damaged``: the
    file is not what its writer left. ``foreign-format``: another version wrote it. In each case the
    remedy is to open an `IndexWriter`, which starts afresh, and to put every document.
    """

    def __init__(self, reason: UnusableReason) -> None:
        super().__init__(reason)
        self.reason: UnusableReason = reason
