"""What came of a curation pass, and what the model said about it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ironclaw_memory.nesting import too_deep


MAX_SUMMARY_CHARACTERS: Final = 500  # these three: reference.md section 8
MAX_CONFLICTS: Final = 20
MAX_CONFLICT_CHARACTERS: Final = 200
MAX_REPORT_BYTES: Final = 256 * 1024  # naming every line of the largest document that is curated


class CurationStatus(StrEnum):
    """How a pass ended."""

    DONE = "done"  # ran to its end; it may have found nothing to do
    DRY_RUN = "dry_run"  # would have written; `diff` shows what
    SKIPPED = "skipped"  # was not permitted, and cost nothing
    REFUSED = "refused"  # a rail held the rewrite back
    FAILED = "failed"  # the model or the provider gave out, or a limit was reached


@dataclass(frozen=True, kw_only=True)
class CurationReport:
    """The result of one pass. Everything but ``dropped`` and ``diff`` is safe to log.

    ``merged``, ``removed``, ``conflicts`` and ``summary`` are the model's words, bounded.
    ``dropped`` and ``diff`` are what the host found by comparing the documents; both hold
    memory text. ``changed`` says whether the document was replaced; ``restore`` is then
    the command that brings the earlier one back. ``reason`` says why a pass did not end
    as ``done``.
    """

    status: CurationStatus
    pass_id: str
    changed: bool = False
    merged: int = 0
    removed: int = 0
    conflicts: tuple[str, ...] = ()
    summary: str = ""
    reason: str = ""
    dropped: tuple[str, ...] = ()
    diff: str = ""
    restore: str = ""
    model_calls: int = 0
    tool_calls: int = 0


@dataclass(frozen=True, kw_only=True)
class ModelAccount:
    """What the model says that it did. ``named`` are the lines it says are gone."""

    merged: int
    removed: int
    conflicts: tuple[str, ...]
    summary: str
    named: tuple[str, ...]


def parse_account(text: str) -> ModelAccount | None:
    """Return the account in a model's closing words, or ``None`` where there is none.

    The account is one JSON object; words around it are passed over. A field that does
    not have the form that the curation prompt asks for counts as not given.
    """
    fields = _object(text[text.find("{") : text.rfind("}") + 1])
    if fields is None:
        return None
    removed = _texts(fields.get("removed"))
    return ModelAccount(
        merged=_count(fields.get("entries_merged")),
        removed=_count(fields.get("entries_removed")),
        conflicts=tuple(
            text[:MAX_CONFLICT_CHARACTERS]
            for text in _texts(fields.get("conflicts"))[:MAX_CONFLICTS]
        ),
        summary=_text(fields.get("summary"))[:MAX_SUMMARY_CHARACTERS],
        named=tuple(line for text in removed for line in text.splitlines()),
    )


def _object(text: str) -> Mapping[str, object] | None:
    encoded = text.encode(errors="replace")
    if len(encoded) > MAX_REPORT_BYTES or too_deep(encoded):
        return None
    try:
        found = json.loads(encoded)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _count(value: object) -> int:
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
