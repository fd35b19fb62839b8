"""What is known of a document besides its text: sidecars, inheritance, meaning.

A sidecar is any JSON object. Four of its keys mean something here; the others are
kept. A document inherits from the nearest ``.config`` document above it, the one
in its own directory first, and only while that document exists. What a ``.config``
hands down is its own sidecar over the JSON object that its text may be, so that a
person can write it in an editor too.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard

from memory_native import files, paths, store, strict_json, walking
from memory_native.failures import MemoryFailure
from memory_native.limits import METADATA_BYTES, RETENTION_DAYS
from memory_native.names import Names
from memory_native.store import Store


Metadata = Mapping[str, object]
NOTHING: Final[Metadata] = {}
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "skip_indexing": (bool,),
    "skip_versioning": (bool,),
    "hygiene": (dict,),
    "schema": (dict, bool),
}


@dataclass(frozen=True, kw_only=True)
class Hygiene:
    """How long a document is kept after its last change; off unless it says so."""

    enabled: bool = False
    retention_days: int = RETENTION_DAYS


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What resolved metadata mean; an ill-typed field has its default."""

    skip_indexing: bool = False
    skip_versioning: bool = False
    hygiene: Hygiene = Hygiene()
    schema: object = None


def policy(resolved: Metadata) -> Policy:
    """Read the keys that mean something."""
    return Policy(
        skip_indexing=resolved.get("skip_indexing") is True,
        skip_versioning=resolved.get("skip_versioning") is True,
        hygiene=_hygiene(resolved.get("hygiene")),
        schema=resolved.get("schema"),
    )


def parse_overlay(text: str | None) -> Metadata:
    """Return the object a caller wants laid over a document's metadata.

    Raises ``metadata-invalid`` for anything but a JSON object of bounded size and depth.
    """
    if text is None:
        return NOTHING
    if len(text.encode(errors="replace")) > METADATA_BYTES:
        raise MemoryFailure("metadata-invalid", field="metadata")
    try:
        return strict_json.parse_object(text)
    except strict_json.JsonError:
        raise MemoryFailure("metadata-invalid", field="metadata") from None


def _parse(content: bytes) -> tuple[str, Metadata]:
    try:
        value = strict_json.parse_object(content.decode())
        path, metadata = value.get("path"), value.get("metadata")
        return (
            path if isinstance(path, str) and path.encode() else "",
            metadata if isinstance(metadata, dict) else NOTHING,
        )
    except ValueError:  # half a character in the path is one too
        return "", NOTHING


def _parse_whole(content: bytes) -> tuple[str, Metadata]:
    path, own = _parse(content)
    if not path:
        raise MemoryFailure("metadata-invalid")
    return path, own


class Sidecars:
    """The metadata of one scope's documents."""

    def __init__(
        self,
        storage: Store,
        names: Names,
        *,
        strict: bool = False,
    ) -> None:
        """Work in *storage*; what is damaged counts as absent, or if *strict* is ``metadata-invalid``."""
        self._store = storage
        self._names = names
        self._strict = strict
        self._parse = _parse_whole if strict else _parse

    def own(self, path: str) -> Metadata:
        """Return the metadata of a document itself; nothing if absent or corrupt."""
        content = files.read_own(self._file(path))
        return NOTHING if content is None else self._parse(content)[1]

    def resolve(self, path: str, overlay: Metadata = NOTHING) -> Metadata:
        """Return the metadata that count for *path*: inherited, own, then *overlay*."""
        return {**self._inherited(path), **self.own(path), **overlay}

    def policy(self, path: str, overlay: Metadata = NOTHING) -> Policy:
        """Return what `resolve` means."""
        return policy(self.resolve(path, overlay))

    def lay_over(self, path: str, overlay: Metadata) -> None:
        """Merge *overlay* into the sidecar durably; nothing is written if nothing changes.

        Raises ``metadata-invalid`` if the result would be too large.
        """
        if not overlay:
            return
        own = self.own(path)
        merged = {**own, **overlay}
        if merged != own:
            content = _content(path, merged)
            if len(content) > METADATA_BYTES:
                raise MemoryFailure("metadata-invalid", field="metadata")
            self._store.write_own(self._file(path), content)

    def check_overlay(self, path: str, overlay: Metadata) -> None:
        """Raise as `lay_over` would, before anything else is stored."""
        if overlay and len(_content(path, {**self.own(path), **overlay})) > METADATA_BYTES:
            raise MemoryFailure("metadata-invalid", field="metadata")

    def remove(self, path: str) -> bool:
        """Remove the sidecar for good; tells whether there was one."""
        removed = files.remove_if_present(self._file(path))
        if removed:
            files.sync_directory(self._store.metadata)
        return removed

    def move(self, path: str, to: str) -> None:
        """Hand the metadata of *path* to *to*; may be repeated."""
        own = self.own(path)
        if own:
            self._store.write_own(self._file(to), _content(to, own))
        self.remove(path)

    def every(self) -> list[tuple[str, str]]:
        """Return each sidecar's file and the path it speaks of, ``""`` where that is unreadable."""
        found = []
        for entry in walking.scan(self._store.metadata)[0]:
            path = self._parse(files.read_own(entry.path) or b"")[0]
            found.append((entry.path, path if f"{store.key(path)}.json" == entry.name else ""))
        return found

    def _inherited(self, path: str) -> Metadata:
        for directory in paths.ancestors(path):
            config = paths.join(directory, paths.CONFIG)
            name = self._names.locate(config)
            found = files.lstat(f"{self._store.root}/{name}")
            if found is not None and stat.S_ISREG(found.st_mode):
                # For a `.config` itself this says the same as its own metadata do.
                return {**self._said_by(name), **self.own(config)}
        return NOTHING

    def _said_by(self, name: str) -> Metadata:
        try:
            return _config_text(self._store.root, name)
        except MemoryFailure:
            if self._strict:
                raise
            return NOTHING

    def _file(self, path: str) -> str:
        return os.path.join(self._store.metadata, f"{store.key(path)}.json")


def _content(path: str, metadata: Metadata) -> bytes:
    return strict_json.compact({"path": path, "metadata": metadata}).encode(errors="replace")


def is_understood(root: str, name: str) -> bool:
    """Tell whether the text of a ``.config`` is blank, or settings of the right types."""
    try:
        settings = _config_text(root, name)
    except MemoryFailure:
        return False
    typed = all(isinstance(settings.get(key, kinds[0]()), kinds) for key, kinds in _TYPES.items())
    hygiene = settings.get("hygiene", {})
    return typed and isinstance(hygiene, dict) and _is_hygiene(hygiene)


def _is_hygiene(value: Metadata) -> bool:
    days = value.get("retention_days", RETENTION_DAYS)
    return isinstance(value.get("enabled", False), bool) and _are_days(days)


def _are_days(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _config_text(root: str, name: str) -> Metadata:
    """Return what the text of a ``.config`` says; raises ``metadata-invalid`` for what is no settings."""
    try:
        text = (files.read(root, name, limit=METADATA_BYTES) or b"").decode("utf-8-sig")
        return strict_json.parse_object(text) if text.strip() else NOTHING
    except (MemoryFailure, ValueError):
        raise MemoryFailure("metadata-invalid") from None


def _hygiene(value: object) -> Hygiene:
    if not isinstance(value, dict):
        return Hygiene()
    days = value.get("retention_days")
    return Hygiene(
        enabled=value.get("enabled") is True,
        retention_days=days if _are_days(days) else RETENTION_DAYS,
    )
