"""What the audit log can hold: a type with no room for text.

Every field is an enum, a number, a hash, an id that the host issued or a tool id
in its narrow grammar. A record that tries to carry anything else cannot be made.
"""

import json
import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from ironclaw_memory.capability.state import ScopeAxes
from ironclaw_memory.model import Effect, Origin, ProviderEvent


class Kind(Enum):
    """What a line of the log is about."""

    DECISION = "decision"
    CALL = "call"  # how an allowed call ended
    TRAP = "trap"
    LIMIT = "limit"
    GRANT = "grant"
    REVOKE = "revoke"
    APPROVE = "approve"
    DECLINE = "decline"
    SETTING = "setting"
    SECRET = "secret"  # noqa: S105 - the event's name
    PIN = "pin"
    SNAPSHOT = "snapshot"
    RESTORE = "restore"
    LOST = "lost"  # read decisions that could not be kept; `count` says how many
    # What a provider asserts (wit/audit.wit).
    DOCUMENT_WRITTEN = "document-written"
    DOCUMENT_DELETED = "document-deleted"
    DOCUMENT_INDEXED = "document-indexed"
    SEARCH_PERFORMED = "search-performed"
    SAFETY_CHECKED = "safety-checked"
    SAFETY_WARNED = "safety-warned"
    SAFETY_REJECTED = "safety-rejected"
    SAFETY_BYPASSED = "safety-bypassed"


class Outcome(Enum):
    """How the decision or the call ended."""

    ALLOWED = "allowed"
    DENIED = "denied"
    WAITING = "waiting"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


ASSERTED_KINDS: Final = frozenset(
    {
        Kind.DOCUMENT_WRITTEN,
        Kind.DOCUMENT_DELETED,
        Kind.DOCUMENT_INDEXED,
        Kind.SEARCH_PERFORMED,
        Kind.SAFETY_CHECKED,
        Kind.SAFETY_WARNED,
        Kind.SAFETY_REJECTED,
        Kind.SAFETY_BYPASSED,
    }
)

# The only words a provider may put into the log: reference.md section 5, reason codes and allowance.
ASSERTED_REASONS: Final = frozenset(
    {
        "prompt_write_policy_unavailable",
        "prompt_write_policy_misconfigured",
        "prompt_write_bypass_not_allowed",
        "prompt_write_safety_event_unavailable",
        "protected_path_registry_unavailable",
        "high_risk_prompt_injection",
        "critical_prompt_injection",
        "empty_prompt_file_clear",
    }
)

_WORD: Final = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_DOTTED: Final = re.compile(r"[a-z0-9][a-z0-9_.-]{0,127}")  # reference.md section 1, extension id
_HASH: Final = re.compile(r"sha256:[0-9a-f]{64}")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_REGISTRY: Final = re.compile(r"prompt-protected-paths:v[0-9]{1,3}|custom_protected_path")
_SIZE_END: Final = 1 << 64

_GRAMMARS: Final = {
    "tool": _DOTTED,
    "reason": _WORD,
    "limit": _WORD,
    "subject": _WORD,
    "call": _WORD,
    "fingerprint": _HASH,
    "component": _DIGEST,
    "path_hash": _HASH,
    "registry": _REGISTRY,
}


@dataclass(frozen=True, kw_only=True)
class Record:
    """One line of the audit log. Raises `ValueError` for a field outside its grammar.

    ``subject`` is the id of the grant, lease, request or snapshot that the record is
    about or that allowed the call. ``call`` joins the records of one call. Sizes are
    bytes, times Unix milliseconds. ``asserted`` marks what only the provider says.
    """

    at_ms: int
    kind: Kind
    tool: str | None = None
    origin: Origin | None = None
    scope: ScopeAxes | None = None
    outcome: Outcome | None = None
    reason: str | None = None
    subject: str | None = None
    call: str | None = None
    fingerprint: str | None = None
    component: str | None = None
    path_hash: str | None = None
    registry: str | None = None
    limit: str | None = None
    effects: frozenset[Effect] | None = None
    by_operator: bool | None = None
    argument_bytes: int | None = None
    duration_ms: int | None = None
    size: int | None = None
    count: int | None = None
    asserted: bool = False

    def __post_init__(self) -> None:
        """Refuse text where a word, a hash or a number belongs."""
        values = vars(self)
        for name, grammar in _GRAMMARS.items():
            value = values[name]
            if value is not None and not grammar.fullmatch(value):
                raise ValueError(f"{name} is not in its grammar")
        for name in ("at_ms", "argument_bytes", "duration_ms", "size", "count"):
            value = values[name]
            if value is not None and not (type(value) is int and 0 <= value < _SIZE_END):
                raise ValueError(f"{name} is not a size")
        if self.scope is not None:
            self.scope.as_scope()

    def line(self) -> bytes:
        """Return the record as one line of JSON, fields that are absent left out."""
        # `is`, because 0 equals False and a size of 0 is worth a field.
        present = {
            name: _plain(value)
            for name, value in vars(self).items()
            if value is not None and value is not False
        }
        return _JSON.encode(present).encode() + b"\n"


_JSON: Final = json.JSONEncoder(separators=(",", ":"))


def _plain(value: object) -> object:
    match value:
        case str() | int():
            return value
        case Enum():
            return value.value
        case frozenset():
            return sorted(effect.value for effect in value)
        case ScopeAxes():
            return {name: axis for name, axis in vars(value).items() if axis is not None}
        case _:
            return value


def asserted(
    event: ProviderEvent, *, at_ms: int, call: str, tool: str, scope: ScopeAxes
) -> Record | None:
    """Return what a provider asserts as a record, or ``None`` where it is malformed."""
    try:
        kind = Kind(event.kind)
        if kind not in ASSERTED_KINDS or event.reason not in {None, *ASSERTED_REASONS}:
            return None
        return Record(
            at_ms=at_ms,
            kind=kind,
            call=call,
            tool=tool,
            scope=scope,
            path_hash=event.path_hash,
            reason=event.reason,
            registry=event.registry,
            size=event.size,
            asserted=True,
        )
    except (ValueError, TypeError):
        return None
