"""The memory as a host serves it: the same systems and operations through the sandboxed component.

Transcripts are recorded below ``talks/`` where the protocol has ``threads/``: the lane of one thread
holds that thread alone, and the questions are put to the long-term lane, which leaves threads out.
"""

import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

from tests.bench.retrieval.protocol import Document, Place, Quote, Snippet
from wasmtime import _ffi as ffi

from ironclaw_memory import MemoryHost, Message, Role, Scope
from ironclaw_memory.recall import Lane
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS
from ironclaw_memory.scopes import directory_of


MEMORY_BYTES = 64 << 20  # the goal for 100,000 lines
_BUDGET_SNIPPETS = 32  # fill 4 KiB from 128 bytes each on; more are merged longer, to no gain
_FOUND_AT_ONCE = 20  # documents a search tool returns at most (reference.md section 2.1)
_THREADS, _TALKS = "threads/", "talks/"
_STANDING = "MEMORY.md"
_GAP = "\n…\n"  # between lines of one document that are no neighbours (`lanes.GAP`)
_WRITE = "ironclaw.memory.write"
_SEARCH = "ironclaw.memory.search"
_ENTRY = "wasmtime_component_func_call"


class SandboxedMemory:
    """The bundled component on a temporary root; every store is a scope of its own."""

    name = "ours, sandboxed"

    def __init__(self) -> None:
        """Open a host that lives as long as the system."""
        home = TemporaryDirectory()
        self._root = Path(home.name)
        self._host = MemoryHost.open(root=self._root)
        self._scope = Scope(tenant="bench", user="none")
        self._stores = 0
        self._lines: dict[str, list[str]] = {}
        weakref.finalize(self, _end, self._host, home)

    def record(self, documents: Sequence[Document]) -> None:
        """Drop *documents* into a new scope by hand and have it indexed."""
        self._stores += 1
        self._scope = Scope(tenant="bench", user=f"store-{self._stores}")
        self._lines = {document.path: document.text.split("\n") for document in documents}
        drop(self._root, self._scope, documents)
        self._host.refresh(self._scope, everything=True)

    def ranked(self, query: str, count: int) -> list[Place]:
        """Return the lines of the passages that the component explains, in its order."""
        hits = self._host.explain(self._scope, query, limit=count)["hits"]
        return list(dict.fromkeys(Place(_original(hit["path"]), hit["line"]) for hit in hits))

    def budget(self, query: str) -> list[Snippet]:
        """Return the long-term lane as the component answers it."""
        found = self._host.read_lane(
            Lane.LONG_TERM, self._scope, query, _BUDGET_SNIPPETS, "default"
        )
        quoted: set[Place] = set()
        snippets = []
        for raw in found:
            path = _original(raw.path)
            snippet = Snippet(raw.text, tuple(self._quotes(path, raw.text, quoted)))
            quoted |= {quote.place for quote in snippet.quotes}
            snippets.append(snippet)
        return snippets

    def _quotes(self, path: str, text: str, quoted: set[Place]) -> Iterator[Quote]:
        """Yield which lines *text* holds; of lines that read alike, one that is not *quoted* yet."""
        lines = self._lines[path]
        if path == _STANDING:  # packed into chunks of several lines without their ends
            whole = [(number, line.rstrip()) for number, line in enumerate(lines, 1)]
            yield from (Quote(Place(path, n), line) for n, line in whole if line and line in text)
            return
        for neighbours in text.split(_GAP):
            parts = neighbours.split("\n")
            first = self._first_line(path, parts, quoted)
            yield from (Quote(Place(path, first + at), part) for at, part in enumerate(parts))

    def _first_line(self, path: str, parts: Sequence[str], quoted: set[Place]) -> int:
        lines = self._lines[path]
        candidates = [
            start + 1
            for start in range(len(lines) - len(parts) + 1)
            if all(part in lines[start + at] for at, part in enumerate(parts))
        ]
        if not candidates:
            raise LookupError(f"a snippet of {path} is not in it: {parts[0]!r:.80}")
        return next((n for n in candidates if Place(path, n) not in quoted), candidates[0])


class SandboxedOperations:
    """What is timed, through the tools of an open host, as the operator's own calls.

    The guest is given no more than `MEMORY_BYTES`: a query or a build that took more would fail.
    """

    def __init__(self, *, indexed: bool) -> None:
        """Open a host; without *indexed* its documents are kept out of the index."""
        self.name = "ours, sandboxed" if indexed else "a write without an index"
        self._home = TemporaryDirectory()
        self._root = Path(self._home.name)
        limits = replace(DEFAULT_LIMITS, memory_bytes=MEMORY_BYTES)
        self._host = MemoryHost.open(root=self._root, limits=limits)
        self._scope = Scope(tenant="bench", user="speed", thread="t")
        self._turns = 0
        self._timing = ExitStack()
        self._in_guest: list[float] = []
        if not indexed:
            drop(self._root, self._scope, [Document(".config", '{"skip_indexing": true}')])

    def __enter__(self) -> Self:
        self._in_guest = self._timing.enter_context(timed_entries(time.process_time))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timing.close()
        _end(self._host, self._home)

    def lay_out(self, documents: Sequence[Document]) -> None:
        """Drop *documents* into the scope by hand; the guest is started, which is no indexing."""
        self._host.refresh(self._scope, everything=True)
        drop(self._root, self._scope, documents)

    def build(self) -> None:
        """Have the host index what was dropped in."""
        self._host.refresh(self._scope, everything=True)

    def write(self, document: Document) -> None:
        """Replace or add one document with the write tool."""
        arguments = {"target": _recalled(document.path), "content": document.text, "append": False}
        self._host.call_as_operator(_WRITE, arguments, scope=self._scope)

    def end_turn(self) -> None:
        """Record the turn, as the host does after each."""
        self._turns += 1
        said = [Message(role=Role.USER, content="done")]
        self._host.record_interaction(self._scope, said, f"r{self._turns}")

    def query(self, text: str) -> int:
        """Search with the tool; return how many documents it found, 20 at most."""
        arguments = {"query": text, "limit": _FOUND_AT_ONCE}
        found = self._host.call_as_operator(_SEARCH, arguments, scope=self._scope)
        if not isinstance(found, dict):
            raise TypeError("a search answers an object")
        return len(found["results"])

    def in_guest(self) -> list[float]:
        """Return what each call of the guest took, its border included; see `timed_entries`."""
        return self._in_guest

    def size(self) -> int:
        """Return the bytes of the index."""
        index = _directory(self._root, self._scope) / ".store" / "index"
        return sum(file.stat().st_size for file in index.iterdir())


def drop(root: Path, scope: Scope, documents: Iterable[Document]) -> None:
    """Write *documents* as a person does: files in the directory of *scope*."""
    lay_out(_directory(root, scope), documents)


def lay_out(directory: Path, documents: Iterable[Document]) -> None:
    """Write *documents* as files below *directory*."""
    for document in documents:
        file = directory / _recalled(document.path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(document.text, "utf-8", newline="")


def _directory(root: Path, scope: Scope) -> Path:
    return root.joinpath(*directory_of(scope))


def _recalled(path: str) -> str:
    return _TALKS + path.removeprefix(_THREADS) if path.startswith(_THREADS) else path


def _original(path: str) -> str:
    return _THREADS + path.removeprefix(_TALKS) if path.startswith(_TALKS) else path


@contextmanager
def timed_entries(clock: Callable[[], float]) -> Iterator[list[float]]:
    """Yield a list that gets the milliseconds, by *clock*, of every call into a component meanwhile.

    That is what is inside the guest and at its border: not the host's rules, its lock on the scope,
    its threads, nor what it makes of the answer.
    """
    taken: list[float] = []
    enter = ffi.wasmtime_component_func_call

    def timed(*arguments: object) -> object:
        started = clock()
        try:
            return enter(*arguments)
        finally:
            taken.append((clock() - started) * 1e3)

    vars(ffi)[_ENTRY] = timed
    try:
        yield taken
    finally:
        vars(ffi)[_ENTRY] = enter


def _end(host: MemoryHost, home: "TemporaryDirectory[str]") -> None:
    host.close()
    home.cleanup()
