"""Where the documents of a scope are, as a seam: today directories of this machine.

Scopes share nothing, so another store (rows of a database that are laid out in a
working directory for a call, design.md section 9) fits behind the same protocol.
"""

import hashlib
from contextlib import AbstractContextManager, nullcontext
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Final, Protocol

from ironclaw_memory.model import Access, Scope
from ironclaw_memory.scopes.locks import LockMode, held
from ironclaw_memory.scopes.mounts import Mount
from ironclaw_memory.scopes.names import encode


GUEST_ROOT: Final = "/memory"  # wit/context.wit
PROFILE_DIRECTORY: Final = "context"  # design.md section 6
MEMORY: Final = "memory"
SNAPSHOTS: Final = "snapshots"  # below the host's own directory, one directory a scope


class MountKind(Enum):
    """What of a scope a guest gets to see."""

    DOCUMENTS = "documents"
    PROFILE = "profile"


class Store(Protocol):
    """Gives out mounts and locks; everything else works on those."""

    def mount(self, scope: Scope, *, kind: MountKind, access: Access) -> Mount:
        """Return the mount of *scope*; the profile's is the one of tenant and user."""
        ...

    def lock(
        self, scope: Scope, *, kind: MountKind, mode: LockMode, deadline: float
    ) -> AbstractContextManager[None]:
        """Hold *scope* for a block, waiting until *deadline*; raises `ScopeBusy`.

        The deadline is in seconds of `time.monotonic`.
        """
        ...


class LocalStore:
    """Directories below one root, laid out as design.md section 6 has it."""

    def __init__(self, root: Path) -> None:
        """Keep everything below *root*, which need not exist yet."""
        self.root = root

    def mount(self, scope: Scope, *, kind: MountKind, access: Access) -> Mount:
        """Return the mount of *scope*, making nothing."""
        parts, guest_path = directory_of(scope), GUEST_ROOT
        if kind is MountKind.PROFILE:
            parts = (*directory_of(scope.user_level()), PROFILE_DIRECTORY)
            guest_path = f"{GUEST_ROOT}/{PROFILE_DIRECTORY}"
        return Mount(root=self.root, parts=parts, guest_path=guest_path, access=access)

    def lock(
        self, scope: Scope, *, kind: MountKind, mode: LockMode, deadline: float
    ) -> AbstractContextManager[None]:
        """Hold *scope*; reading what is not there needs no lock and leaves no trace.

        The profile lies in the scope of tenant and user and shares its lock.
        """
        if mode is LockMode.SHARED:
            mount = self.mount(scope, kind=kind, access=Access.READ)
            if not mount.exists():
                return nullcontext()
        owner = scope.user_level() if kind is MountKind.PROFILE else scope
        return held(self.root, lock_name(owner), mode, deadline=deadline)


@lru_cache(maxsize=1024)  # several times in every call
def directory_of(scope: Scope) -> tuple[str, ...]:
    """Return the directories of a scope below the root."""
    return (
        *(MEMORY, "tenants", encode(scope.tenant), "users", encode(scope.user)),
        *("agents", encode(scope.agent), "projects", encode(scope.project)),
    )


@lru_cache(maxsize=1024)
def lock_name(scope: Scope) -> str:
    """Return the name of a scope's lock file, without its suffix."""
    return hashlib.sha256("/".join(directory_of(scope)).encode()).hexdigest()[:40]
