"""The provider's own Python as the host that an export asks: one scope, no sandbox."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.unit.documents.fakes import FakeHost

from ironclaw_memory.contract.sentences import error_of
from ironclaw_memory.model import Failure, Scope
from ironclaw_memory.reports import VersionRow
from ironclaw_memory.scopes import Odd, Stamp
from memory_native import strict_json
from memory_native.documents import WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.provider import Provider
from memory_native.upkeep import VersionRow as OwnRow


class NativeHost:
    """Serves every scope from one directory."""

    def __init__(self, root: Path) -> None:
        """Keep documents below *root*, which is made."""
        root.mkdir()
        self.root = root
        self.provider = Provider(str(root), FakeHost())

    def documents(self, scope: Scope) -> Mapping[str, Stamp]:
        """Return what lies in the directory."""
        del scope
        return {
            path.relative_to(self.root).as_posix(): Stamp(path.stat().st_size, 0)
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and ".store" not in path.relative_to(self.root).parts[:2]
        }

    def left_out(self, scope: Scope) -> tuple[Odd, ...]:
        """Return nothing: all that lies there is served."""
        del scope
        return ()

    def tool_id(self, name: str) -> str:
        """Return the name itself."""
        return name

    def call_as_operator(self, tool: str, arguments: Mapping[str, Any], *, scope: Scope) -> None:
        """Write a document; metadata cross the boundary as JSON."""
        del tool, scope
        given = arguments.get("metadata")
        metadata = None if given is None else strict_json.compact(given)
        with _errors():
            self.provider.write(WriteRequest(**{**arguments, "metadata": metadata}))

    def current(self, scope: Scope, path: str) -> str:
        """Return a document."""
        del scope
        with _errors():
            return self.provider.read(path).content

    def describe(self, scope: Scope, path: str) -> dict[str, Any]:
        """Return the metadata of a document."""
        del scope
        with _errors():
            return strict_json.parse_object(self.provider.upkeep.describe(path))

    def deleted(self, scope: Scope) -> tuple[str, ...]:
        """Return what is gone and has a history."""
        del scope
        with _errors():
            return self.provider.upkeep.deleted(None).paths

    def history(self, scope: Scope, path: str) -> tuple[VersionRow, ...]:
        """Return the rows of a document."""
        del scope
        with _errors():
            rows = self.provider.upkeep.history(path).versions
        return tuple(VersionRow(**asdict(row)) for row in rows)

    def version(self, scope: Scope, path: str, number: int) -> str:
        """Return a kept body."""
        del scope
        with _errors():
            return self.provider.upkeep.version(path, number).content

    def adopt(self, scope: Scope, path: str, row: VersionRow, content: str | None) -> None:
        """Add a version."""
        del scope
        with _errors():
            self.provider.upkeep.adopt(path, OwnRow(**asdict(row)), content)

    def restore(self, scope: Scope, path: str, number: int) -> None:
        """Make a version the document."""
        del scope
        with _errors():
            self.provider.upkeep.restore(path, number)


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except MemoryFailure as failure:
        raise error_of(
            Failure(kind=failure.kind.value, code=failure.code, field_name=failure.field)
        ) from None
