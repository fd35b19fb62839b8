"""From a scope to an archive."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ironclaw_memory.errors import IronclawMemoryError, UndeclaredTool
from ironclaw_memory.model import Scope
from ironclaw_memory.portability.foresight import Places
from ironclaw_memory.portability.hostile import MAX_MEMBER_BYTES, MAX_NAME_BYTES, ArchiveRefused
from ironclaw_memory.portability.members import (
    FORMAT,
    BodyMember,
    DocumentMember,
    ManifestMember,
    Member,
    MetaMember,
    is_document_path,
    name_of,
)
from ironclaw_memory.portability.reading import MAX_NUMBER, meta_of, row_of
from ironclaw_memory.portability.report import (
    METADATA_ILLEGAL,
    OVERSIZED,
    PATH_ILLEGAL,
    VERSION_ILLEGAL,
    ExportReport,
    Problem,
    Progress,
    problem_of,
)
from ironclaw_memory.portability.writing import Writer, as_json


LEFT_OUT: Final = {
    "unreadable": "directory-unreadable",
    "name": "name-not-utf8",
    "twin": "path-repeated",
}
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
    lacks, what lies there and is no document, and a document that goes out and will be refused
    when it is imported, for its size or path, is a problem in the report; what ends everything
    is raised: the scope is busy, the root unusable, the call refused.
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
    """One export on its way.

    What a provider answers is looked at as an import would: one answer that does not hold
    would make the whole archive one that cannot come in.
    """

    def __init__(self, host: "MemoryHost", scope: Scope, writer: Writer) -> None:
        self._host = host
        self._scope = scope
        self._writer = writer
        self._foreseen = Places()
        self.report = ExportReport()

    def document(self, path: str, *, unix_ms: int) -> None:
        """Add a document with all that is kept about it."""
        try:
            body = self._host.current(self._scope, path).encode()
            known = self._described(path)
        except IronclawMemoryError as error:
            self.report.problems.append(problem_of(error, path))
            return
        if not self._can_name(path) or not self._add(DocumentMember(path), body, path, unix_ms):
            return
        self._foresee(path, len(body))
        self.report.documents += 1
        self.report.bytes += len(body)
        try:
            rows = self._history(path)
        except IronclawMemoryError as error:
            self.report.problems.append(problem_of(error, path))
            rows = ()
        self._kept(path, rows, metadata=self._metadata(path, known))

    def deleted(self, path: str) -> None:
        """Add the history of a document that is gone; its path is what the provider says."""
        if not self._can_name(path):
            return
        try:
            rows = self._history(path)
        except IronclawMemoryError as error:
            self.report.problems.append(problem_of(error, path))
            return
        if self._kept(path, rows, metadata={}):
            self.report.deleted += 1

    def _kept(self, path: str, rows: "tuple[VersionRow, ...]", *, metadata: dict[str, Any]) -> bool:
        """Add what is kept about a document; tells whether an archive can have it."""
        sound = self._sound(path, rows)
        if sound or metadata:
            known = {"metadata": metadata, "versions": [asdict(row) for row in sound]}
            if not self._add(MetaMember(path), as_json(known), path):
                return False
        for row in sound:
            if not row.erased:
                self._version(path, row)
        return bool(sound) or not rows

    def _sound(self, path: str, rows: "tuple[VersionRow, ...]") -> "tuple[VersionRow, ...]":
        """Return the rows that an import takes, each number once; the others are problems."""
        sound: dict[int, VersionRow] = {}
        for row in rows:
            if row.number not in sound and _holds(row):
                sound[row.number] = row
            else:
                self._lacks(f"{path} version {row.number}", VERSION_ILLEGAL)
        return tuple(sound.values())

    def _metadata(self, path: str, known: dict[str, Any]) -> dict[str, Any]:
        """Return the document's own metadata, or nothing if no import takes them."""
        try:
            own = meta_of(as_json({"metadata": known.get("metadata", {})})).metadata
        except ArchiveRefused:
            self._lacks(path, METADATA_ILLEGAL)
            return {}
        return dict(own)

    def _version(self, path: str, row: "VersionRow") -> None:
        try:
            body = self._host.version(self._scope, path, row.number).encode()
        except IronclawMemoryError as error:
            self.report.problems.append(problem_of(error, f"{path} version {row.number}"))
            return
        named = f"{path} version {row.number}"
        if self._add(BodyMember(path, row.number), body, named, row.unix_ms):
            self.report.versions += 1

    def _can_name(self, path: str) -> bool:
        """Tell whether an archive can name all that is kept of a document; if not, say so."""
        longest = name_of(BodyMember(path, MAX_NUMBER))
        fine = is_document_path(path) and len(longest.encode()) <= MAX_NAME_BYTES
        if not fine:
            self._lacks(path, PATH_ILLEGAL)
        return fine

    def _add(self, member: Member, body: bytes, named: str, unix_ms: int = 0) -> bool:
        """Add a member, called *named* in a report, unless it is larger than an import takes."""
        if len(body) > MAX_MEMBER_BYTES:
            self._lacks(named, OVERSIZED)
            return False
        self._writer.add(member, body, unix_ms=unix_ms)
        return True

    def _foresee(self, path: str, size: int) -> None:
        """Say of a document that went out why it will not come in again, if it will not."""
        if code := self._foreseen.restored(path, size):
            self._lacks(path, code)

    def _lacks(self, named: str, code: str) -> None:
        self.report.problems.append(Problem(path=named, code=code))

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


def _holds(row: "VersionRow") -> bool:
    try:
        row_of(asdict(row))
    except ArchiveRefused:
        return False
    return True
