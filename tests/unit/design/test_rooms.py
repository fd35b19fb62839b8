"""The cut of the host: which room may import which, and who may touch what is dangerous."""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest


HOST = Path(__file__).parents[3] / "host" / "ironclaw_memory"

ROOMS = (
    *(
        "lazy",
        "nesting",
        "errors",
        "demands",
        "model",
        "config",
        "private",
        "package",
        "declared",
        "manifest",
        "assets",
        "build",
    ),
    *("contract", "redaction", "capability", "written", "freshness"),
    *("scopes", "sandbox", "quota", "provider"),
    *(
        "configured",
        "installed",
        "installing",
        "calls",
        "recall",
        "upkeep",
        "safekeeping",
        "scheduling",
        "opening",
        "reports",
        "owner",
        "permissions",
        "host",
        "session",
    ),
    *(
        "off_loop",
        "async_session",
        "async_host",
        "testing",
        "conformance",
        "portability",
        "doctor",
        "skeleton",
        "adapters",
    ),
)
"""In import order: a file imports only from its own room and from rooms to the left of it."""

ONLY_IN = {
    "wasmtime": ("sandbox/",),
    "mcp": ("adapters/mcp_server/",),
    "click": ("adapters/cli/",),
    "pydantic": ("manifest.py",),
    "anthropic": ("adapters/",),
    "openai": ("adapters/",),
}


def files() -> list[Path]:
    """Every module of the host."""
    return sorted(path for path in HOST.rglob("*.py") if path != HOST / "__init__.py")


def imports(path: Path) -> Iterator[str]:
    """Yield the full names that a module imports, wherever in it the statement stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(module: str) -> str:
    """Return the first part below the package."""
    return module.split(".")[1]


def name_of(path: Path) -> str:
    """Return a module's dotted name."""
    parts = path.relative_to(HOST.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_every_file_is_in_a_room() -> None:
    """A new room is a decision, written into the list above."""
    assert {room_of(name_of(path)) for path in files()} <= set(ROOMS)


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(HOST)))
def test_a_file_imports_only_from_rooms_before_its_own(path: Path) -> None:
    """The order is that of design.md section 3."""
    own = ROOMS.index(room_of(name_of(path)))
    used = {room_of(name) for name in imports(path) if name.startswith("ironclaw_memory.")}
    assert {room for room in used if room in ROOMS and ROOMS.index(room) > own} == set()


def test_modules_import_each_other_without_cycles() -> None:
    """Every module can be read after the ones it imports."""
    names = {name_of(path) for path in files()}
    edges = {
        name_of(path): {name for name in imports(path) if name in names} - {name_of(path)}
        for path in files()
    }
    TopologicalSorter(edges).prepare()


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_foreign_library_has_one_room(library: str) -> None:
    """One library, one room: its changes are felt in one place."""
    users = {
        path.relative_to(HOST).as_posix()
        for path in files()
        if any(name.split(".")[0] == library for name in imports(path))
    }
    assert {user for user in users if not user.startswith(ONLY_IN[library])} == set()


def test_only_config_reads_the_environment() -> None:
    """Everything else is told."""
    readers = {
        path.name
        for path in files()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv", "environb"}
    }
    assert readers <= {"config.py"}


def test_only_the_mounts_reach_the_whole_disk() -> None:
    """`grep ambient` lists every place with ambient authority over the data directory."""
    users = {
        path.relative_to(HOST).parts[0]
        for path in files()
        if "open_root_ambient" in path.read_text(encoding="utf-8")
    }
    assert users <= {"scopes"}
