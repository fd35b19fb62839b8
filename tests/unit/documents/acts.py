"""What tests do to documents."""

import pathlib

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


def write(documents: Documents, target: str, content: str, **fields: object) -> str:
    """Serve ``tools.write`` and return the document as it is then."""
    documents.write(WriteRequest(target=target, content=content, **fields))  # type: ignore[arg-type]
    return documents.read(target).content


def patch(documents: Documents, path: str, old: str, new: str, *, every: bool = False) -> str:
    """Patch a document and return it as it is then."""
    documents.write(WriteRequest(target=path, old_string=old, new_string=new, replace_all=every))
    return documents.read(path).content


def folder(disk: pathlib.Path) -> dict[str, bytes | None]:
    """Return every document and directory below a directory, the store left out."""
    return {
        str(path): path.read_bytes() if path.is_file() else None
        for path in disk.rglob("*")
        if ".store" not in path.parts
    }
