"""The same guest code twice: in the sandbox behind a host, and natively beside it."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.bench.retrieval.protocol import Document
from tests.bench.retrieval.sandboxed import drop, lay_out

from ironclaw_memory import MemoryHost, Origin, Scope
from memory_native import ports
from memory_native.documents import WriteRequest
from memory_native.provider import Provider
from memory_native.requests import SearchRequest


SCOPE = Scope(tenant="bench", user="bench")
WRITE = "ironclaw.memory.write"
_PLENTY_MS = 600_000


class NativeHost:
    """The provider's imports, answered at once and recorded nowhere."""

    def scope(self) -> ports.Scope:
        """The scope of every benchmark."""
        return ports.Scope(tenant_id="bench", user_id="bench")

    def now(self) -> ports.Moment:
        """The time."""
        return ports.Moment(unix_ms=time.time_ns() // 1_000_000)

    def emit(self, event: ports.Event) -> bool:
        """Take everything."""
        return True


class Native:
    """The guest's code in this process, on a directory of its own."""

    def __init__(self, root: Path) -> None:
        """Serve *root*."""
        self.root = root
        self.provider = Provider(str(root), NativeHost())

    def drop_in(self, documents: Sequence[Document]) -> None:
        """Lay *documents* out as a person does, and index them."""
        lay_out(self.root, documents)
        self.provider.upkeep.refresh([], everything=True, budget_ms=_PLENTY_MS)

    def read(self, path: str) -> object:
        """Read one document."""
        return self.provider.read(path)

    def write(self, target: str, content: str, *, append: bool) -> object:
        """Append to, or replace, one document."""
        return self.provider.write(
            WriteRequest(
                target=target,
                content=content,
                append=append,
                old_string=None,
                new_string=None,
                replace_all=False,
                metadata=None,
                timezone=None,
            )
        )

    def search(self, query: str) -> object:
        """Search."""
        return self.provider.search(SearchRequest(query=query, limit=5))


class Sandboxed:
    """The component behind an open host."""

    def __init__(self, host: MemoryHost, root: Path, scope: Scope = SCOPE) -> None:
        """Call *host* on *scope* as a loop run with a standing grant."""
        self.host = host
        self.root = root
        self.scope = scope
        host.grant(WRITE, scope=scope)

    def drop_in(self, documents: Sequence[Document]) -> None:
        """Lay *documents* out as a person does, and have them indexed."""
        drop(self.root, self.scope, documents)
        self.host.refresh(self.scope, everything=True)

    def call(self, verb: str, **arguments: Any) -> object:
        """Call a tool."""
        return self.host.call(
            f"ironclaw.memory.{verb}", arguments, scope=self.scope, origin=Origin.LOOP_RUN
        )

    def read(self, path: str) -> object:
        """Read one document."""
        return self.call("read", path=path)

    def write(self, target: str, content: str, *, append: bool) -> object:
        """Append to, or replace, one document."""
        return self.call("write", target=target, content=content, append=append)

    def search(self, query: str) -> object:
        """Search."""
        return self.call("search", query=query)


@contextmanager
def sandboxed(**choices: Any) -> Iterator[Sandboxed]:
    """Open a host on a new root and close both."""
    with TemporaryDirectory() as root, MemoryHost.open(root=root, **choices) as host:
        yield Sandboxed(host, Path(root))


@contextmanager
def native() -> Iterator[Native]:
    """Serve a new directory natively."""
    with TemporaryDirectory() as root:
        yield Native(Path(root))
