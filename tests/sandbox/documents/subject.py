"""The sandboxed component as the laws and the kill test see a memory."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.unit.documents.subject import RefusedError, edit_by_hand

from ironclaw_memory import MemoryHost, Scope
from ironclaw_memory.errors import IronclawMemoryError
from ironclaw_memory.scopes import directory_of


SCOPE = Scope(tenant="acme", user="alice")
PREFIX = "ironclaw.memory."


def documents_of(root: Path) -> Path:
    """Return the directory in which the documents of these tests lie."""
    return root.joinpath(*directory_of(SCOPE))


class SandboxedSubject:
    """The bundled component behind a host; what is called is the operator's own act."""

    def __init__(self, host: MemoryHost, root: Path) -> None:
        """Serve `SCOPE` of the data directory *root*."""
        self._host = host
        self._documents = str(documents_of(root))

    def write(self, fields: Mapping[str, object]) -> None:
        """Serve ``tools.write``."""
        self._call("write", **fields)

    def read(self, path: str) -> str:
        """Return a document's text."""
        return str(self._call("read", path=path)["content"])

    def tree(self) -> object:
        """Return the listing."""
        return self._call("tree", depth=10)

    def found(self, word: str) -> set[str]:
        """Refresh, then search."""
        with _refusals():
            self._host.refresh(SCOPE, everything=True)
        return {hit["path"] for hit in self._call("search", query=word, limit=20)["results"]}

    def history(self, path: str) -> list[int]:
        """Return the numbers."""
        with _refusals():
            return [row.number for row in self._host.history(SCOPE, path) if not row.erased]

    def version(self, path: str, number: int) -> str:
        """Return a body."""
        with _refusals():
            return self._host.version(SCOPE, path, number)

    def restore(self, path: str, number: int) -> None:
        """Make a version the document again."""
        with _refusals():
            self._host.restore(SCOPE, path, number)

    def delete(self, path: str) -> None:
        """Take a document away."""
        with _refusals():
            self._host.delete(SCOPE, path)

    def erase(self, path: str, number: int | None) -> None:
        """Remove for good."""
        with _refusals():
            self._host.erase(SCOPE, path, number)

    def rename(self, path: str, to: str) -> None:
        """Give a document another name."""
        with _refusals():
            self._host.rename(SCOPE, path, to)

    def findings(self, *, repair: bool) -> list[str]:
        """Check the store."""
        with _refusals():
            report = self._host.check(SCOPE, repair=repair)
        return [finding["code"] for finding in report["findings"]]

    def edit(self, path: str, text: str | None) -> None:
        """Write or remove the file."""
        edit_by_hand(self._documents, path, text)

    def _call(self, verb: str, **arguments: object) -> Any:
        with _refusals():
            return self._host.call_as_operator(PREFIX + verb, arguments, scope=SCOPE)


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except IronclawMemoryError as error:
        raise RefusedError(error.code) from None
