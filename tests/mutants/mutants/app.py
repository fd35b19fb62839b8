"""The exports of the native component, served by the mutant that the bound scope names.

A tenant that names no fault is served by the native provider, unchanged.
"""

from typing import Any

from memory_native import app as native
from memory_native.app import ROOT, Lifecycle, Tools, Upkeep, WitHost
from memory_native.provider import Provider
from mutants.catalogue import MUTANTS, fault_of


__all__ = ["Lifecycle", "Tools", "Upkeep"]


class Chosen:
    """Stands in for the provider of `memory_native.app` and passes every call on."""

    def __init__(self) -> None:
        self._provider: Provider | None = None

    def __getattr__(self, name: str) -> Any:
        if self._provider is None:
            host = WitHost()
            kind = MUTANTS.get(fault_of(host.scope().tenant_id), Provider)
            self._provider = kind(ROOT, host)
        return getattr(self._provider, name)


native._provider = Chosen()  # type: ignore[assignment, misc]
