"""Retention: documents whose ``hygiene`` says so, and versions past their time.

A swept document is deleted like any other, so it can be restored for as long again;
then its history goes too. A document that re-enters a prompt is swept only if its
own metadata ask for it: a rule for a whole folder must not empty an agent's mind.
"""

from collections.abc import Iterable
from typing import Final

from memory_native import files, metadata, paths, walking
from memory_native.documents import Documents
from memory_native.failures import MemoryFailure
from memory_native.metadata import Hygiene
from memory_native.upkeep.reports import SweepReport
from memory_native.versions.history import History, every


_DAY_MS: Final = 86_400_000
_NOT_STORED: Final = "storage-failed"


class Sweeper:
    """One sweep over one scope."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._now_ms = documents.now_ms()

    def sweep(self, *, dry_run: bool) -> SweepReport:
        """Remove what is past retention, unless *dry_run*.

        A document whose body cannot become a version, because it is too large or cannot be
        read, stays and keeps no other one from going. Raises ``storage-failed`` where no
        document could be removed and that was why.
        """
        past = [found for found in self._walk() if self._is_past(found.path, found.mtime_ns)]
        versions, freed = self._sweep_versions(dry_run=dry_run)
        going = [found for found in past if self._can_go(found)] if dry_run else self._gone(past)
        return SweepReport(
            documents=tuple(sorted(found.path for found in going)),
            versions=versions,
            bytes=freed + sum(found.size for found in going),
        )

    def _can_go(self, found: walking.Found) -> bool:
        try:
            return self._documents.read_bytes(found.path) is not None
        except MemoryFailure:
            return False

    def _gone(self, past: Iterable[walking.Found]) -> list[walking.Found]:
        """Remove documents and return those that could be removed."""
        refusals = [(found, self._refusal(found.path)) for found in past]
        gone = [found for found, refusal in refusals if refusal is None]
        if not gone and any(refusal == _NOT_STORED for _, refusal in refusals):
            raise MemoryFailure(_NOT_STORED)  # a full disk must not look like nothing to do
        return gone

    def _refusal(self, path: str) -> str | None:
        """Remove a document, or return the code of what that failed with."""
        try:
            self._documents.remove(path)
        except MemoryFailure as failure:
            return failure.code
        return None

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
