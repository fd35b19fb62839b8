"""What a document may be called. Pure functions: no file is touched."""

import unicodedata

from minimal_memory.failing import Refusal


ALIASES = {"memory": "MEMORY.md", "heartbeat": "HEARTBEAT.md"}
RESERVED = (".meta", ".chunks", ".versions")
LONGEST_NAME = 255  # bytes, on every file system that matters
LONGEST_PATH = 1024


def document(raw: str, *, field: str) -> str:
    """Return *raw* in normalisation form C if it may name a document."""
    if raw.startswith(("/", "~/")) or raw[1:3] in {":/", ":\\"}:
        raise Refusal("input", "path-absolute", field)
    path = unicodedata.normalize("NFC", raw)
    segments = path.split("/")
    if ".." in segments:
        raise Refusal("input", "path-traversal", field)
    if not path.strip() or "\\" in path or any(map(_is_control, path)):
        raise Refusal("input", "path-invalid", field)
    if {"", "."} & set(segments) or _too_long(path, segments):
        raise Refusal("input", "path-invalid", field)
    if segments[0].lower() == ".store" or any(s.endswith(RESERVED) for s in segments):
        raise Refusal("input", "path-reserved", field)
    return path


def is_transcript(path: str) -> bool:
    """Say whether *path* is below ``threads/``, where only a recorder writes."""
    return path.partition("/")[0].lower() == "threads"


def fold(name: str) -> str:
    """Return what two names share that some file systems take for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cs"}


def _too_long(path: str, segments: list[str]) -> bool:
    size = len(path.encode("utf-8", "replace"))
    return size > LONGEST_PATH or any(
        len(s.encode("utf-8", "replace")) > LONGEST_NAME for s in segments
    )
