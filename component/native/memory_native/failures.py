"""How the provider says no: one exception, a closed list of codes.

A failure carries a kind, a code and at most the name of an argument. It never
carries document text, a path of the host or the words of a library; the host
owns the sentence for each code.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Final


class Kind(Enum):
    """Who has to act (wit/types.wit)."""

    INPUT = "input"
    OPERATION = "operation"
    UNAVAILABLE = "unavailable"


CODES: Final[dict[str, Kind]] = {
    # the request was wrong
    "path-invalid": Kind.INPUT,
    "path-absolute": Kind.INPUT,
    "path-traversal": Kind.INPUT,
    "path-reserved": Kind.INPUT,
    "path-kept": Kind.INPUT,
    "path-twin": Kind.INPUT,
    "document-missing": Kind.INPUT,
    "content-blank": Kind.INPUT,
    "content-invalid": Kind.INPUT,
    "document-too-large": Kind.INPUT,
    "old-string-empty": Kind.INPUT,
    "new-string-empty": Kind.INPUT,
    "no-match": Kind.INPUT,
    "timezone-invalid": Kind.INPUT,
    "locale-invalid": Kind.INPUT,
    "location-invalid": Kind.INPUT,
    "profile-empty": Kind.INPUT,
    "metadata-invalid": Kind.INPUT,
    "query-blank": Kind.INPUT,
    "version-missing": Kind.INPUT,
    "version-mismatch": Kind.INPUT,
    "version-invalid": Kind.INPUT,
    "is-a-directory": Kind.INPUT,
    # the documents do not allow it
    "threads-reserved": Kind.OPERATION,
    "patch-target-missing": Kind.OPERATION,
    "path-occupied": Kind.OPERATION,
    "name-taken": Kind.OPERATION,
    "not-text": Kind.OPERATION,
    "not-a-document": Kind.OPERATION,
    "document-unreadable": Kind.OPERATION,
    "body-too-large": Kind.OPERATION,
    "conflict": Kind.OPERATION,
    "schema-mismatch": Kind.OPERATION,
    "schema-invalid": Kind.OPERATION,
    "profile-corrupt": Kind.OPERATION,
    "version-erased": Kind.OPERATION,
    "version-damaged": Kind.OPERATION,
    "version-taken": Kind.OPERATION,
    "history-full": Kind.OPERATION,
    "transcript-too-large": Kind.OPERATION,
    "storage-failed": Kind.OPERATION,
    "unsupported": Kind.OPERATION,
    # protected writes, verbatim from reference.md section 5
    "prompt_write_policy_unavailable": Kind.OPERATION,
    "prompt_write_policy_misconfigured": Kind.OPERATION,
    "prompt_write_bypass_not_allowed": Kind.OPERATION,
    "prompt_write_safety_event_unavailable": Kind.OPERATION,
    "protected_path_registry_unavailable": Kind.OPERATION,
    "high_risk_prompt_injection": Kind.OPERATION,
    "critical_prompt_injection": Kind.OPERATION,
    # cannot serve now
    "index-stale": Kind.UNAVAILABLE,
    "store-newer": Kind.UNAVAILABLE,
    "format-damaged": Kind.UNAVAILABLE,
    "store-damaged": Kind.UNAVAILABLE,
    "internal": Kind.UNAVAILABLE,
}


class MemoryFailure(Exception):  # the contract's word is failure
    """A refusal that the boundary turns into ``types.failure``.

    *code* is one of `CODES`, *field* the argument at fault if there is one.
    """

    def __init__(self, code: str, *, field: str | None = None) -> None:
        """Look the kind up, so that one code never has two kinds."""
        super().__init__(code)
        self.kind = CODES[code]
        self.code = code
        self.field = field


@contextmanager
def naming(field: str) -> Iterator[None]:
    """Let a failure of the block that names no argument name *field*."""
    try:
        yield
    except MemoryFailure as failure:
        failure.field = failure.field or field
        raise
