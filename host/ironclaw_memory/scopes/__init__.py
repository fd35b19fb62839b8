"""From a scope to a directory: names, mounts, locks, and a look from outside."""

from ironclaw_memory.scopes.litter import clear_stale_locks
from ironclaw_memory.scopes.locks import LockMode
from ironclaw_memory.scopes.mounts import HOST_DIRECTORY, Mount
from ironclaw_memory.scopes.store import LocalStore, MountKind, Store, directory_of
from ironclaw_memory.scopes.walk import STORES, Odd, Scan, Stamp, Usage, scan, usage


__all__ = [
    "HOST_DIRECTORY",
    "STORES",
    "LocalStore",
    "LockMode",
    "Mount",
    "MountKind",
    "Odd",
    "Scan",
    "Stamp",
    "Store",
    "Usage",
    "clear_stale_locks",
    "directory_of",
    "scan",
    "usage",
]
