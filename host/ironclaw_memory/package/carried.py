"""The custom section in which a component carries its manifest, prompts and schemas.

The section's payload is one JSON object: ``{"format": 1, "manifest": TOML text,
"files": {relative name: text}}``. What it says is a request; nothing in it is
executed, and the host decides what of it holds.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ironclaw_memory.errors import InvalidManifest
from ironclaw_memory.nesting import MAX_NESTING, too_deep
from ironclaw_memory.package.binary import CUSTOM, Cursor, sections


SECTION_NAME: Final = "ironclaw-memory:package"
FORMAT: Final = 1
MAX_SECTION_BYTES: Final = 1 << 20
"""Four times the manifest's own limit of 256 KiB (reference.md section 8): room for texts."""


@dataclass(frozen=True, kw_only=True)
class Carried:
    """What a component carries: the manifest's TOML text and named texts beside it."""

    manifest: str
    files: Mapping[str, str]


def embed(component: bytes, carried: Carried) -> bytes:
    """Return *component* with *carried* as its only package section.

    Sections of that name which are already there are left out. Raises
    `ComponentUnreadable` if *component* is not one.
    """
    kept = _without_package(component)
    text = json.dumps(
        {
            "format": FORMAT,
            "manifest": carried.manifest,
            "files": dict(sorted(carried.files.items())),
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )
    name = SECTION_NAME.encode()
    body = _leb(len(name)) + name + text.encode()
    return kept + bytes([CUSTOM]) + _leb(len(body)) + body


def extract(component: bytes) -> Carried:
    """Return what *component* carries.

    Raises `InvalidManifest` if it carries nothing, more than one package, or one that is
    not an object of texts, and `ComponentUnreadable` if it is no component.
    """
    found = _packages(component)
    if not found:
        raise InvalidManifest(
            f"The component has no {SECTION_NAME} section.",
            hint="Build it with `ironclaw-memory component build DIR`, which writes the section.",
        )
    if len(found) > 1:
        raise InvalidManifest(
            f"The component has {len(found)} {SECTION_NAME} sections; one is allowed.",
            hint="Build it again from its sources.",
        )
    return _parse(found[0])


def _packages(component: bytes) -> list[bytes]:
    payloads = []
    for section in sections(component):
        if section.id != CUSTOM:
            continue
        cursor = Cursor(component, section.start, section.end)
        if cursor.name() == SECTION_NAME:
            payloads.append(component[cursor.at : section.end])
    return payloads


def _without_package(component: bytes) -> bytes:
    kept = bytearray(component[:8])
    for section in sections(component):
        cursor = Cursor(component, section.start, section.end)
        if section.id == CUSTOM and cursor.name() == SECTION_NAME:
            continue
        kept.append(section.id)
        kept += _leb(section.end - section.start)
        kept += component[section.start : section.end]
    return bytes(kept)


def _parse(payload: bytes) -> Carried:
    if len(payload) > MAX_SECTION_BYTES:
        raise InvalidManifest(
            f"The package section has {len(payload)} bytes; at most {MAX_SECTION_BYTES} are read.",
            hint="Shorten its prompts and schemas.",
        )
    if too_deep(payload):
        raise InvalidManifest(
            f"The package section nests deeper than {MAX_NESTING} levels.", hint="Flatten it."
        )
    try:
        value = json.loads(payload)
    except ValueError:
        value = None
    if not isinstance(value, dict) or set(value) != {"format", "manifest", "files"}:
        raise InvalidManifest(
            "The package section is not an object of format, manifest and files.",
            hint="Build it with `ironclaw-memory component build DIR`.",
        )
    return _checked(value)


def _checked(value: dict[str, object]) -> Carried:
    files, manifest = value["files"], value["manifest"]
    if value["format"] != FORMAT:
        raise InvalidManifest(
            f"The package section has format {value['format']!r:.20}; this host reads {FORMAT}.",
            hint="Use a newer ironclaw-memory, or build the component for this one.",
        )
    texts_only = isinstance(files, dict) and all(isinstance(text, str) for text in files.values())
    if not isinstance(manifest, str) or not isinstance(files, dict) or not texts_only:
        raise InvalidManifest(
            "The package section's manifest and files must be texts.",
            hint="Build it with `ironclaw-memory component build DIR`.",
        )
    return Carried(manifest=manifest, files=files)


def _leb(value: int) -> bytes:
    out = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)
