"""A component as its file describes it: nothing is compiled, nothing is run."""

import os
from pathlib import Path, PurePosixPath
from typing import Any, Final

from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.capability.clamp import Effective
from ironclaw_memory.declared import Manifest, ToolDeclaration
from ironclaw_memory.errors import InvalidArguments, InvalidManifest
from ironclaw_memory.installing import Inspection, contents
from ironclaw_memory.model import Origin
from ironclaw_memory.package import Carried, extract
from ironclaw_memory.sandbox.limits import Limits


MANIFEST: Final = "manifest.toml"


def as_json(found: Inspection, *, approved: bool) -> dict[str, Any]:
    """Return *found* JSON-ready, what was requested beside what would be in force.

    *approved* says that exactly these bytes are installed.
    """
    manifest, effective = found.package.manifest, found.effective
    return {
        "file": found.file.name,
        "size": found.size,
        "sha256": found.sha256,
        "bundled": found.bundled,
        "approved": approved,
        "id": manifest.id,
        "name": manifest.name,
        "version": manifest.version,
        "description": manifest.description,
        "license": manifest.license,
        "trust": {"requested": manifest.trust, "effective": effective.trust.value},
        "refused": effective.refused,
        "world": {"imports": found.surface.imports, "exports": found.surface.exports},
        "hooks": plain(manifest.memory.lifecycle),
        "upkeep": list(manifest.memory.upkeep),
        "capabilities": dict(manifest.memory.capabilities),
        "scheduled_ops": plain(manifest.memory.scheduled_ops),
        "tools": [_tool(tool, effective) for tool in manifest.tools],
        "differences": plain(effective.differences),
    }


def unpack(file: Path, directory: Path, *, limits: Limits) -> tuple[str, ...]:
    """Write what *file* carries below *directory*; return the names that were written.

    Nothing is overwritten, and no name leads out of *directory*. Raises
    `ComponentUnreadable`, `InvalidManifest` and `InvalidArguments`.
    """
    carried = extract(contents(file, limits=limits))
    texts = {MANIFEST: carried.manifest, **_checked(carried)}
    taken = next((name for name in texts if directory.joinpath(name).exists()), None)
    if taken is not None:
        raise InvalidArguments(
            f"{taken} is already there.", field="directory", hint="Name an empty directory."
        )
    try:
        for name, text in texts.items():
            _create(directory / name, text)
    except OSError as problem:
        raise InvalidArguments(
            f"The directory cannot be written: {os.strerror(problem.errno or 0)}.",
            field="directory",
            hint="Name another one.",
        ) from None
    return tuple(texts)


def _create(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("x", encoding="utf-8", newline="") as out:
        out.write(text)


def _checked(carried: Carried) -> dict[str, str]:
    """Return the files of a package; raises `InvalidManifest` for a name that could lead out."""
    for name in carried.files:
        parts = PurePosixPath(name).parts
        plain_name = name.isprintable() and "\\" not in name and name == "/".join(parts)
        if not plain_name or not parts or parts[0] == "/" or ".." in parts or name == MANIFEST:
            raise InvalidManifest(
                "The package carries a file under an unsafe name.",
                hint="Do not use this component.",
            )
    return dict(carried.files)


def _tool(tool: ToolDeclaration, effective: Effective) -> dict[str, Any]:
    rules = effective.tools.get(tool.id)
    return {
        "id": tool.id,
        "description": tool.description,
        "effects": {
            "requested": sorted(plain(tool.effects)),
            "effective": plain(rules.effects) if rules else [],
        },
        "matrix": {
            "requested": plain(tool.origin_gate_matrix),
            "effective": plain(rules.matrix) if rules else None,
        },
    }


def origins(tool: ToolDeclaration, effective: Effective) -> tuple[str, ...]:
    """Return the effective cell of *tool* for each origin, in words."""
    rules = effective.tools.get(tool.id)
    matrix = (rules.matrix if rules else None) or {}
    cells = (matrix.get(origin) for origin in Origin)
    return tuple(cell.value if cell else "forbidden" for cell in cells)


def summary(manifest: Manifest) -> str:
    """Return a manifest's name and version in one line."""
    return f"{manifest.name} {manifest.version} ({manifest.id})"
