"""A component as its file describes it: nothing is compiled, nothing is run."""

import hashlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.capability.clamp import Effective, Policy, clamp
from ironclaw_memory.declared import Manifest, Package, ToolDeclaration
from ironclaw_memory.errors import ComponentUnreadable, InvalidArguments, InvalidManifest
from ironclaw_memory.installed import BUNDLED, bundled
from ironclaw_memory.manifest import read_package
from ironclaw_memory.model import Origin
from ironclaw_memory.package import Carried, Surface, extract, surface
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS


MANIFEST: Final = "manifest.toml"


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """What a file is, what it asks for, and what host policy would leave of it."""

    file: Path
    size: int
    sha256: str
    bundled: bool
    surface: Surface
    package: Package
    effective: Effective


def inspect(file: Path | None) -> Inspection:
    """Look into the component in *file*, or into the bundled one.

    Raises `ComponentUnreadable` and `InvalidManifest`.
    """
    path = file or BUNDLED
    component = _read(path)
    digest = hashlib.sha256(component).hexdigest()
    shipped = BUNDLED.is_file() and digest == bundled().artifact.digest
    package = read_package(extract(component))
    return Inspection(
        file=path,
        size=len(component),
        sha256=digest,
        bundled=shipped,
        surface=surface(component),
        package=package,
        effective=clamp(package.manifest, Policy(bundled=shipped)),
    )


def as_json(found: Inspection) -> dict[str, Any]:
    """Return *found* JSON-ready, what was requested beside what would be in force."""
    manifest, effective = found.package.manifest, found.effective
    return {
        "file": found.file.name,
        "size": found.size,
        "sha256": found.sha256,
        "bundled": found.bundled,
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


def texts_for_a_model(found: Inspection) -> dict[str, str]:
    """Return every text of the provider that would reach a model, by where it comes from."""
    package, manifest = found.package, found.package.manifest
    named = {manifest.memory.guidance_doc} | {t.prompt_doc_ref for t in manifest.tools}
    named |= {op.prompt for op in manifest.memory.scheduled_ops}
    texts = {ref: package.texts[ref] for ref in sorted(filter(None, named))}
    return {**{f"description of {t.id}": t.description for t in manifest.tools}, **texts}


def unpack(file: Path, directory: Path) -> tuple[str, ...]:
    """Write what *file* carries below *directory*; return the names that were written.

    Nothing is overwritten, and no name leads out of *directory*. Raises
    `ComponentUnreadable`, `InvalidManifest` and `InvalidArguments`.
    """
    carried = extract(_read(file))
    texts = {MANIFEST: carried.manifest, **_checked(carried)}
    taken = next((name for name in texts if directory.joinpath(name).exists()), None)
    if taken is not None:
        raise InvalidArguments(
            f"{taken} is already there.", field="directory", hint="Name an empty directory."
        )
    for name, text in texts.items():
        target = directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8", newline="") as out:
            out.write(text)
    return tuple(texts)


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


def _read(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size <= DEFAULT_LIMITS.component_bytes:
            return path.read_bytes()
        problem = f"has {size} bytes; at most {DEFAULT_LIMITS.component_bytes} are read"
    except OSError:
        problem = "cannot be read"
    raise ComponentUnreadable(
        f"The component file {problem}.",
        hint="Check the path; in a checkout `just build` makes the bundled one.",
    )


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
