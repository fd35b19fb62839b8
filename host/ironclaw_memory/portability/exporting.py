"""From a scope to an archive."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ironclaw_memory.errors import IronclawMemoryError, UndeclaredTool
from ironclaw_memory.model import Scope
from ironclaw_memory.portability.members import (
    FORMAT,
    BodyMember,
    DocumentMember,
    ManifestMember,
    MetaMember,
    is_document_path,
)
from ironclaw_memory.portability.report import (
    PATH_ILLEGAL,
    ExportReport,
    Problem,
    Progress,
    problem_of,
)
from ironclaw_memory.portability.writing import Writer


LEFT_OUT: Final = {"unreadable": "directory-unreadable", "name": "name-not-utf8"}
"""What `Odd.kind` is called in a report where that says too little."""

if TYPE_CHECKING:
    from ironclaw_memory.host import MemoryHost
    from ironclaw_memory.reports import VersionRow


def export_scope(
    host: "MemoryHost", scope: Scope, out: BinaryIO, *, progress: Progress, now_ms: int
) -> ExportReport:
    """Write the documents of *scope* with metadata and versions to *out* and return what went.

    Each document is consistent; the archive is not a snapshot of the whole scope, since
    others may write meanwhile. Of a deleted document its history goes out; its metadata
    stay behind, which no provider tells of a document that is not there. What one document
    lacks, and what lies there and is no document, is a problem in the report; what ends
    everything is raised: the scope is busy, the root unusable, the call refused.
    """
    found = host.documents(scope)
    gone = [path for path in _deleted(host, scope) if path not in found]
    total = len(found) + len(gone)
    with Writer(out) as writer:
        export = _Export(host, scope, writer)
        writer.add_json(
            ManifestMember(),
            {
                "format": FORMAT,
                "owner": scope.owner_key(),
                "exported_ms": now_ms,
                "documents": len(found),
                "deleted": len(gone),
            },
        )
        for done, (path, stamp) in enumerate(found.items(), start=1):
            export.document(path, unix_ms=stamp.mtime_ns // 10**6)
            progress(done, total)
        for done, path in enumerate(gone, start=len(found) + 1):
            export.deleted(path)
            progress(done, total)
        export.report.problems += (
            Problem(path=odd.path, code=LEFT_OUT.get(odd.kind, odd.kind))
            for odd in host.left_out(scope)
        )
    return export.report


def _deleted(host: "MemoryHost", scope: Scope) -> tuple[str, ...]:
    try:
        return host.deleted(scope)
    except UndeclaredTool:
        return ()  # a provider that keeps no versions, or does not list them


class _Export:
    """One export on its way."""

    def __init__(self, host: "MemoryHost", scope: Scope, writer: Writer) -> None:
        self._host = host
        self._scope = scope
        self._writer = writer
        self.report = ExportReport()

    def document(self, path: str, *, unix_ms: int) -> None:
        """Add a document with all that is kept about it."""
        try:
            body = self._host.current(self._scope, path).encode()
            known = self._described(path)
        except IronclawMemoryError as error:
            self.report.problems.append(problem_of(error, path))
            return
        self._writer.add(DocumentMember(path), body, unix_ms=unix_ms)
        self.report.documents += 1
        self.report.bytes += len(body)
        self._kept(path, self._history(path), metadata=known.get("metadata", {}))

    def deleted(self, path: str) -> None:
        """Add the history of a document that is gone.

        Its path is what the provider says: one that no document has would make the archive one
        that cannot come in.
        """
        if not is_document_path(path):
            self.report.problems.append(Problem(path=path, code=PATH_ILLEGAL))
            return
        try:
            rows = self._history(path)
        except IronclawMemoryError as error:
            self.report.problems.append(problem_of(error, path))
            return
        self._kept(path, rows, metadata={})
        self.report.deleted += 1

    def _kept(self, path: str, rows: "tuple[VersionRow, ...]", *, metadata: dict[str, Any]) -> None:
        if rows or metadata:
            versions = [asdict(row) for row in rows]
            self._writer.add_json(MetaMember(path), {"metadata": metadata, "versions": versions})
        for row in rows:
            if not row.erased:
                self._version(path, row)

    def _version(self, path: str, row: "VersionRow") -> None:
        try:
            body = self._host.version(self._scope, path, row.number).encode()
        except IronclawMemoryError as error:
            self.report.problems.append(problem_of(error, f"{path} version {row.number}"))
            return
        self._writer.add(BodyMember(path, row.number), body, unix_ms=row.unix_ms)
        self.report.versions += 1

    def _described(self, path: str) -> dict[str, Any]:
        try:
            return self._host.describe(self._scope, path)
        except UndeclaredTool:
            return {}  # a provider without upkeep keeps nothing beside its documents

    def _history(self, path: str) -> "tuple[VersionRow, ...]":
        try:
            return self._host.history(self._scope, path)
        except UndeclaredTool:
            return ()
