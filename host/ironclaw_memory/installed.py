"""Which component a host runs: the bundled one by its known digest, or one that was approved.

The bundled component's digest and frozen manifest are written beside it by the build. Any
other file is measured, and used only if somebody approved exactly those bytes.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ironclaw_memory.capability.clamp import Effective, Policy, clamp
from ironclaw_memory.declared import Package, thaw
from ironclaw_memory.errors import ComponentUnreadable, ProviderNotApproved
from ironclaw_memory.sandbox.artifact import Artifact, check_named, measured


if TYPE_CHECKING:
    from ironclaw_memory.capability.pins import Pins

BUNDLED: Final = Path(__file__).parent / "memory.wasm"
_DIGEST: Final = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True)
class Provider:
    """A component that may be run, with what it declares and what host policy leaves of it."""

    artifact: Artifact
    package: Package
    effective: Effective
    bundled: bool


def bundled() -> Provider:
    """Return the bundled provider; raises `ComponentUnreadable` if it is not there."""
    described = _described()
    if not BUNDLED.is_file():
        raise _missing()
    return Provider(
        artifact=Artifact(path=BUNDLED, digest=described["sha256"]),
        package=(package := thaw(described["package"])),
        effective=clamp(package.manifest, Policy(bundled=True)),
        bundled=True,
    )


def provider_at(path: Path | None, pins: "Callable[[], Pins]") -> Provider:
    """Return the provider in the file *path*, or the bundled one for ``None``.

    Raises `ProviderNotApproved` unless the file's digest is approved, `InvalidArguments` if no
    file is there, and `ComponentUnreadable` if it cannot be read.
    """
    if path is None:
        return bundled()
    check_named(path, field="provider")
    artifact = measured(path)
    if is_bundled(artifact):
        return bundled()
    package = pins().approved(artifact.digest)
    effective = clamp(package.manifest, Policy(bundled=False))
    if effective.refused:
        raise ProviderNotApproved(
            "Host policy refuses the provider.",
            code="refused-by-policy",
            hint="`ironclaw-memory component info FILE` shows why.",
        )
    return Provider(artifact=artifact, package=package, effective=effective, bundled=False)


def is_bundled(artifact: Artifact) -> bool:
    """Say whether *artifact* has the digest of the bundled component."""
    return BUNDLED.is_file() and bool(artifact.digest == _described()["sha256"])


@cache
def _described() -> dict[str, Any]:
    """Return what the build wrote beside the component: its digest and its package."""
    try:
        value: dict[str, Any] = json.loads(BUNDLED.with_name(f"{BUNDLED.name}.json").read_bytes())
        is_sound = _DIGEST.fullmatch(value["sha256"]) and isinstance(value["package"], dict)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise _missing() from None
    if not is_sound:
        raise _missing()
    return value


def _missing() -> ComponentUnreadable:
    return ComponentUnreadable(
        "The bundled memory component is missing or damaged.",
        hint="Reinstall ironclaw-memory; in a checkout run `just build`.",
    )
