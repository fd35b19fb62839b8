"""What tests of versions do to documents."""

from memory_native.documents import Documents, WriteRequest
from memory_native.upkeep import Upkeep


def append(documents: Documents, content: str, *, path: str = "notes.md") -> None:
    """Add an entry."""
    documents.write(WriteRequest(target=path, content=content))


def replace(documents: Documents, content: str, *, path: str = "notes.md", **fields: str) -> None:
    """Make the document exactly the content."""
    documents.write(WriteRequest(target=path, content=content, append=False, **fields))  # type: ignore[arg-type]


def bodies(upkeep: Upkeep, path: str = "notes.md") -> list[str]:
    """Return every version that was not erased, oldest first."""
    rows = upkeep.history(path).versions
    return [upkeep.version(path, row.number).content for row in rows if not row.erased]
