"""Retention: documents whose ``hygiene`` says so, and versions past their time.

A swept document is deleted like any other, so it can be restored for as long again;
then its history goes too. A document that re-enters a prompt is swept only if its
own metadata ask for it: a rule for a whole folder must not empty an agent's mind.
"""

from typing import Final

from memory_native import files, metadata, paths, walking
from memory_native.documents import Documents
from memory_native.failures import MemoryFailure
from memory_native.metadata import Hygiene
from memory_native.upkeep.reports import SweepReport
from memory_native.versions.history import History, every


_DAY_MS: Final = 86_400_000


class Sweeper:
    """One sweep over one scope."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._now_ms = documents.now_ms()

    def sweep(self, *, dry_run: bool) -> SweepReport:
        """Remove what is past retention, unless *dry_run*."""
        documents = [found for found in self._walk() if self._is_past(found.path, found.mtime_ns)]
        versions, freed = self._sweep_versions(dry_run=dry_run)
        if not dry_run:
            for found in documents:
                self._documents.remove(found.path)
        return SweepReport(
            documents=tuple(sorted(found.path for found in documents)),
            versions=versions,
            bytes=freed + sum(found.size for found in documents),
        )

    def _walk(self) -> list[walking.Found]:
        known = self._documents.indexing.seen()
        found = walking.documents(self._documents.root, known=known)
        return [one for one in found if not paths.is_config(one.path)]

    def _is_past(self, path: str, mtime_ns: int) -> bool:
        hygiene = self._hygiene(path)
        return hygiene.enabled and self._age_ms(mtime_ns // 1_000_000) > _retention_ms(hygiene)

    def _hygiene(self, path: str) -> Hygiene:
        sidecars = self._documents.sidecars
        if self._documents.protects(path):
            return metadata.policy(sidecars.own(path)).hygiene
        return sidecars.policy(path).hygiene

    def _sweep_versions(self, *, dry_run: bool) -> tuple[int, int]:
        count = freed = 0
        for path, history in every(self._documents.store):
            if self._is_forgotten(path, history):
                count += sum(not row.erased for row in history.rows())
                freed += sum(history.stored().values())
                if not dry_run:
                    self._documents.erase(path)
            else:
                past, size = history.expired(now_ms=self._now_ms)
                count, freed = count + len(past), freed + size
                if not dry_run:
                    history.trim(now_ms=self._now_ms)
        return count, freed

    def _is_forgotten(self, path: str, history: History) -> bool:
        """Tell whether the document was swept so long ago that its history goes too."""
        hygiene = self._hygiene(path)
        rows = history.rows()
        if not (hygiene.enabled and rows) or self._stands(path):
            return False
        return self._age_ms(rows[-1].unix_ms) > _retention_ms(hygiene)

    def _stands(self, path: str) -> bool:
        """Tell whether anything is, or may be, where the document was, however it is spelled."""
        try:
            name = self._documents.names.locate(path)
            return files.lstat(f"{self._documents.root}/{name}") is not None
        except (MemoryFailure, OSError):
            return True

    def _age_ms(self, unix_ms: int) -> int:
        return self._now_ms - unix_ms


def _retention_ms(hygiene: Hygiene) -> int:
    return hygiene.retention_days * _DAY_MS
