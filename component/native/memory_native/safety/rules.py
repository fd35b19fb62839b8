"""The form of a rule, and how rules are run over a text.

Each rule names anchors, plain strings of which one stands in every match: finding
a string is cheap, so patterns run only around one. ``veto`` looks at the text just
before a match and calls it off: "operating system:" is a label that nobody will
mistake for a speaker.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memory_native.safety.decision import Severity


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One spelling of one family; a match begins at most *before* characters ahead of its anchor."""

    family: str
    severity: Severity
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    before: int = 0
    veto: re.Pattern[str] | None = None


GAP: Final = r"[\s_*~\"'`,\-]*+"
"""What may stand between two words of a phrase; possessive, so that no input is slow."""

EDGE: Final = r"(?<![a-z0-9_])"
END: Final = r"(?![a-z0-9_])"

_PER_RULE: Final = 16  # a flood is a flood; counting it to the end would only cost time
_REACH: Final = 240  # characters that a pattern which begins at its anchor may see
_REACH_AFTER: Final = 32  # the same for one that ends at about its anchor
_LOOK_BACK: Final = 48  # characters before a match that a veto may see


def rule(
    family: str,
    severity: Severity,
    anchors: str,
    pattern: str,
    *,
    before: int = 0,
    veto: str | None = None,
) -> Rule:
    """Build a rule; *anchors* are separated by ``;``."""
    return Rule(
        family=family,
        severity=severity,
        anchors=tuple(anchors.split(";")),
        pattern=re.compile(pattern),
        before=before,
        veto=None if veto is None else re.compile(f"(?:{veto})$"),
    )


def any_of(alternatives: str) -> str:
    """Return a pattern of one of the space-separated *alternatives*."""
    return f"(?:{'|'.join(alternatives.split())})"


def words(*parts: str) -> str:
    """Return a pattern of *parts* in a row with a gap between each two."""
    return EDGE + GAP.join(parts) + END


def by_anchor(rules: tuple[Rule, ...]) -> dict[str, tuple[Rule, ...]]:
    """Return the rules that each anchor can begin, so that each is looked for once."""
    anchors = {anchor: None for rule in rules for anchor in rule.anchors}
    return {a: tuple(rule for rule in rules if a in rule.anchors) for a in anchors}


def matches(index: dict[str, tuple[Rule, ...]], text: str) -> Iterator[Rule]:
    """Yield a rule for each place where it matches, at most 16 times a rule."""
    seen: dict[int, set[int]] = {}
    for anchor, rules in index.items():
        at = text.find(anchor)
        while at >= 0:
            for rule in rules:
                start = _start(rule, text, at)
                places = seen.setdefault(id(rule), set())
                if start is not None and start not in places and len(places) < _PER_RULE:
                    places.add(start)
                    yield rule
            at = text.find(anchor, at + len(anchor))


def _start(rule: Rule, text: str, at: int) -> int | None:
    """Return where *rule* matches around the anchor at *at*."""
    if rule.before:
        match = rule.pattern.search(text, max(0, at - rule.before), at + _REACH_AFTER)
    else:
        match = rule.pattern.match(text, at, at + _REACH)
    if match is None:
        return None
    start = match.start()
    if rule.veto is not None and rule.veto.search(text, max(0, start - _LOOK_BACK), start):
        return None
    return start
