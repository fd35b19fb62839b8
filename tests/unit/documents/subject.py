"""A memory under test, as the laws and the kill test see it: plain values in, plain values out.

`NativeSubject` runs the provider's Python in this process. Anything else that serves the
same calls, the sandboxed component above all, can be put in its place.
"""

import json
import pathlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Protocol

from tests.unit.documents.fakes import FakeHost

from memory_native.documents import WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.provider import Provider
from memory_native.requests import SearchRequest, TreeRequest


class RefusedError(Exception):
    """The memory said no; the text is the failure's code."""


class Subject(Protocol):
    """The calls that the laws use. Each raises `RefusedError` with a failure's code."""

    def write(self, fields: Mapping[str, object]) -> None:
        """Serve ``tools.write`` for a canonical request."""
        ...

    def read(self, path: str) -> str:
        """Return a document's text."""
        ...

    def tree(self) -> object:
        """Return the listing, ten levels deep."""
        ...

    def found(self, word: str) -> set[str]:
        """Return the paths that a search finds, the index brought in step first."""
        ...

    def history(self, path: str) -> list[int]:
        """Return the numbers of the versions that have a body."""
        ...

    def version(self, path: str, number: int) -> str:
        """Return the body of a version."""
        ...

    def restore(self, path: str, number: int) -> None:
        """Make a version the document again."""
        ...

    def delete(self, path: str) -> None:
        """Take a document away."""
        ...

    def erase(self, path: str, number: int | None) -> None:
        """Remove a version or everything for good."""
        ...

    def rename(self, path: str, to: str) -> None:
        """Give a document another name."""
        ...

    def findings(self, *, repair: bool) -> list[str]:
        """Return the codes that a check finds."""
        ...

    def edit(self, path: str, text: str | None) -> None:
        """Change or remove a file as a person would, without the provider's knowledge."""
        ...


class NativeSubject:
    """The provider's own code over a directory."""

    def __init__(self, root: str) -> None:
        """Serve *root*, an existing directory."""
        self.root = root
        self._provider = Provider(root, FakeHost())
        self._upkeep = self._provider.upkeep

    def write(self, fields: Mapping[str, object]) -> None:
        """Serve ``tools.write``."""
        with _refusals():
            self._provider.write(WriteRequest(**fields))  # type: ignore[arg-type]

    def read(self, path: str) -> str:
        """Return a document's text."""
        with _refusals():
            return self._provider.read(path).content

    def tree(self) -> object:
        """Return the listing."""
        with _refusals():
            return json.loads(self._provider.tree(TreeRequest(depth=10)).json)

    def found(self, word: str) -> set[str]:
        """Refresh, then search."""
        with _refusals():
            while self._upkeep.refresh([], everything=True, budget_ms=1000).remaining:
                continue
            found = self._provider.search(SearchRequest(query=word, limit=20))
            return {hit.path for hit in found.hits}

    def history(self, path: str) -> list[int]:
        """Return the numbers."""
        with _refusals():
            rows = self._upkeep.history(path).versions
            return [row.number for row in rows if not row.erased]

    def version(self, path: str, number: int) -> str:
        """Return a body."""
        with _refusals():
            return self._upkeep.version(path, number).content

    def restore(self, path: str, number: int) -> None:
        """Make a version the document again."""
        with _refusals():
            self._upkeep.restore(path, number)

    def delete(self, path: str) -> None:
        """Take a document away."""
        with _refusals():
            self._upkeep.delete(path)

    def erase(self, path: str, number: int | None) -> None:
        """Remove for good."""
        with _refusals():
            self._upkeep.erase(path, number)

    def rename(self, path: str, to: str) -> None:
        """Give a document another name."""
        with _refusals():
            self._upkeep.rename(path, to)

    def findings(self, *, repair: bool) -> list[str]:
        """Check the store."""
        with _refusals():
            report = json.loads(self._upkeep.check(repair=repair))
            return [finding["code"] for finding in report["findings"]]

    def edit(self, path: str, text: str | None) -> None:
        """Write or remove the file."""
        edit_by_hand(self.root, path, text)


def edit_by_hand(root: str, path: str, text: str | None) -> None:
    """Change, add or remove a file; a removed one takes the folders along that it leaves empty."""
    at = pathlib.Path(root, path)
    if text is not None:
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text, newline="")
        return
    at.unlink()
    with suppress(OSError):
        for folder in at.relative_to(root).parents[:-1]:
            pathlib.Path(root, folder).rmdir()


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except MemoryFailure as failure:
        raise RefusedError(failure.code) from None
