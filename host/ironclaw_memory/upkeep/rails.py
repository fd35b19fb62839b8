"""What a curation pass may do, decided in code: the prompt asks, the rails decide.

Pure functions over texts. A refusal is one sentence for a person.
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ironclaw_memory.upkeep.report import ModelAccount


DOCUMENT: Final = "MEMORY.md"
READ_TOOL: Final = "ironclaw.memory.read"
WRITE_TOOL: Final = "ironclaw.memory.write"
READING_TOOLS: Final = frozenset(
    {READ_TOOL, "ironclaw.memory.search", "ironclaw.memory.tree"}
)  # whatever else a manifest lists for a pass is not run: the one write is checked here

_TARGETS: Final = frozenset({"memory", DOCUMENT})
_BULLET: Final = re.compile(r"^(?:[-*+]|\d+[.)])\s+")


@dataclass(frozen=True, kw_only=True)
class CurationRules:
    """The bounds of a pass. Defaults: reference.md section 8, issue 6.

    ``max_dropped_share`` is the share of the document's lines, 0 to 1, that a rewrite may
    lose without naming them.
    """

    max_model_calls: int = 10
    max_tool_calls: int = 12
    max_seconds: float = 90.0
    max_dropped_share: float = 0.1
    max_document_bytes: int = 65_536
    max_result_bytes: int = 65_536


def rewrite_of(arguments: Mapping[str, Any]) -> str | None:
    """Return the document that a write call proposes; ``None`` for every other kind of write."""
    given = {key for key, value in arguments.items() if value is not None}
    replaces = arguments.get("append") is False and arguments.get("target") in _TARGETS
    content = arguments.get("content")
    if not replaces or not isinstance(content, str) or not content.strip():
        return None
    return content if given <= {"target", "content", "append", "replace_all"} else None


def dropped_lines(before: str, after: str) -> tuple[str, ...]:
    """Return the lines of *before* that stand nowhere in *after*, each once, in order."""
    kept = {_bare(line) for line in after.splitlines()}
    lines = {_bare(line): line.strip() for line in before.splitlines() if line.strip()}
    return tuple(line for bare, line in lines.items() if bare not in kept)


def refusal(before: str, after: str, account: ModelAccount | None, *, max_share: float) -> str:
    """Return why the rewrite may not replace the document, or the empty string."""
    if account is None:
        return "The pass ended without a report that can be read."
    named = {_bare(line) for line in account.named}
    silent = [line for line in dropped_lines(before, after) if _bare(line) not in named]
    total = len({_bare(line) for line in before.splitlines() if line.strip()})
    if len(silent) > max_share * total:
        return (
            f"The rewrite drops {len(silent)} of {total} lines without naming them in its report."
        )
    return ""


def unified_diff(before: str, after: str) -> str:
    """Return what the rewrite changes, in the form of ``diff -u``."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), DOCUMENT, f"{DOCUMENT} (curated)", lineterm=""
    )
    return "\n".join(lines)


def _bare(line: str) -> str:
    """Return a line without bullet and spacing, by which a model is allowed to differ."""
    return " ".join(_BULLET.sub("", line.strip()).split())
