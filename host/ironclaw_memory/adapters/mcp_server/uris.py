"""Documents as resources: their addresses, and what a listing says of each."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote, unquote

from mcp import types

from ironclaw_memory.scopes import Stamp


PREFIX: Final = "memory:///"
TEMPLATE: Final = f"{PREFIX}{{+path}}"
PAGE: Final = 100  # resources in one answer

_TYPES: Final = {".md": "text/markdown", ".json": "application/json"}
_NS: Final = 1_000_000_000


def uri_of(path: str) -> str:
    """Return the address of the document *path*, percent-encoded but for its slashes."""
    return PREFIX + quote(path, safe="/")


def path_of(uri: str) -> str | None:
    """Return the path that *uri* names, unchecked, or ``None`` if it is no address of ours."""
    if not uri.startswith(PREFIX):
        return None
    try:
        return unquote(uri.removeprefix(PREFIX), errors="strict")
    except UnicodeDecodeError:
        return None


def media_type(path: str) -> str:
    """Return the media type of a document by its name; everything in memory is text."""
    return _TYPES.get(PurePosixPath(path).suffix.lower(), "text/plain")


def resource(path: str, stamp: Stamp) -> types.Resource:
    """Describe a document from the host's own walk."""
    changed = datetime.fromtimestamp(stamp.mtime_ns // _NS, UTC)
    return types.Resource(
        uri=uri_of(path),
        name=path,
        mime_type=media_type(path),
        size=stamp.size,
        annotations=types.Annotations(last_modified=changed.isoformat()),
    )


def page(paths: Sequence[str], cursor: str | None) -> tuple[Sequence[str], str | None]:
    """Return the sorted *paths* that come after *cursor*, at most `PAGE`, and the next cursor.

    A cursor is the address of the last document shown, so that documents which come and go
    between two pages neither repeat others nor hide them. Raises `ValueError` for one that
    was never given out.
    """
    last = "" if cursor is None else path_of(cursor)
    if last is None:
        raise ValueError(cursor)
    rest = [path for path in paths if path > last]
    shown = rest[:PAGE]
    return shown, uri_of(shown[-1]) if len(rest) > PAGE else None
