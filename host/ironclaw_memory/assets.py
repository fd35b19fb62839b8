"""The host's own schemas, texts and WIT, from the wheel or from a checkout."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from ironclaw_memory.errors import HostFault


TOOL_NAMES: Final = ("read", "write", "search", "tree", "profile_set")
Direction = Literal["input", "output"]


@cache
def data_root() -> Path:
    """Return the directory that holds ``schemas/``, ``prompts/`` and ``wit/``.

    A wheel carries them inside the package; a checkout has them at its top.
    Raises `HostFault` if neither is there.
    """
    here = Path(__file__).parent
    for candidate in (here / "_data", here.parents[1]):
        if (candidate / "schemas" / "memory").is_dir():
            return candidate
    raise HostFault(
        "The installed package lacks its schemas and prompts.",
        code="installation-damaged",
        hint="Reinstall ironclaw-memory.",
    )


@cache
def schema(tool_name: str, direction: Direction) -> dict[str, Any]:
    """Return our own JSON Schema for a tool's input or output; *tool_name* as in `TOOL_NAMES`."""
    path = data_root() / "schemas" / "memory" / f"{tool_name}.{direction}.v1.json"
    value: dict[str, Any] = json.loads(path.read_bytes())
    return value


@cache
def prompt(name: str) -> str:
    """Return one of our own texts, for instance ``memory_recall_framing``."""
    return (data_root() / "prompts" / f"{name}.md").read_text(encoding="utf-8")
