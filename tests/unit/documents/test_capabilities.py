"""What a backend does not declare is refused."""

import json
import pathlib
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.unit.documents.fakes import World

from memory_native.backend import NATIVE, BackendCapabilities
from memory_native.documents import Documents, WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.upkeep import Upkeep


def _write(documents: Documents, path: str, content: str = "text", **metadata: object) -> None:
    overlay = json.dumps(metadata) if metadata else None
    documents.write(WriteRequest(target=path, content=content, append=False, metadata=overlay))


def _call(world: World, name: str) -> None:
    documents = world.documents()
    upkeep = Upkeep(documents)
    calls: dict[str, Callable[[], object]] = {
        "read": lambda: documents.read("notes.md"),
        "write": lambda: _write(documents, "notes.md", "new"),
        "put": lambda: documents.put("threads/t/x.md", b"x"),
        "overlay": lambda: _write(documents, "notes.md", "new", tag=1),
        "protected": lambda: _write(documents, "MEMORY.md", "new"),
        "history": lambda: upkeep.history("notes.md"),
        "version": lambda: upkeep.version("notes.md", 1),
        "restore": lambda: upkeep.restore("notes.md", 1),
        "delete": lambda: upkeep.delete("notes.md"),
        "erase": lambda: upkeep.erase("notes.md"),
        "rename": lambda: upkeep.rename("notes.md", "x.md"),
        "sweep": lambda: upkeep.sweep(dry_run=True),
        "refresh": lambda: upkeep.refresh([], everything=True, budget_ms=1),
        "describe": lambda: upkeep.describe("notes.md"),
        "check": lambda: upkeep.check(repair=True),
    }
    calls[name]()


_EVERY_FILE_CALL = (
    "read write put overlay protected history version restore delete erase rename describe check"
)


@pytest.mark.parametrize(
    ("flag", "call"),
    [
        *(("file_documents", call) for call in _EVERY_FILE_CALL.split()),
        ("metadata", "overlay"),
        ("metadata", "describe"),
        ("versioning", "history"),
        ("versioning", "version"),
        ("versioning", "restore"),
        ("versioning", "sweep"),
        ("delete", "delete"),
        ("delete", "erase"),
        ("delete", "sweep"),
        ("prompt_write_safety", "protected"),
        ("full_text_search", "refresh"),
    ],
)
def test_what_a_backend_does_not_declare_is_refused_before_any_effect(
    world: World, disk: pathlib.Path, flag: str, call: str
) -> None:
    """No flag, no operation, no trace."""
    _write(world.documents(), "notes.md", "one")
    _write(world.documents(), "notes.md", "two")
    before = {path: path.stat().st_mtime_ns for path in disk.rglob("*")}
    opened = world.index.opened
    world.backend = replace(NATIVE, **{flag: False})

    with pytest.raises(MemoryFailure, match="unsupported"):
        _call(world, call)
    assert before == {path: path.stat().st_mtime_ns for path in disk.rglob("*")}
    assert opened == world.index.opened


def test_without_versioning_a_write_keeps_nothing(world: World, disk: pathlib.Path) -> None:
    """Writing does not ask for versions, so it goes on without them."""
    world.backend = replace(NATIVE, versioning=False)
    _write(world.documents(), "notes.md", "one")
    _write(world.documents(), "notes.md", "two")

    assert not list((disk / ".store/versions").iterdir())


def test_flags_are_off_until_declared() -> None:
    """An empty declaration declares nothing, and the native one says no to what it lacks."""
    off = ("vector_search", "embeddings", "graph_memory", "transactions")

    assert not any(vars(BackendCapabilities()).values())
    assert [flag for flag, on in vars(NATIVE).items() if not on] == list(off)
