"""What the environment and the platform say; the only reader of ``os.environ``."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final


APPLICATION: Final = "ironclaw-memory"
PREFIX: Final = "IRONCLAW_MEMORY_"  # design.md section 2


@dataclass(frozen=True, kw_only=True)
class Config:
    """Where things are, and the scope that a command line falls back on.

    ``root`` holds memory and the host's own files, ``cache`` compiled components. The
    other fields are ``None`` where the environment says nothing.
    """

    root: Path
    cache: Path
    tenant: str | None = None
    user: str | None = None
    agent: str | None = None
    project: str | None = None
    thread: str | None = None
    json: bool = False


def load(environment: Mapping[str, str] = os.environ) -> Config:
    """Read the configuration from *environment*.

    ``IRONCLAW_MEMORY_HOME`` and ``IRONCLAW_MEMORY_CACHE`` name directories; without them
    the platform's own for user data and caches are used (design.md section 6).
    ``IRONCLAW_MEMORY_TENANT``, ``_USER``, ``_AGENT``, ``_PROJECT``, ``_THREAD`` and
    ``_JSON`` stand for the options of those names. An empty variable counts as absent.
    """
    said = {
        key.removeprefix(PREFIX): value
        for key, value in environment.items()
        if key.startswith(PREFIX) and value
    }
    return Config(
        root=_directory(said.get("HOME"), "user_data_path"),
        cache=_directory(said.get("CACHE"), "user_cache_path"),
        tenant=said.get("TENANT"),
        user=said.get("USER"),
        agent=said.get("AGENT"),
        project=said.get("PROJECT"),
        thread=said.get("THREAD"),
        json=said.get("JSON", "").lower() in {"1", "true", "yes"},
    )


def _directory(said: str | None, platform: str) -> Path:
    if said:
        return Path(said).expanduser().absolute()
    import platformdirs  # noqa: PLC0415 - not needed where both are named

    path: Path = getattr(platformdirs, platform)(APPLICATION, appauthor=False)
    return path
