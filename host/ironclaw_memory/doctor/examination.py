"""Everything at once: the installation, then each scope."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ironclaw_memory.doctor.findings import Finding, Severity
from ironclaw_memory.doctor.places import (
    audit_findings,
    cache_findings,
    component_findings,
    gate_findings,
    root_findings,
)
from ironclaw_memory.doctor.scope import ScopeReport, examined
from ironclaw_memory.doctor.scopes_on_disk import scopes_on_disk


if TYPE_CHECKING:
    from ironclaw_memory.host import MemoryHost

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Examination:
    """What an examination found."""

    installation: tuple[Finding, ...]
    scopes: tuple[ScopeReport, ...]

    def findings(self) -> tuple[Finding, ...]:
        """Return every finding, the installation's first."""
        return (*self.installation, *(f for scope in self.scopes for f in scope.findings))

    def trouble(self) -> tuple[Finding, ...]:
        """Return what has to be done and is not mended yet."""
        return tuple(
            finding
            for finding in self.findings()
            if finding.severity is Severity.TROUBLE and not finding.repaired
        )


def installation_findings(root: Path, cache: Path, *, repair: bool) -> tuple[Finding, ...]:
    """Look at everything that needs no provider; with *repair* directories become private."""
    return (
        *root_findings(root, repair=repair),
        *cache_findings(cache),
        *gate_findings(root),
        *audit_findings(root),
        *component_findings(),
    )


def scope_reports(
    host: "MemoryHost", root: Path, *, repair: bool, progress: Progress
) -> tuple[ScopeReport, ...]:
    """Examine every scope below *root*; with *repair* what is derived is mended."""
    there = tuple(scopes_on_disk(root))
    reports = []
    for done, one in enumerate(there, start=1):
        reports.append(examined(host, root, one, repair=repair))
        progress(done, len(there))
    return tuple(reports)
