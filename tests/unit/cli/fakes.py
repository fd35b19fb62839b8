"""A host for command lines: documents in memory, versions, and a note of every call."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from types import SimpleNamespace, TracebackType
from typing import Any, Self

from ironclaw_memory import config
from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.model import Effect, Grant, Message, Origin, Role, Scope
from ironclaw_memory.reports import (
    Adoption,
    Change,
    Erasure,
    RefreshReport,
    SweepReport,
    VersionRow,
)
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS
from ironclaw_memory.scopes import Odd, Stamp
from ironclaw_memory.testing import InMemoryHost
from ironclaw_memory.upkeep.snapshots import Snapshot


Key = tuple[tuple[str, str, str | None, str | None], str]


class FakeHost(InMemoryHost):
    """Serves the command line from memory; ``asked`` notes what a command asked for."""

    limits = DEFAULT_LIMITS
    keeps_transcripts = True

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self.kept: dict[Key, list[tuple[VersionRow, str | None]]] = {}
        self.metadata: dict[Key, dict[str, Any]] = {}
        self.standing: list[Grant] = []
        self.taken: list[Snapshot] = []
        self.left: tuple[str, ...] = ()
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self.closed = False
        self.failing: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.closed = True

    def call_as_operator(
        self, tool_id: str, arguments: Mapping[str, Any], *, scope: Scope
    ) -> object:
        """Run a tool and keep what a replacing write replaces."""
        self.asked.append((tool_id, dict(arguments)))
        if self.failing is not None:
            raise self.failing
        if tool_id == "ironclaw.memory.profile_set":
            return {"status": "ok"}
        before = dict(self.provider.of(scope))
        output = self.provider.call(tool_id, arguments, scope)
        for path, text in before.items():
            if self.provider.of(scope).get(path) != text:
                self._keep(scope, path, text)
        if arguments.get("metadata"):
            self.metadata[scope.axes(), arguments["target"]] = dict(arguments["metadata"])
        return output

    def tools(self) -> tuple[Any, ...]:
        """Return the provider's tools by id and verb."""
        return tuple(
            SimpleNamespace(id=tool, verb=tool.rsplit(".", 1)[-1])
            for tool in self.provider.tool_ids
        )

    def tool_id(self, name: str) -> str:
        """Return the id of a tool of the standard namespace."""
        return name if "." in name else "ironclaw.memory." + name.removeprefix("memory_")

    def record_interaction(self, scope: Scope, messages: Sequence[Any], run_id: str) -> bool:
        """Keep a transcript of messages as they come from JSON."""
        said = [
            Message(role=Role(m["role"]), content=m["content"], name=m.get("name"))
            for m in messages
        ]
        return super().record_interaction(scope, said, run_id)

    def current(self, scope: Scope, path: str) -> str:
        """Return a document."""
        document = self.provider.call("ironclaw.memory.read", {"path": path}, scope)
        assert isinstance(document, dict)
        return str(document["content"])

    def documents(self, scope: Scope) -> Mapping[str, Stamp]:
        """Return the size of every document; all were changed at the epoch."""
        texts = self.provider.of(scope)
        return {path: Stamp(len(texts[path].encode()), 0) for path in sorted(texts)}

    def left_out(self, scope: Scope) -> tuple[Odd, ...]:
        """Return nothing: all that lies there is served."""
        del scope
        return ()

    def describe(self, scope: Scope, path: str) -> dict[str, Any]:
        """Return the metadata that was written."""
        own = self.metadata.get((scope.axes(), path), {})
        return {"metadata": own, "resolved": own, "modified_ms": 1_000}

    def history(self, scope: Scope, path: str) -> tuple[VersionRow, ...]:
        """Return what was kept; raises for a document that never was."""
        rows = self._rows(scope, path)
        if not rows and path not in self.provider.of(scope):
            self.current(scope, path)
        return tuple(row for row, _ in rows)

    def version(self, scope: Scope, path: str, number: int) -> str:
        """Return a kept body."""
        for row, body in self._rows(scope, path):
            if row.number == number and body is not None:
                return body
        raise InvalidArguments("names no version.", field="number", code="version-missing")

    def diff(self, scope: Scope, path: str, a: int | None = None, b: int | None = None) -> str:
        """Return a diff of one line."""
        new = self.current(scope, path) if b is None else self.version(scope, path, b)
        return f"--- {path} (version {a})\n+++ {path} ({b or 'now'})\n-old\n+{new}"

    def adopt(self, scope: Scope, path: str, row: VersionRow, content: str | None) -> Adoption:
        """Add a version; another one of that number is refused."""
        rows = self._rows(scope, path)
        if any(kept.number == row.number for kept, _ in rows):
            raise InvalidArguments("has that number.", field="number", code="version-taken")
        rows.append((row, content))
        return Adoption(path=path, number=row.number, versions=len(rows))

    def restore(self, scope: Scope, path: str, number: int) -> Change:
        """Make a version the document."""
        body = self.version(scope, path, number)
        before = self.provider.of(scope).get(path)
        if before:
            self._keep(scope, path, before)
        self.provider.of(scope)[path] = body
        kept_as = self._rows(scope, path)[-1][0].number if before else None
        return Change(path=path, size=len(body.encode()), kept_as=kept_as)

    def delete(self, scope: Scope, path: str) -> Change:
        """Take a document away."""
        self._keep(scope, path, self.provider.of(scope).pop(path))
        return Change(path=path, size=0, kept_as=len(self._rows(scope, path)))

    def deleted(self, scope: Scope) -> tuple[str, ...]:
        """Return what has versions and is gone."""
        known = (path for (axes, path), rows in self.kept.items() if axes == scope.axes() and rows)
        return tuple(sorted(set(known) - set(self.provider.of(scope))))

    def rename(self, scope: Scope, path: str, to: str) -> Change:
        """Give a document another name."""
        texts = self.provider.of(scope)
        texts[to] = texts.pop(path)
        return Change(path=to, size=len(texts[to].encode()), kept_as=None)

    def erase(self, scope: Scope, path: str, number: int | None = None) -> Erasure:
        """Remove a document and its versions, or one body."""
        if number is None:
            gone = self.kept.pop((scope.axes(), path), [])
            return Erasure(
                document=self.provider.of(scope).pop(path, None) is not None, versions=len(gone)
            )
        rows = self._rows(scope, path)
        versions = sum(row.number == number and not row.erased for row, _ in rows)
        rows[:] = [
            (replace(row, erased=True), None) if row.number == number else (row, body)
            for row, body in rows
        ]
        return Erasure(document=False, versions=versions)

    def snapshots(self, scope: Scope) -> tuple[Snapshot, ...]:
        """Return what was taken, of whichever scope."""
        return tuple(self.taken)

    def sweep(self, scope: Scope, *, dry_run: bool) -> SweepReport:
        """Report one document, and what a test has it leave."""
        return SweepReport(
            documents=("old.md",), versions=2, bytes=1234, left=self.left, more_left=False
        )

    def refresh(self, scope: Scope, *, everything: bool = False) -> RefreshReport:
        """Report one document."""
        return RefreshReport(indexed=1, removed=0)

    def check(self, scope: Scope, *, repair: bool = False) -> dict[str, Any]:
        """Find nothing."""
        return {"format": 1, "documents": 1, "bytes": 1, "store_bytes": 0, "findings": []}

    def grant(
        self,
        tool_id: str,
        *,
        scope: Scope,
        origin: Origin = Origin.LOOP_RUN,
        for_ms: int | None = None,
        uses: int | None = None,
    ) -> Grant:
        """Keep a grant; a time is counted from the year 2100."""
        kept = replace(
            Grant.exactly(
                tool=tool_id,
                scope=scope,
                origin=origin,
                effects=frozenset({Effect.WRITE_FILESYSTEM}),
                expires_ms=None if for_ms is None else 4_102_444_800_000 + for_ms,
                uses_left=uses,
            ),
            id=f"grant-{len(self.standing)}",
        )
        self.standing.append(kept)
        return kept

    def grants(self) -> tuple[Grant, ...]:
        """Return the grants."""
        return tuple(self.standing)

    def revoke(self, key: str, *, scope: Scope | None = None) -> tuple[str, ...]:
        """Take grants back by id, or by tool in a scope."""
        axes = None if scope is None else scope.axes()
        gone = tuple(
            g.id
            for g in self.standing
            if g.id == key
            or (g.tool == key and axes in {None, (g.tenant, g.user, g.agent, g.project)})
        )
        self.standing = [grant for grant in self.standing if grant.id not in gone]
        return gone

    def _rows(self, scope: Scope, path: str) -> list[tuple[VersionRow, str | None]]:
        return self.kept.setdefault((scope.axes(), path), [])

    def _keep(self, scope: Scope, path: str, text: str) -> None:
        rows = self._rows(scope, path)
        rows.append((version_row(text, number=len(rows) + 1), text))


def version_row(text: str, *, number: int) -> VersionRow:
    """Return the row of a version with that body."""
    return VersionRow(
        number=number,
        hash=f"sha256:{sha256(text.encode()).hexdigest()}",
        size=len(text.encode()),
        unix_ms=1_000,
        changed_by="tenant:local:user:me:project:_none",
        erased=False,
    )


@dataclass
class Opener:
    """Opens one fake host again and again, and keeps the settings that were asked for."""

    host: FakeHost = field(default_factory=FakeHost)
    settings: list[config.Config] = field(default_factory=list)

    def __call__(self, settings: config.Config, progress: Callable[[int, int], None]) -> Any:
        """Note the settings and return the host."""
        self.settings.append(settings)
        return self.host
