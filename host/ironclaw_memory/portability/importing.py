"""From an archive to a scope: what is there already is left alone, so it can be repeated."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from ironclaw_memory.contract.targets import ALIASES, BOOTSTRAP, word_meant
from ironclaw_memory.errors import IronclawMemoryError, RequestError
from ironclaw_memory.model import Scope
from ironclaw_memory.owner import ABSENT, current_text
from ironclaw_memory.portability.foresight import Places
from ironclaw_memory.portability.reading import Archive, Meta
from ironclaw_memory.portability.report import (
    BODY_MISSING,
    DIFFERS,
    METADATA_LEFT_OUT,
    NOT_TEXT,
    ImportReport,
    Problem,
    Progress,
    problem_of,
)
from ironclaw_memory.reports import VersionRow


if TYPE_CHECKING:
    from ironclaw_memory.host import MemoryHost

THREADS: Final = "threads/"


def import_archive(
    host: "MemoryHost",
    scope: Scope,
    archive: Archive,
    *,
    dry_run: bool,
    progress: Progress,
    now_ms: int,
) -> ImportReport:
    """Bring the documents of *archive* into *scope* and return what became of each.

    A document that is there with the same text is left alone; one that is there with
    another text is left alone too and named in the report with the code ``differs``. So
    the same command finishes an import that was interrupted. A document that no write may
    store comes in without its metadata and is named with the code ``metadata-left-out``. Of
    a document that was deleted its history comes in, and it stays deleted. With *dry_run*
    nothing is written, and what would be refused for its path or size is named.
    """
    transfer = _Import(host, scope, archive, now_ms=now_ms, dry_run=dry_run)
    steps = [
        *((transfer.document, path) for path in archive.paths()),
        *((transfer.deleted, path) for path in archive.deleted()),
    ]
    for done, (step, path) in enumerate(steps, start=1):
        step(path)
        progress(done, len(steps))
    return transfer.report


class _Import:
    """One import on its way."""

    def __init__(
        self, host: "MemoryHost", scope: Scope, archive: Archive, *, now_ms: int, dry_run: bool
    ) -> None:
        self._host = host
        self._scope = scope
        self._archive = archive
        self._now_ms = now_ms
        self._dry_run = dry_run
        self._foreseen = Places(host.documents(scope)) if dry_run else None
        self.report = ImportReport()

    def document(self, path: str) -> None:
        """Bring in one document, or note why not."""
        self._noting(path, self._document)

    def deleted(self, path: str) -> None:
        """Bring in the history of a document that is gone, or note why not."""
        self._noting(path, self._deleted)

    def _noting(self, path: str, act: Callable[[str], str | None]) -> None:
        try:
            problem = act(path)
        except IronclawMemoryError as error:
            self.report.problems.append(problem_of(error, path))
            return
        if problem:
            self.report.problems.append(Problem(path=path, code=problem))

    def _document(self, path: str) -> str | None:
        text = _text(self._archive.document(path))
        if text is None:
            return NOT_TEXT
        there = current_text(self._host, self._scope, path)
        if there not in {None, text}:
            return DIFFERS
        meta = self._archive.meta(path)
        self._adopt_all(path, self._missing(path, meta))
        if there is None:
            if self._foreseen is None:
                self._store(path, text, meta)
            elif refused := self._foreseen.restored(path, len(text.encode())):
                return refused
        (self.report.written if there is None else self.report.identical).append(path)
        lost = there is None and meta.metadata and not _is_writable(path, text)
        return METADATA_LEFT_OUT if lost else None

    def _deleted(self, path: str) -> str | None:
        if current_text(self._host, self._scope, path) is not None:
            return DIFFERS
        missing = self._missing(path, self._archive.meta(path))
        if self._adopt_all(path, missing):
            self.report.deleted.append(path)
        elif not missing:
            self.report.identical.append(path)
        return None

    def _store(self, path: str, text: str, meta: Meta) -> None:
        """Make *text* the document; what no write may store is adopted as a version and restored."""
        if not _is_writable(path, text):
            self._restore(path, text)
            return
        arguments: dict[str, Any] = {"target": path, "content": text, "append": False}
        if _is_cleared_bootstrap(path, text):
            arguments = {"target": BOOTSTRAP}
        if meta.metadata:
            arguments["metadata"] = dict(meta.metadata)
        self._host.call_as_operator(self._host.tool_id("write"), arguments, scope=self._scope)

    def _restore(self, path: str, text: str) -> None:
        """Restore a version that says *text*, adopted if there is none."""
        body = text.encode()
        kept = self._history(path)
        row = VersionRow(
            number=max(kept, default=0) + 1,
            hash=f"sha256:{sha256(body).hexdigest()}",
            size=len(body),
            unix_ms=self._now_ms,
            changed_by=self._scope.owner_key(),
            erased=False,
        )
        alike = (n for n, old in kept.items() if old.hash == row.hash and not old.erased)
        number = next(alike, None)
        if number is None:
            self._host.adopt(self._scope, path, row, text)
        self._host.restore(self._scope, path, row.number if number is None else number)

    def _missing(self, path: str, meta: Meta) -> list[VersionRow]:
        """Return the rows of *meta* that the scope does not have."""
        there = self._history(path) if meta.versions else {}
        known = {(number, row.hash) for number, row in there.items()}
        return [row for row in meta.versions if (row.number, row.hash) not in known]

    def _adopt_all(self, path: str, rows: Iterable[VersionRow]) -> int:
        """Bring *rows* in and return how many came; those that could not are problems."""
        came = 0
        for row in rows:
            try:
                problem = self._adopt(path, row)
            except IronclawMemoryError as error:
                problem = problem_of(error, path).code
            if problem:
                named = f"{path} version {row.number}"
                self.report.problems.append(Problem(path=named, code=problem))
                continue
            came += 1
            self.report.versions += not row.erased  # of an erased one only the trace comes in
        return came

    def _adopt(self, path: str, row: VersionRow) -> str | None:
        body = None if row.erased else self._archive.body(path, row.number)
        if body is None and not row.erased:
            return BODY_MISSING
        text = None if body is None else _text(body)
        if body is not None and text is None:
            return NOT_TEXT
        if not self._dry_run:
            self._host.adopt(self._scope, path, row, text)
        return None

    def _history(self, path: str) -> dict[int, VersionRow]:
        try:
            return {row.number: row for row in self._host.history(self._scope, path)}
        except RequestError as error:
            if error.code == ABSENT:
                return {}
            raise


def _is_writable(path: str, text: str) -> bool:
    """Tell whether a write may make *text* the document, and lay metadata over it.

    It may not for a transcript or for nothing but white space, the empty bootstrap document
    excepted, and would take some names for another document.
    """
    if _is_cleared_bootstrap(path, text):
        return True
    return bool(text.strip()) and not path.lower().startswith(THREADS) and not word_meant(path)


def _is_cleared_bootstrap(path: str, text: str) -> bool:
    return path == ALIASES[BOOTSTRAP] and not text


def _text(body: bytes) -> str | None:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None
