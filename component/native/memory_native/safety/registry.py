"""Which documents re-enter a model's prompt, and are therefore protected.

The list and its version are reference.md section 5.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from memory_native.paths import fold


CUSTOM_CLASS: Final = "custom_protected_path"

_CLASSES: Final = MappingProxyType(
    {
        "SOUL.md": "soul",
        "AGENTS.md": "agents",
        "USER.md": "user",
        "IDENTITY.md": "identity",
        "SYSTEM.md": "system",
        "MEMORY.md": "memory",
        "TOOLS.md": "tools",
        "HEARTBEAT.md": "heartbeat",
        "BOOTSTRAP.md": "bootstrap",
        "context/assistant-directives.md": "assistant_directives",
        "context/profile.json": "profile",
    }
)


@dataclass(frozen=True, kw_only=True)
class Registry:
    """A versioned map from a folded path to the class of its protection."""

    version: str
    classes: Mapping[str, str]

    def class_of(self, path: str) -> str | None:
        """Return the class of *path*, or ``None`` where it is not protected.

        The whole path is compared, folded: ``memory.MD`` is protected,
        ``sub/MEMORY.md`` is not. Folding is wider than the reference's ASCII lower
        case, because on a disk that folds, ``TOOLS.md`` with a
        long s can be ``TOOLS.md``.
        """
        return self.classes.get(fold(path.strip("/")))


def custom_registry(version: str, paths: Iterable[str]) -> Registry:
    """Return a registry of an operator's own *paths*, all of the class `CUSTOM_CLASS`."""
    classes = {fold(path.strip("/")): CUSTOM_CLASS for path in paths}
    return Registry(version=version, classes=MappingProxyType(classes))


PROTECTED_PATHS: Final = Registry(
    version="prompt-protected-paths:v1",
    classes=MappingProxyType({fold(path): name for path, name in _CLASSES.items()}),
)
