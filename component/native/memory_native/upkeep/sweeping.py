"""Retention: documents whose ``hygiene`` says so, and versions past their time.

A swept document is deleted like any other, so it can be restored for as long again;
then its history goes too. A document that re-enters a prompt is swept only if its
own metadata ask for it: a rule for a whole folder must not empty an agent's mind.
What has to stay is named: nobody may take for removed what is still there.
"""

from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Final

from memory_native import files, metadata, paths, walking
from memory_native.documents import Documents
from memory_native.failures import MemoryFailure
from memory_native.metadata import Hygiene, Sidecars
from memory_native.upkeep.reports import SweepReport
from memory_native.versions.history import History, every


LEFT_PATHS: Final = 1000
LEFT_BYTES: Final = 64 << 10
"""As much is named of what stays (wit/upkeep.wit); what goes shares the reply with it."""

_DAY_MS: Final = 86_400_000
_NOT_STORED: Final = "storage-failed"
_GONE: Final = "document-missing"


class Sweeper:
    """One sweep over one scope."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._now_ms = documents.now_ms()
        # What is damaged counts as absent elsewhere; here a rule of its own may be in it.
        self._sidecars = Sidecars(documents.store, documents.names, strict=True)
        self._left: set[str] = set()

    def sweep(self, *, dry_run: bool) -> SweepReport:
        """Remove what is past retention, unless *dry_run*.

        A document whose body cannot become a version, because it is too large or cannot be
        read, stays and keeps no other one from going, as one does whose metadata cannot be
        read. Raises ``storage-failed`` where no document could be removed and that was why.
        """
        past = [
            found
            for found in self._walk()
            if self._is_past(found.path, _changed_ms(found), unread=self._left)
        ]
        versions, freed = self._sweep_versions(dry_run=dry_run)
        going = self._going(past, self._look if dry_run else self._documents.remove)
        left = _named(self._left)
        return SweepReport(
            documents=tuple(sorted(found.path for found in going)),
            versions=versions,
            bytes=freed + sum(found.size for found in going),
            left=left,
            more_left=len(left) < len(self._left),
        )

    def _going(
        self, past: Iterable[walking.Found], act: Callable[[str], object]
    ) -> list[walking.Found]:
        """Do *act* to documents, return those it was done to, and remember those that stay."""
        refusals = [(found, _refusal(act, found.path)) for found in past]
        going = [found for found, refusal in refusals if refusal is None]
        if not going and any(refusal == _NOT_STORED for _, refusal in refusals):
            raise MemoryFailure(_NOT_STORED)  # a full disk must not look like nothing to do
        self._left.update(one.path for one, refusal in refusals if refusal not in (None, _GONE))
        return going

    def _look(self, path: str) -> None:
        """Raise what removing a document would, as far as reading it tells."""
        if self._documents.read_bytes(path) is None:
            raise MemoryFailure(_GONE)

    def _walk(self) -> list[walking.Found]:
        known = self._documents.indexing.seen()
        found = walking.documents(self._documents.root, known=known)
        return [one for one in found if not paths.is_config(one.path)]

    def _is_past(self, path: str, changed_ms: int, *, unread: set[str]) -> bool:
        """Tell whether it is past retention; no, and noted as *unread*, where nobody can tell."""
        age_ms = self._now_ms - changed_ms
        if age_ms <= _DAY_MS:  # the shortest retention
            return False
        try:
            hygiene = self._hygiene(path)
        except MemoryFailure:
            unread.add(path)
            return False
        return hygiene.enabled and age_ms > hygiene.retention_days * _DAY_MS

    def _hygiene(self, path: str) -> Hygiene:
        with files.reading():
            if self._documents.protects(path):
                return metadata.policy(self._sidecars.own(path)).hygiene
            return self._sidecars.policy(path).hygiene

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
        rows = history.rows()
        if not rows or self._stands(path):
            return False
        return self._is_past(path, rows[-1].unix_ms, unread=set())  # no document stays

    def _stands(self, path: str) -> bool:
        """Tell whether anything is, or may be, where the document was, however it is spelled."""
        try:
            name = self._documents.names.locate(path)
            return files.lstat(f"{self._documents.root}/{name}") is not None
        except (MemoryFailure, OSError):
            return True


def _changed_ms(found: walking.Found) -> int:
    return found.mtime_ns // 1_000_000


def _refusal(act: Callable[[str], object], path: str) -> str | None:
    """Do *act* to a document, or return the code of what that failed with."""
    try:
        act(path)
    except MemoryFailure as failure:
        return failure.code
    return None


def _named(left: Iterable[str]) -> tuple[str, ...]:
    """Return as many paths as a report names."""
    ordered = sorted(left)[:LEFT_PATHS]
    taken = accumulate(len(path.encode()) for path in ordered)
    return tuple(path for path, size in zip(ordered, taken, strict=True) if size <= LEFT_BYTES)
