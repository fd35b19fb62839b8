"""Find text that tries to instruct a model."""

from dataclasses import dataclass
from typing import Final

from memory_native.safety.chinese import CHINESE
from memory_native.safety.decision import Severity
from memory_native.safety.english import ENGLISH
from memory_native.safety.rules import by_anchor, matches


_ENGLISH: Final = by_anchor(ENGLISH)
_CHINESE: Final = by_anchor(CHINESE)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One match: its family and how bad it is. Never the text."""

    family: str
    severity: Severity


def findings(normal: str) -> list[Finding]:
    """Return what is suspicious in normalised text, at most 16 findings a rule."""
    if normal.isascii():
        found = list(matches(_ENGLISH, normal))
    else:  # one byte a character is searched twice as fast as two
        ascii_only = normal.encode("ascii", "replace").decode("ascii")
        found = [*matches(_ENGLISH, ascii_only), *matches(_CHINESE, normal)]
    return [Finding(family=rule.family, severity=rule.severity) for rule in found]


def worst(found: list[Finding]) -> Severity | None:
    """Return the highest severity in *found*, or ``None``."""
    return max((finding.severity for finding in found), default=None)
