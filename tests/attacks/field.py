"""Where the attacks take place: one host with the hostile provider, and things it must not reach."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ironclaw_memory import Grant, MemoryHost, Origin, Scope, config, installing
from ironclaw_memory.capability.audit_reading import Entry, Selection
from ironclaw_memory.model import Effect
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS, MIB, Limits
from ironclaw_memory.scopes import directory_of


SMALL = Limits(
    deadline_ms=4_000,
    long_deadline_ms=4_000,
    scope_bytes=8 * MIB,
    file_bytes=4 * MIB,
    scope_files=200,
    worker_files=128,
)
"""Room for honest calls on a busy machine, and little enough to be crossed quickly."""

OUTSIDE = "the outside must not be read"
HONEST = Scope(tenant="honest", user="alice")
PREFIX = "ironclaw.memory."
EFFECTS = frozenset({Effect.DISPATCH_CAPABILITY, Effect.READ_FILESYSTEM, Effect.WRITE_FILESYSTEM})

Tree = Mapping[str, tuple[object, ...]]


class Field:
    """One open host below *base*, a file outside of its data directory, and an honest scope."""

    def __init__(self, host: MemoryHost, base: Path) -> None:
        """Lay out what must not be reached."""
        self.host = host
        self.base = base
        self.root = base / "root"
        self.outside = base / "outside.txt"
        self.outside.write_text(OUTSIDE)
        self.lay_out(HONEST)

    def home(self, scope: Scope) -> Path:
        """Return the directory of *scope*."""
        return self.root.joinpath(*directory_of(scope))

    def lay_out(self, scope: Scope) -> Path:
        """Give *scope* two documents, as a person would, and return its directory."""
        home = self.home(scope)
        (home / "notes").mkdir(parents=True)
        (home / "MEMORY.md").write_text(f"- {scope.tenant} likes tea\n")
        (home / "notes" / "a.md").write_text("a note\n")
        return home

    def ways(self, scope: Scope) -> str:
        """Return what a provider of *scope* could guess, as the JSON of a query."""
        home = self.home(scope)
        return json.dumps(
            {
                "absolute": str(self.outside),
                "relative": os.path.relpath(self.outside, home),
                "neighbour": os.path.relpath(self.home(HONEST) / "MEMORY.md", home),
            }
        )

    def call(self, tool: str, scope: Scope, **arguments: Any) -> Any:
        """Call a tool as the model's loop."""
        return self.host.call(PREFIX + tool, arguments, scope=scope, origin=Origin.LOOP_RUN)

    def write(self, scope: Scope, content: str = "a line") -> Any:
        """Write with a grant that ends with the call."""
        tool = f"{PREFIX}write"
        grant = Grant.exactly(tool=tool, scope=scope, origin=Origin.LOOP_RUN, effects=EFFECTS)
        arguments = {"target": "memory", "content": content}
        return self.host.call(tool, arguments, scope=scope, origin=Origin.LOOP_RUN, grants=[grant])

    def around(self, scope: Scope) -> Tree:
        """Return everything outside of *scope* that no call on it may change."""
        changing = (str(self.home(scope).relative_to(self.base)), "root/host")
        kept = ("root/host/gate", "root/host/pins")
        return {
            path: what
            for path, what in tree(self.base).items()
            if path.startswith(kept) or not path.startswith(changing)
        }

    def log(self, scope: Scope, selection: Selection | None = None) -> list[Entry]:
        """Return the audit entries of *scope*."""
        axes = ("tenant", "user", "agent", "project")
        wanted = {axis: getattr(scope, axis) for axis in axes if getattr(scope, axis) is not None}
        return [e for e in self.host.audit(selection) if e.fields.get("scope") == wanted]


def tree(directory: Path) -> dict[str, tuple[object, ...]]:
    """Return what stands below *directory*: kind, permissions, change time, content; no link followed."""
    found: dict[str, tuple[object, ...]] = {}
    for here, folders, files in os.walk(directory):
        for name in (*folders, *files):
            path = Path(here) / name
            status = path.lstat()
            regular = path.is_file() and not path.is_symlink()
            content = hashlib.sha256(path.read_bytes()).hexdigest() if regular else None
            changed = None if path.is_dir() and not path.is_symlink() else status.st_mtime_ns
            key = str(path.relative_to(directory))
            found[key] = (status.st_mode, status.st_nlink if regular else 1, changed, content)
    return found


def documents_of(home: Path) -> dict[str, tuple[object, ...]]:
    """Return what stands in a scope, but for the profile and the provider's own store."""
    apart = ("context", ".store")
    return {path: what for path, what in tree(home).items() if not path.startswith(apart)}


@contextmanager
def field(component: Path, base: Path, **choices: Any) -> Iterator[Field]:
    """Approve *component* and open a host with it below *base*."""
    installing.install(
        component,
        base / "root",
        cache=config.load().cache,
        agreed=lambda found: True,
        now_ms=1,
        limits=DEFAULT_LIMITS,
    )
    choices = {"limits": SMALL, **choices}
    with MemoryHost.open(root=base / "root", provider=component, **choices) as host:
        yield Field(host, base)


Act = Callable[[Field, Scope], object]


def search(where: Field, scope: Scope) -> object:
    """Search with a query that names what lies outside."""
    return where.call("search", scope, query=where.ways(scope), limit=5)


def read(where: Field, scope: Scope) -> object:
    """Read the main document."""
    return where.call("read", scope, path="MEMORY.md")


def list_all(where: Field, scope: Scope) -> object:
    """List."""
    return where.call("tree", scope)


def write(where: Field, scope: Scope) -> object:
    """Write the name of the file outside."""
    return where.write(scope, str(where.outside))


def set_profile(where: Field, scope: Scope) -> object:
    """Set the profile, which no grant is needed for."""
    return where.call("profile_set", scope, timezone="Europe/Rome")


def recall(where: Field, scope: Scope) -> object:
    """Load the context of a turn."""
    return where.host.load_context(scope, "tea", 8)


def read_profile(where: Field, scope: Scope) -> object:
    """Read the profile that a person left."""
    (where.home(scope) / "context").mkdir()
    return where.host.read_profile(scope)


WRITING = frozenset({write})
"""What may change documents; whatever else is called leaves all of them as they are."""

ON_THE_PROFILE = frozenset({set_profile, read_profile})
"""What runs at the level of the user."""
