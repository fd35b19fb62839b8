"""The grammar of document paths (reference.md section 1), as pure functions.

A path is relative, in normalisation form C, its segments joined by ``/``. Two
paths are twins when they differ but fold to the same string: a disk that folds
case or decomposes accents would keep only one of them.
"""

import re
import unicodedata
from typing import Final

from memory_native.failures import MemoryFailure
from memory_native.limits import PATH_BYTES, SEGMENT_BYTES


STORE: Final = ".store"
STORES: Final = frozenset({STORE, f"context/{STORE}"})
"""The provider's own directories; the second serves profile operations, which see only ``context/``."""

CONFIG: Final = ".config"
THREADS: Final = "threads"
BOOTSTRAP: Final = "BOOTSTRAP.md"
ALIASES: Final = {"memory": "MEMORY.md", "heartbeat": "HEARTBEAT.md", "bootstrap": BOOTSTRAP}
DAILY_LOG: Final = "daily_log"
RESERVED_SUFFIXES: Final = (".meta", ".chunks", ".versions")

_DRIVE: Final = re.compile(r"[A-Za-z]:[/\\]")
_REFUSED_CATEGORIES: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
# Bidirectional embeddings, overrides and isolates make a name read as another one.
_REORDERING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def screen(raw: str, *, field: str) -> None:
    """Refuse what looks like a path of the host rather than of the memory.

    Raises ``path-invalid``, ``path-absolute`` or ``path-traversal``.
    """
    if raw.startswith(("/", "~/")) or _DRIVE.match(raw):
        raise MemoryFailure("path-absolute", field=field)
    if ".." in re.split(r"[/\\]", raw):
        raise MemoryFailure("path-traversal", field=field)
    if "\\" in raw:
        raise MemoryFailure("path-invalid", field=field)


def screen_target(raw: str, *, field: str = "target") -> None:
    """Refuse a write target by the stricter rule of the contract: no ``..`` even inside a name."""
    if not raw.strip():
        raise MemoryFailure("path-invalid", field=field)
    screen(raw, field=field)
    if ".." in raw:
        raise MemoryFailure("path-traversal", field=field)


def document_path(raw: str, *, field: str = "path") -> str:
    """Return *raw* in form C if it may name a document.

    Raises ``path-invalid``, ``path-absolute``, ``path-traversal`` or ``path-reserved``.
    """
    screen(raw, field=field)
    path = unicodedata.normalize("NFC", raw)
    if not path.strip() or (not path.isprintable() and _unprintable(path)):
        raise MemoryFailure("path-invalid", field=field)
    segments = path.split("/")
    if "" in segments or "." in segments or _too_long(path, segments):
        raise MemoryFailure("path-invalid", field=field)
    if any(map(is_reserved_name, segments)) or _in_store(segments):
        raise MemoryFailure("path-reserved", field=field)
    return path


def new_document_path(raw: str, *, field: str = "path") -> str:
    """Return *raw* in form C if a document may be made there.

    Raises as `document_path` does, and ``path-kept`` where the memory's own documents and
    directories would lose their place, those that are not there yet too.
    """
    path = document_path(raw, field=field)
    if _takes_a_place(fold(path).split("/")):
        raise MemoryFailure("path-kept", field=field)
    return path


def _takes_a_place(segments: list[str]) -> bool:
    match segments:
        case [one]:
            return one in _KEPT_DIRECTORIES
        case ["context", "profile.json", _, *_]:
            return True
        case ["daily", day, _, *_]:
            return day.endswith(".md")
        case _:
            return segments[0] in _KEPT_DOCUMENTS


def refuse_misspelled(path: str, *, field: str) -> None:
    """Raise ``path-kept`` for one of the memory's own documents in other letters.

    Once made it would be the twin that keeps the right one from being made.
    """
    if path not in _OWN_DOCUMENTS and fold(path) in _OWN_DOCUMENTS_FOLDED:
        raise MemoryFailure("path-kept", field=field)


def directory_path(raw: str, *, field: str = "path") -> str:
    """Return *raw* in form C if it may name a directory; the empty string is the whole scope."""
    if raw == "":
        return ""
    return document_path(raw.removesuffix("/"), field=field)


def is_document_path(name: str) -> bool:
    """Tell whether a name found on disk could have been written through the contract."""
    try:
        document_path(name)
    except MemoryFailure:
        return False
    return True


def target_path(target: str, day: str) -> str:
    """Resolve the alias words; *day* is ``YYYY-MM-DD`` of the daily log."""
    if target == DAILY_LOG:
        return f"daily/{day}.md"
    return ALIASES.get(target, target)


def in_threads(path: str) -> bool:
    """Tell whether the root segment is ``threads`` in any ASCII case."""
    root = path.split("/", 1)[0]
    return root.isascii() and root.lower() == THREADS


def is_config(path: str) -> bool:
    """Tell whether the document hands its metadata down to what is below its directory."""
    return path.rpartition("/")[2] == CONFIG


def is_reserved_name(segment: str) -> bool:
    """Tell whether a segment has the suffix of a sidecar."""
    return segment.endswith(RESERVED_SUFFIXES)


def fold(text: str) -> str:
    """Return what twins have in common."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


def ancestors(path: str) -> tuple[str, ...]:
    """Return the directories of *path*, nearest first, the scope's root (``""``) last."""
    cuts = [at for at, sign in enumerate(path) if sign == "/"]
    return (*(path[:at] for at in reversed(cuts)), "")


def join(directory: str, name: str) -> str:
    """Return the path of *name* in *directory*, where ``""`` is the scope's root."""
    return f"{directory}/{name}" if directory else name


def _in_store(segments: list[str]) -> bool:
    return fold(segments[0]) == STORE or fold("/".join(segments[:2])) in STORES


def _unprintable(path: str) -> bool:
    return any(
        unicodedata.category(sign) in _REFUSED_CATEGORIES or sign in _REORDERING for sign in path
    )


def _too_long(path: str, segments: list[str]) -> bool:
    if len(path.encode()) > PATH_BYTES:
        return True
    return any(len(segment.encode()) > SEGMENT_BYTES for segment in segments)


_KEPT_DOCUMENTS: Final = frozenset(map(fold, ALIASES.values()))
_OWN_DOCUMENTS: Final = frozenset({*ALIASES.values(), "context/profile.json"})
_OWN_DOCUMENTS_FOLDED: Final = frozenset(map(fold, _OWN_DOCUMENTS))
_KEPT_DIRECTORIES: Final = frozenset({"daily", "context", THREADS})
