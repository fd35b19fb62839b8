"""Which components somebody approved, by the SHA-256 of their bytes.

A pin keeps the validated package that was shown when it was approved, so that a
later start needs neither the component's own words nor pydantic, and what a model
gets to read is what a person saw. One file a pin, in a directory outside every mount.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ironclaw_memory.capability.clamp import Policy, clamp, refuse_reserved
from ironclaw_memory.declared import Package, freeze, thaw
from ironclaw_memory.errors import (
    ComponentUnreadable,
    ProviderNotApproved,
    SettingsUnreadable,
    UnacceptableComponent,
)
from ironclaw_memory.private import make_private, write_private


DIRECTORY: Final = "pins"
FORMAT: Final = 1
MAX_BYTES: Final = 4 * 1024 * 1024  # a package's texts are far smaller

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_CONTRACT: Final = "ironclaw:memory/"
_KNOWN: Final = re.compile(r"ironclaw:memory/[a-z-]+@0\.1\.[0-9]+")  # wit/, package version 0.1


@dataclass(frozen=True, kw_only=True)
class Pin:
    """An approval: these bytes, with these texts, of this world, at that time.

    ``texts_sha256`` is over the whole package: manifest, schemas and every text that
    can reach a model. ``interfaces`` are those of the contract that it exports.
    """

    sha256: str
    texts_sha256: str
    interfaces: tuple[str, ...]
    approved_ms: int
    package: Package


class Pins:
    """The approvals of one root. Safe under many processes: a pin is one file, made whole."""

    def __init__(self, directory: Path) -> None:
        """Keep pins below *directory*."""
        self._directory = directory / DIRECTORY

    def approve(self, sha256: str, package: Package, *, exports: Iterable[str], now_ms: int) -> Pin:
        """Pin a component with what it was shown to declare; replaces an older pin of it.

        Raises `UnacceptableComponent` for a world that this host does not know,
        `ProviderNotApproved` for a reserved id, `SettingsUnreadable` where the pin
        cannot be written.
        """
        _require_free_id(package)
        pin = Pin(
            sha256=_checked_digest(sha256),
            texts_sha256=texts_digest(package),
            interfaces=_known_interfaces(exports),
            approved_ms=now_ms,
            package=package,
        )
        self._write(pin)
        return pin

    def approved(self, sha256: str) -> Package:
        """Return the package that was approved for exactly these bytes.

        Raises `ProviderNotApproved` where nobody did, `SettingsUnreadable` where the pin
        is damaged.
        """
        try:
            pin = self._read(self._path(sha256))
        except FileNotFoundError:
            raise ProviderNotApproved(
                "This component was not approved, or its file has changed since.",
                hint="Look at it and approve it with `ironclaw-memory component install FILE`.",
            ) from None
        _require_free_id(pin.package)
        return pin.package

    def all(self) -> tuple[Pin, ...]:
        """Return every pin, oldest first; raises `SettingsUnreadable` if one cannot be read."""
        try:
            paths = [path for path in self._directory.iterdir() if path.suffix == ".json"]
        except FileNotFoundError:
            return ()
        except OSError:
            raise _damaged() from None
        pins = [self._read(path) for path in paths]
        return tuple(sorted(pins, key=lambda pin: (pin.approved_ms, pin.sha256)))

    def forget(self, sha256: str) -> bool:
        """Withdraw an approval; false where there was none. Running hosts are not stopped."""
        try:
            self._path(sha256).unlink()
        except FileNotFoundError:
            return False
        except OSError:
            raise _damaged() from None
        return True

    def _path(self, sha256: str) -> Path:
        return self._directory / f"{_checked_digest(sha256)}.json"

    def _write(self, pin: Pin) -> None:
        try:
            make_private(self._directory)
            write_private(self._path(pin.sha256), _to_json(pin), durable=True)
        except OSError:
            raise _damaged() from None

    def _read(self, path: Path) -> Pin:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            with os.fdopen(os.open(path, flags), "rb") as file:
                pin = _from_json(file.read(MAX_BYTES + 1))
        except FileNotFoundError:
            raise
        except OSError:
            raise _damaged() from None
        if pin.sha256 != path.stem:
            raise _damaged()
        return pin


def texts_digest(package: Package) -> str:
    """Return the SHA-256 over everything that *package* declares and carries."""
    canonical = json.dumps(freeze(package), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _require_free_id(package: Package) -> None:
    refuse_reserved(clamp(package.manifest, Policy(bundled=False)))


def _known_interfaces(exports: Iterable[str]) -> tuple[str, ...]:
    contract = tuple(sorted(name for name in exports if name.startswith(_CONTRACT)))
    if not contract or not all(_KNOWN.fullmatch(name) for name in contract):
        raise UnacceptableComponent(
            "The component was built for a world that this host does not know.",
            hint="Use a provider built for ironclaw:memory 0.1.",
        )
    return contract


def _checked_digest(sha256: str) -> str:
    if not _DIGEST.fullmatch(sha256):
        raise ValueError("not a SHA-256 in lower-case hexadecimal digits")
    return sha256


def _to_json(pin: Pin) -> bytes:
    value = {
        "format": FORMAT,
        "sha256": pin.sha256,
        "texts_sha256": pin.texts_sha256,
        "interfaces": list(pin.interfaces),
        "approved_ms": pin.approved_ms,
        "package": freeze(pin.package),
    }
    return json.dumps(value, indent=1).encode()


def _from_json(raw: bytes) -> Pin:
    try:
        value: dict[str, Any] = json.loads(raw)
        if value["format"] != FORMAT:
            raise _damaged()
        pin = Pin(
            sha256=str(value["sha256"]),
            texts_sha256=str(value["texts_sha256"]),
            interfaces=_known_interfaces(value["interfaces"]),
            approved_ms=int(value["approved_ms"]),
            package=thaw(value["package"]),
        )
        intact = texts_digest(pin.package) == pin.texts_sha256
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, ComponentUnreadable):
        raise _damaged() from None
    if not intact:
        raise _damaged()
    return pin


def _damaged() -> SettingsUnreadable:
    return SettingsUnreadable(
        "The approval of a component cannot be read or written.",
        hint="Approve the component again with `ironclaw-memory component install FILE`.",
    )
