"""The decision table for a write to a document that re-enters a prompt.

Pure: a situation goes in, a ruling comes out. The rows and reason codes are
reference.md section 5.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import Final


class Severity(IntEnum):
    """How bad a finding is; comparable."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3
    CRITICAL = 4


class Operation(Enum):
    """What kind of write asks; a model's patch and a profile update arrive as ``write``."""

    WRITE = "write"
    APPEND = "append"
    PATCH = "patch"
    IMPORT = "import"
    SEED = "seed"
    PROFILE_UPDATE = "profile_update"
    ADMIN_SYSTEM_PROMPT_UPDATE = "admin_system_prompt_update"


class Allowance(Enum):
    """A named permission to pass without a check."""

    EMPTY_PROMPT_FILE_CLEAR = "empty_prompt_file_clear"


class Situation(Enum):
    """The rows of the table, most specific first."""

    UNPROTECTED = "unprotected"
    NO_POLICY = "no_policy"
    BLANK = "blank"
    BLANK_ALLOWED = "blank_allowed"
    CLEAN = "clean"
    SUSPICIOUS = "suspicious"
    HIGH = "high"
    CRITICAL = "critical"


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """What follows from a situation.

    ``event`` is the kind to record, ``None`` for none. With ``must_record`` the
    write stands only if the event was durably recorded. ``refusal`` is the
    failure code of a refusal, ``None`` where the write may go on.
    """

    event: str | None = None
    must_record: bool = False
    refusal: str | None = None


def _reject(code: str) -> Ruling:
    return Ruling(event="safety-rejected", refusal=code)


RULINGS: Final[Mapping[Situation, Ruling]] = MappingProxyType(
    {
        Situation.UNPROTECTED: Ruling(),
        Situation.NO_POLICY: _reject("prompt_write_policy_unavailable"),
        Situation.BLANK: _reject("prompt_write_bypass_not_allowed"),
        Situation.BLANK_ALLOWED: Ruling(event="safety-bypassed", must_record=True),
        Situation.CLEAN: Ruling(event="safety-checked"),
        Situation.SUSPICIOUS: Ruling(event="safety-warned", must_record=True),
        Situation.HIGH: _reject("high_risk_prompt_injection"),
        Situation.CRITICAL: _reject("critical_prompt_injection"),
    }
)

UNRECORDED: Final = "prompt_write_safety_event_unavailable"
NO_REGISTRY: Final = "protected_path_registry_unavailable"
MISCONFIGURED: Final = "prompt_write_policy_misconfigured"


def worst_situation(worst: Severity | None) -> Situation:
    """Return the row for content whose worst finding is *worst*, ``None`` for no finding."""
    match worst:
        case None:
            return Situation.CLEAN
        case Severity.LOW | Severity.MEDIUM:
            return Situation.SUSPICIOUS
        case Severity.HIGH:
            return Situation.HIGH
        case Severity.CRITICAL:
            return Situation.CRITICAL


def blank_situation(
    *, operation: Operation, allowance: Allowance | None, allowances: frozenset[Allowance]
) -> Situation:
    """Return the row for blank content.

    Only a whole write can clear a document, and only with an allowance that the
    policy knows.
    """
    cleared = operation is Operation.WRITE and allowance in allowances
    return Situation.BLANK_ALLOWED if cleared else Situation.BLANK
