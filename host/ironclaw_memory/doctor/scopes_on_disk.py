"""Which scopes there are below a root, told from the names of their directories."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ironclaw_memory.errors import InvalidScope, RootUnusable
from ironclaw_memory.model import Access, Scope
from ironclaw_memory.scopes import Mount
from ironclaw_memory.scopes.names import Undecodable, decode
from ironclaw_memory.scopes.store import GUEST_ROOT, MEMORY


_LEVELS: Final = ("tenants", "users", "agents", "projects")


@dataclass(frozen=True, kw_only=True)
class OnDisk:
    """A directory where a scope is expected; ``scope`` is ``None`` if its name does not tell."""

    parts: tuple[str, ...]
    scope: Scope | None

    @property
    def place(self) -> str:
        """How the scope is called in a finding."""
        return self.scope.owner_key() if self.scope else "/".join(self.parts[1:])

    def mount(self, root: Path) -> Mount:
        """Return its read-only mount below *root*, to look at from outside."""
        return Mount(root=root, parts=self.parts, guest_path=GUEST_ROOT, access=Access.READ)


def scopes_on_disk(root: Path) -> Iterator[OnDisk]:
    """Yield every scope below *root*, sorted by directory; follows no link, makes nothing."""
    yield from _below(root, (MEMORY,), _LEVELS)


def _below(root: Path, parts: tuple[str, ...], levels: tuple[str, ...]) -> Iterator[OnDisk]:
    if not levels:
        yield OnDisk(parts=parts, scope=_scope(parts))
        return
    inside = (*parts, levels[0])
    for name in _directories(root, inside):
        yield from _below(root, (*inside, name), levels[1:])


def _directories(root: Path, parts: tuple[str, ...]) -> list[str]:
    """Return the directories in a place, links left out; none where the place is no directory."""
    place = Mount(root=root, parts=parts, guest_path=GUEST_ROOT, access=Access.READ)
    with suppress(RootUnusable), place.opened() as descriptor, os.scandir(descriptor) as entries:
        return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    return []


def _scope(parts: tuple[str, ...]) -> Scope | None:
    tenant, user, agent, project = parts[2::2]
    try:
        return Scope(
            tenant=decode(tenant) or "",
            user=decode(user) or "",
            agent=decode(agent),
            project=decode(project),
        )
    except (Undecodable, InvalidScope):
        return None
