"""Approving a component: what it carries is read, what it exports is checked, then it is pinned.

`inspect` compiles and runs nothing. `install` compiles, within bounds and in a process
of its own, to compare every exported function with the contract; a guest runs first
when a host opens the approved component.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ironclaw_memory.capability.audit import AuditLog
from ironclaw_memory.capability.clamp import Effective, Policy, clamp, refuse_reserved
from ironclaw_memory.capability.pins import Pin, Pins
from ironclaw_memory.capability.records import Kind, Outcome, Record
from ironclaw_memory.declared import Manifest, Package
from ironclaw_memory.errors import (
    ComponentUnreadable,
    InvalidManifest,
    ProviderNotApproved,
    UndeclaredTool,
)
from ironclaw_memory.installed import BUNDLED, bundled
from ironclaw_memory.manifest import read_package
from ironclaw_memory.package import Surface, extract, surface
from ironclaw_memory.provider import HOOKS, TOOLS, UPKEEP, Function
from ironclaw_memory.sandbox.admission import admit
from ironclaw_memory.sandbox.artifact import Artifact, check_named
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.scopes import HOST_DIRECTORY


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


def inspect(file: Path | None, *, limits: Limits) -> Inspection:
    """Look into the component in *file*, or into the bundled one.

    A file that is larger than *limits* allow is not read. Raises `InvalidArguments` if no file
    is there, `ComponentUnreadable` and `InvalidManifest`.
    """
    path = file or BUNDLED
    component = contents(path, limits=limits)
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


def is_approved(found: Inspection, root: Path) -> bool:
    """Say whether exactly these bytes were approved for the data directory *root*.

    Raises `SettingsUnreadable` where the approval is damaged.
    """
    try:
        Pins(root / HOST_DIRECTORY).approved(found.sha256)
    except ProviderNotApproved:
        return False
    return True


def texts_for_a_model(found: Inspection) -> dict[str, str]:
    """Return every text of the provider that would reach a model, by where it comes from."""
    package, manifest = found.package, found.package.manifest
    named = {manifest.memory.guidance_doc} | {t.prompt_doc_ref for t in manifest.tools}
    named |= {op.prompt for op in manifest.memory.scheduled_ops}
    texts = {ref: package.texts[ref] for ref in sorted(filter(None, named))}
    return {**{f"description of {t.id}": t.description for t in manifest.tools}, **texts}


def install(
    file: Path,
    root: Path,
    *,
    cache: Path,
    agreed: Callable[[Inspection], bool],
    now_ms: int,
    limits: Limits,
    say: Callable[[str], None] = lambda line: None,
) -> Pin:
    """Approve the component in *file* for the data directory *root*, exactly these bytes.

    *agreed* is shown everything first and says whether a person approves; it is asked
    before anything is compiled. The compiled code stays in *cache*. Raises `InvalidArguments`,
    `ComponentUnreadable`, `InvalidManifest`, `UnacceptableComponent`, `LimitExceeded` for a
    file that takes too much to compile, `AuditUnavailable`, and `ProviderNotApproved` for a
    reserved id or where *agreed* says no.
    """
    found = inspect(file, limits=limits)
    admit(found.surface.imports, found.surface.exports)
    refuse_reserved(found.effective)
    if not agreed(found):
        raise ProviderNotApproved(
            "The component was not approved.",
            hint="Nothing was changed. Where nobody can be asked, `--yes` approves.",
        )
    check_contract(found, cache, limits=limits, say=say)
    intent = Record(
        at_ms=now_ms,
        kind=Kind.PIN,
        outcome=Outcome.ALLOWED,
        component=found.sha256,
        by_operator=True,
    )
    audit, pins = AuditLog(root / HOST_DIRECTORY), Pins(root / HOST_DIRECTORY)
    exports = found.surface.exports
    try:
        with audit.around(intent):
            return pins.approve(found.sha256, found.package, exports=exports, now_ms=now_ms)
    finally:
        audit.close()


def check_contract(
    found: Inspection, cache: Path, *, limits: Limits, say: Callable[[str], None]
) -> None:
    """Compile the component and compare what it exports with the contract and its manifest.

    Raises `UnacceptableComponent`, `InvalidManifest` for something declared and not
    exported, `ComponentUnreadable` if the file has changed meanwhile, and `LimitExceeded`.
    """
    from ironclaw_memory.sandbox.cache import Cache  # noqa: PLC0415 - loads wasmtime
    from ironclaw_memory.sandbox.engine import Engine  # noqa: PLC0415 - likewise
    from ironclaw_memory.sandbox.instance import Program  # noqa: PLC0415 - likewise

    engine = Engine(limits)
    artifact = Artifact(path=found.file, digest=found.sha256)
    compiled = Cache(cache, limits=limits, on_compile=say)
    program = Program(engine, compiled.load(engine, artifact))
    program.check_contract()
    for name, function in _declared(found.package.manifest):
        try:
            program.index(function.interface, function.name)
        except UndeclaredTool:
            raise InvalidManifest(
                f"The manifest declares {name}, which the component does not export.",
                hint="Export it, or take it out of the manifest.",
            ) from None


def contents(path: Path, *, limits: Limits) -> bytes:
    """Return the bytes of a component file, no more than *limits* let compile.

    Raises `ComponentUnreadable`, and `InvalidArguments` where somebody named no file.
    """
    if path != BUNDLED:
        check_named(path, field="file")
    most = limits.component_bytes
    try:
        if path.is_file():
            with path.open("rb") as file:
                component = file.read(most + 1)
            if len(component) <= most:
                return component
            problem = f"is too large; at most {most} bytes are read (limits.component_bytes)"
        else:
            problem = "is not there, or is no regular file"
    except OSError:
        problem = "cannot be read"
    raise ComponentUnreadable(
        f"The component file {problem}.",
        hint="Check the path; in a checkout `just build` makes the bundled one.",
    )


def _declared(manifest: Manifest) -> Iterator[tuple[str, Function]]:
    for tool in manifest.tools:
        if tool.name in TOOLS:
            yield tool.id, TOOLS[tool.name]
    for hook in manifest.memory.lifecycle:
        yield f"the hook {hook.value}", HOOKS[hook.value]
    for name in manifest.memory.upkeep:
        yield f"upkeep {name}", UPKEEP[name]
