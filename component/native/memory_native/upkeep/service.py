"""The upkeep of one scope: versions, erasure, renaming, retention, the index, checks.

Every failure is a `MemoryFailure`. The capability that an operation needs is asked
for before anything is touched.
"""

import time
from bisect import bisect_right
from collections.abc import Callable
from hashlib import sha256

from memory_native import files, paths, strict_json
from memory_native.documents import Document, Documents
from memory_native.documents.editing import decode
from memory_native.failures import MemoryFailure
from memory_native.upkeep import litter
from memory_native.upkeep.adopting import HASH, adoptable
from memory_native.upkeep.checking import Checker
from memory_native.upkeep.reports import (
    Adoption,
    ChangeReport,
    DeletedList,
    Erasure,
    RefreshReport,
    SweepReport,
    VersionList,
    VersionRow,
)
from memory_native.upkeep.sweeping import Sweeper
from memory_native.versions.growing import GrowingLog
from memory_native.versions.history import History, every
from memory_native.versions.rows import Row


_PART_BYTES = 256 << 10  # a reply has room for 1 MiB of JSON, in which text can double
_REINDEX_SECONDS = 10.0  # of the 30 that an upkeep call has (design.md section 5)


class Upkeep:
    """Serves ``upkeep`` over the documents of one scope."""

    def __init__(
        self, documents: Documents, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Work on *documents*; *monotonic* gives seconds and bounds `refresh`."""
        self._documents = documents
        self._monotonic = monotonic
        self._log = GrowingLog()  # an archive brings the versions of a document one by one

    # -- versions ----------------------------------------------------------

    def history(self, path: str) -> VersionList:
        """List the versions of a document; raises ``document-missing`` if there is nothing."""
        legal, history = self._history(path)
        with files.reading():
            current = self._documents.read_bytes(legal)
            rows = history.visible(current)
        if current is None and not rows:
            raise MemoryFailure("document-missing", field="path")
        return VersionList(path=legal, versions=tuple(map(_version_row, rows)))

    def version(self, path: str, number: int) -> Document:
        """Return one version.

        Raises ``version-missing``, ``version-erased``, ``version-damaged`` or ``not-text``.
        """
        legal, history = self._history(path)
        text = decode(self._body(legal, history, number))
        return Document(path=legal, content=text, word_count=len(text.split()))

    def restore(self, path: str, number: int) -> ChangeReport:
        """Make a version the document again, keeping what it replaces."""
        legal, history = self._history(path)
        change = self._documents.put_back(legal, self._body(legal, history, number))
        return ChangeReport(path=legal, size=len(change.new or b""), kept_as=change.kept_as)

    def adopt(self, path: str, row: VersionRow, content: str | None) -> Adoption:
        """Add a version from elsewhere.

        Raises ``version-invalid`` naming the field of *row* that is out of bounds,
        ``version-mismatch`` if *content* is not what *row* says, ``version-taken`` if
        another version has the number, and ``history-full``.
        """
        legal = self._legal(path)
        history = History(self._documents.store, legal, parse=self._log.parse)
        own, body = adoptable(row, content)
        self._documents.ready()
        with files.storage():
            if history.is_staged():
                history.settle(self._documents.read_bytes(legal))
            versions = history.adopt(own, body)
        return Adoption(path=legal, number=own.number, versions=versions)

    # -- documents ---------------------------------------------------------

    def delete(self, path: str) -> ChangeReport:
        """Take a document away, keeping its last body as a version."""
        legal = paths.document_path(path)
        change = self._documents.remove(legal)
        return ChangeReport(path=legal, size=0, kept_as=change.kept_as)

    def deleted(self, after: str | None) -> DeletedList:
        """List the documents that are gone and have versions, those behind *after*.

        A part has at most `_PART_BYTES` of paths, and at least one path.
        """
        self._documents.backend.require("file_documents", "versioning")
        part: list[str] = []
        size = 0
        with files.storage():
            known = sorted(path for path, _ in every(self._documents.store))
            for path in known[0 if after is None else bisect_right(known, after) :]:
                if self._is_gone(path):
                    size += len(path.encode())
                    if part and size > _PART_BYTES:
                        return DeletedList(paths=tuple(part), more=True)
                    part.append(path)
        return DeletedList(paths=tuple(part), more=False)

    def rename(self, path: str, to: str) -> ChangeReport:
        """Give a document another name; its versions and metadata go with it."""
        source = paths.document_path(path)
        target = paths.new_document_path(to, field="to")
        size = self._documents.rename(source, target)
        return ChangeReport(path=target, size=size, kept_as=None)

    def erase(self, path: str, number: int | None = None) -> Erasure:
        """Remove a version, or a document with all that is kept of it, for good.

        Raises ``document-missing`` or ``version-missing``.
        """
        legal, history = self._history(path)
        self._documents.backend.require("delete")
        self._documents.ready()
        self._log = GrowingLog()  # what was adopted last may be what is erased
        with files.storage():
            litter.clear(self._documents.root)  # a killed call may have left the text there
            if number is None:
                document, versions = self._documents.erase(legal)
                return Erasure(document=document, versions=versions)
            history.settle(self._documents.read_bytes(legal))
            self._documents.indexing.clear_traces(legal)
            return Erasure(document=False, versions=int(history.erase(number)))

    def describe(self, path: str) -> str:
        """Return what is known of a document as a JSON object; raises ``document-missing``."""
        self._documents.backend.require("file_documents", "metadata")
        legal = paths.document_path(path)
        with files.reading():
            name = self._documents.names.locate(legal)
            status = files.document_status(self._documents.root, name)
            content = self._documents.read_bytes(legal)
            own = self._documents.sidecars.own(legal)
            resolved = self._documents.sidecars.resolve(legal)
        if status is None or content is None:
            raise MemoryFailure("document-missing", field="path")
        return strict_json.compact(
            {
                "metadata": own,
                "resolved": resolved,
                "size": len(content),
                "hash": HASH + sha256(content).hexdigest(),
                "modified_ms": status.st_mtime_ns // 1_000_000,
            }
        )

    # -- the scope ---------------------------------------------------------

    def sweep(self, *, dry_run: bool) -> SweepReport:
        """Apply retention, or only say what it would remove."""
        self._documents.backend.require("delete", "versioning")
        if not dry_run:
            self._documents.ready()
        with files.storage():
            return Sweeper(self._documents).sweep(dry_run=dry_run)

    def refresh(self, changed: list[str], *, everything: bool, budget_ms: int) -> RefreshReport:
        """Bring the index in step with the documents, indexing for about *budget_ms*."""
        self._documents.backend.require("full_text_search")
        self._documents.ready()
        with files.storage():
            outcome = self._documents.indexing.refresh(
                changed, everything=everything, timer=lambda: self._timer(budget_ms / 1000)
            )
        return RefreshReport(
            indexed=len(outcome.indexed), removed=outcome.removed, remaining=outcome.remaining
        )

    def check(self, *, repair: bool) -> str:
        """Return the state of the store as a JSON object, after mending it if *repair*.

        An index that takes long to rebuild is begun, and left to `refresh`.
        """
        self._documents.backend.require("file_documents")
        out_of_time = self._timer(_REINDEX_SECONDS)
        with files.storage():
            return Checker(self._documents, repair=repair, out_of_time=out_of_time).report()

    # -- parts -------------------------------------------------------------

    def _timer(self, seconds: float) -> Callable[[], bool]:
        deadline = self._monotonic() + seconds
        return lambda: self._monotonic() >= deadline

    def _is_gone(self, path: str) -> bool:
        """Tell whether there is no document, be it that something else stands in its place.

        What stands in a directory that cannot be entered is not known to be gone.
        """
        try:
            name = self._documents.names.locate(path)
            there = files.document_status(self._documents.root, name) is not None
        except MemoryFailure:
            there = False
        except OSError:
            return False
        return not there and bool(History(self._documents.store, path).visible(None))

    def _legal(self, path: str) -> str:
        self._documents.backend.require("file_documents", "versioning")
        return paths.document_path(path)

    def _history(self, path: str) -> tuple[str, History]:
        legal = self._legal(path)
        return legal, History(self._documents.store, legal)

    def _body(self, path: str, history: History, number: int) -> bytes:
        with files.storage():
            current = self._documents.read_bytes(path)
            rows = history.visible(current)
            row = next((row for row in rows if row.number == number), None)
            if row is None:
                raise MemoryFailure("version-missing", field="number")
            return history.body(row, rows)


def _version_row(row: Row) -> VersionRow:
    return VersionRow(
        number=row.number,
        hash=HASH + row.hash,
        size=row.size,
        unix_ms=row.unix_ms,
        changed_by=row.changed_by,
        erased=row.erased,
    )
