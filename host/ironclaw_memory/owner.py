"""What the owner of a memory does to its documents: look back, restore, erase, check.

Everything goes through the provider's ``upkeep`` export; this side never reads ``.store/``.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ironclaw_memory.calls import Wiring, run, run_upkeep
from ironclaw_memory.calls.guest import change_of, refresh
from ironclaw_memory.calls.wiring import served
from ironclaw_memory.contract.explanation import is_explanation
from ironclaw_memory.contract.outputs import parsed_json
from ironclaw_memory.contract.targets import word_meant
from ironclaw_memory.declared import short_names
from ironclaw_memory.demands import demand_text
from ironclaw_memory.errors import (
    InvalidArguments,
    InvalidOutput,
    IronclawMemoryError,
    RequestError,
    UndeclaredTool,
)
from ironclaw_memory.model import Access, Invocation, Origin, Scope, demand_scope
from ironclaw_memory.scopes import MountKind, Odd, Stamp, scan


if TYPE_CHECKING:
    from ironclaw_memory.reports import (
        Adoption,
        Change,
        Erasure,
        RefreshReport,
        SweepReport,
        VersionRow,
    )


ABSENT: Final = "document-missing"  # contract/sentences.py
NO_VERSION: Final = "version-missing"  # likewise
MOST_DELETED: Final = 400_000
"""Documents that are gone: as many as an archive may have members. A provider could go on for ever."""
MOST_PARTS: Final = 2_000
"""Calls that a listing of them may take: as many paths of 1 KiB come in 1,600 parts of 256 KiB."""
MOST_LEFT: Final = 1_000  # wit/upkeep.wit, sweep-report
MOST_LEFT_BYTES: Final = 64 << 10  # likewise

_HASH: Final = re.compile("sha256:[0-9a-f]{64}")  # wit/upkeep.wit, version-row


class Owner:
    """The upkeep half of a host. Every method raises `UndeclaredTool` without that export."""

    def __init__(self, wiring: Wiring) -> None:
        """Work on an open host."""
        self._wiring = wiring

    @served
    def tool_id(self, name: str) -> str:
        """Return the id of the provider's tool that is called *name* for short.

        ``write`` and ``memory_write`` mean the same tool, whatever the provider's id is; what
        has a dot is an id already. Raises `UndeclaredTool`.
        """
        demand_text(name, "name")
        declared = (tool.id for tool in self._wiring.package.manifest.tools)
        found = name if "." in name else next((i for i in declared if name in short_names(i)), None)
        if found is None:
            raise UndeclaredTool(
                f"The provider declares no tool {name!r:.80}.",
                hint="`ironclaw-memory tools` lists what it declares.",
            )
        return found

    @served
    def documents(self, scope: Scope) -> Mapping[str, Stamp]:
        """Return every document by path, as the host's own walk sees them; runs no guest.

        A path is in normalisation form C, as every answer of a provider has it.
        """
        demand_scope(scope)
        self._wiring.recover(scope)
        mount = self._wiring.store.mount(scope, kind=MountKind.DOCUMENTS, access=Access.READ)
        found = scan(mount).documents
        names = _names(found)
        return {path: found[names[path]] for path in sorted(names)}

    @served
    def left_out(self, scope: Scope) -> tuple[Odd, ...]:
        """Return what lies in *scope* and `documents` lacks, because nobody can serve it.

        A ``twin`` has the name of a document, composed of other characters.
        """
        demand_scope(scope)
        mount = self._wiring.store.mount(scope, kind=MountKind.DOCUMENTS, access=Access.READ)
        found = scan(mount)
        twins = found.documents.keys() - set(_names(found.documents).values())
        return tuple(sorted((*found.odd, *(Odd(path, "twin") for path in twins))))

    def history(self, scope: Scope, path: str) -> tuple[VersionRow, ...]:
        """Return the kept versions of a document, oldest first; it may be deleted by now."""
        reply = self._upkeep("history", scope, {"path": path})
        return _rows(reply)

    def version(self, scope: Scope, path: str, number: int) -> str:
        """Return the body of one version."""
        content = self._upkeep("version", scope, {"path": path, "number": number})["content"]
        return str(content)

    def current(self, scope: Scope, path: str) -> str:
        """Return the document as it is now, read as the operator."""
        call = Invocation(
            tool_id=self.tool_id("read"),
            arguments={"path": path},
            scope=scope,
            origin=Origin.LOOP_RUN,
        )
        output = run(self._wiring, call, operator=True)
        if not isinstance(output, dict):
            raise InvalidOutput("The provider's answer to read is no document.")
        return str(output["content"])

    def diff(self, scope: Scope, path: str, a: int | None = None, b: int | None = None) -> str:
        """Return a unified diff from version *a* to version *b*.

        ``None`` for *b* is the document as it is, nothing if it was deleted, and for *a* the
        latest kept version.
        """
        if a is None:
            rows = [row.number for row in self.history(scope, path) if not row.erased]
            a = rows[-1] if rows else None
        import difflib  # noqa: PLC0415 - see _rows()

        old = "" if a is None else self.version(scope, path, a)
        new = current_text(self, scope, path) if b is None else self.version(scope, path, b)
        now = "deleted" if new is None else "now"
        lines = difflib.unified_diff(
            old.splitlines(keepends=True),
            (new or "").splitlines(keepends=True),
            f"{path} (version {a})" if a is not None else f"{path} (nothing)",
            f"{path} ({now})" if b is None else f"{path} (version {b})",
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def restore(self, scope: Scope, path: str, number: int) -> Change:
        """Make a version the document again; what it replaces is kept as a version.

        Not under ``skip_versioning``: ``kept_as`` of the answer is ``None`` then.
        """
        return self._change("restore", scope, {"path": path, "number": number})

    def delete(self, scope: Scope, path: str) -> Change:
        """Take a document away; its history stays and `restore` brings it back."""
        return self._change("delete", scope, {"path": path})

    def deleted(self, scope: Scope) -> tuple[str, ...]:
        """Return the documents that are gone and have a history, sorted by path.

        Raises `InvalidOutput` if the provider's parts do not follow on one another, or do not
        come to an end within `MOST_DELETED`, `MOST_PARTS` and ``refresh_ms``, as for all rounds
        of a refresh: one path a call would hold the host for hours.
        """
        found: list[str] = []
        until = time.monotonic() + self._wiring.limits.refresh_ms / 1000
        for _ in range(MOST_PARTS):
            after = found[-1] if found else None
            reply = self._upkeep("deleted", scope, {"after": after})
            part = [*([] if after is None else [after]), *reply["paths"]]
            more = bool(reply["more"])
            if part != sorted(set(part)) or (more and not reply["paths"]):
                raise InvalidOutput("The provider's answer to deleted goes in circles.")
            found += reply["paths"]
            if len(found) > MOST_DELETED or (more and time.monotonic() > until):
                break
            if not more:
                return tuple(found)
        raise InvalidOutput("The provider's answer to deleted comes to no end.")

    def rename(self, scope: Scope, path: str, to: str) -> Change:
        """Give a document another name; nothing is overwritten.

        Raises `InvalidArguments` for a name that the write tool takes for another document.
        """
        demand_text(to, "to")
        if word_meant(to):  # nothing could be written to it afterwards
            raise InvalidArguments(
                f"to {to!r} is a word for another document.",
                field="to",
                code="not-a-path",
                hint="Choose another name, such as notes/topic.md.",
            )
        return self._change("rename", scope, {"path": path, "to": to})

    def erase(self, scope: Scope, path: str, number: int | None = None) -> Erasure:
        """Remove one version's body, or a document with everything that is known of it."""
        demand_scope(scope)
        demand_text(path, "path")
        from ironclaw_memory.reports import Erasure  # noqa: PLC0415 - see _rows()

        try:
            return Erasure(**self._upkeep("erase", scope, {"path": path, "number": number}))
        finally:  # a provider that fails may have erased it before that
            if number is None:
                self._wiring.freshness.forget(scope, path)

    def sweep(self, scope: Scope, *, dry_run: bool) -> SweepReport:
        """Apply retention, or say what it would remove.

        Raises `InvalidOutput` if what the provider left does not keep to the contract.
        """
        from ironclaw_memory.reports import SweepReport  # noqa: PLC0415 - see _rows()

        reply = self._upkeep("sweep", scope, {"dry_run": dry_run})
        documents, left = tuple(reply["documents"]), tuple(reply["left"])
        if not _is_bounded(left) or (reply["more_left"] and not left):
            raise InvalidOutput("The provider's answer to sweep does not keep to its bounds.")
        return SweepReport(**{**reply, "documents": documents, "left": left})

    @served
    def refresh(
        self,
        scope: Scope,
        *,
        everything: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> RefreshReport:
        """Bring the index in step with what was edited by hand.

        With *everything* the provider looks at all documents itself, and builds an index that it
        cannot trust again.
        """
        demand_scope(scope)
        if "refresh" not in self._wiring.package.manifest.memory.upkeep:
            raise UndeclaredTool(
                "The provider keeps no index of its own.", hint="There is nothing to do."
            )
        change = change_of(self._wiring, scope, everything=everything)
        done = refresh(
            self._wiring,
            scope,
            change,
            call_id=self._wiring.new_call_id(),
            progress=progress,
        )
        self._wiring.freshness.remember(scope, change)  # what was there before it began
        from ironclaw_memory.reports import RefreshReport  # noqa: PLC0415 - see _rows()

        return RefreshReport(**done)

    def check(self, scope: Scope, *, repair: bool = False) -> dict[str, Any]:
        """Return what the provider finds wrong with its store; mend what is derived if *repair*."""
        return self._object("check", scope, {"repair": repair})

    def describe(self, scope: Scope, path: str) -> dict[str, Any]:
        """Return the metadata of a document, its own and with inheritance."""
        return self._object("describe", scope, {"path": path})

    def explain(
        self, scope: Scope, query: str, *, limit: int = 5, path: str | None = None
    ) -> dict[str, Any]:
        """Return why documents were found, and why the document *path* was or was not."""
        request = {"query": query, "limit": limit, "path": path}
        explanation = self._object("explain", scope, request)
        if not is_explanation(explanation):
            raise InvalidOutput("The provider's answer to explain does not have the declared form.")
        return explanation

    def adopt(self, scope: Scope, path: str, row: VersionRow, content: str | None) -> Adoption:
        """Add a version from elsewhere to a document's history."""
        from ironclaw_memory.reports import Adoption  # noqa: PLC0415 - see _rows()

        request = {"path": path, "row": row, "content": content}
        return Adoption(**self._upkeep("adopt", scope, request))

    def _upkeep(self, name: str, scope: Scope, request: Mapping[str, Any]) -> dict[str, Any]:
        demand_scope(scope)
        try:
            return run_upkeep(self._wiring, name, scope, request)
        except RequestError as problem:
            if problem.code == NO_VERSION and "number" in request:
                self._demand_known(scope, request["path"])
            raise

    def _demand_known(self, scope: Scope, path: str) -> None:
        """Raise a `RequestError` where nothing at all is known of *path*.

        Whatever else keeps the provider from saying so is no news to who asked for a version.
        """
        try:
            self.history(scope, path)
        except UndeclaredTool:
            return
        except RequestError:
            raise
        except IronclawMemoryError:
            return

    def _change(self, name: str, scope: Scope, request: Mapping[str, Any]) -> Change:
        from ironclaw_memory.reports import Change  # noqa: PLC0415 - see _rows()

        return Change(**self._upkeep(name, scope, request))

    def _object(self, name: str, scope: Scope, request: Mapping[str, Any]) -> dict[str, Any]:
        value = parsed_json(self._upkeep(name, scope, request)["json"])
        if not isinstance(value, dict):
            raise InvalidOutput(f"The provider's answer to {name} is not a JSON object.")
        return value


def current_text(owner: Owner, scope: Scope, path: str) -> str | None:
    """Return the document at *path* as it is now, or ``None`` if there is none.

    Raises what `Owner.current` raises of anything else.
    """
    try:
        return owner.current(scope, path)
    except RequestError as problem:
        if problem.code == ABSENT:
            return None
        raise


def _names(found: Iterable[str]) -> dict[str, str]:
    """Return the name on disk of each path in form C; of two, the one in that form is served."""
    composed = [(unicodedata.normalize("NFC", name), name) for name in found]
    return dict(sorted(composed, key=lambda pair: (pair[0] == pair[1], pair)))


def _is_bounded(left: tuple[str, ...]) -> bool:
    """Tell whether paths that a sweep left are as few and as ordered as the contract has them."""
    size = sum(len(path.encode()) for path in left)
    return (
        len(left) <= MOST_LEFT and size <= MOST_LEFT_BYTES and list(left) == sorted({*left} - {""})
    )


def _rows(reply: Mapping[str, Any]) -> tuple[VersionRow, ...]:
    """Return the rows of a history; a command that reads one document loads nothing of this."""
    from ironclaw_memory.reports import VersionRow  # noqa: PLC0415 - see above

    rows = tuple(VersionRow(**row) for row in reply["versions"])
    if not all(_HASH.fullmatch(row.hash) for row in rows):
        raise InvalidOutput("The provider's answer to history has a hash of another form.")
    return rows
