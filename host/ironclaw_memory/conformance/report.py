"""What a run found: an outcome per rule, and from them a verdict per capability."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from ironclaw_memory.conformance.rule import CAPABILITIES, Group, Rule
from ironclaw_memory.declared import Manifest


class Verdict(Enum):
    """What came of one rule."""

    HELD = "held"
    BROKEN = "broken"
    REFUSED = "refused"
    NOT_DECLARED = "not declared"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One rule's verdict; *expected* and *came* are empty unless it is broken."""

    rule: Rule
    verdict: Verdict
    expected: str = ""
    came: str = ""
    seconds: float = 0.0


class Standing(Enum):
    """What a run says about one capability."""

    WORKS = "works"
    BROKEN = "broken"
    PARTLY = "works in part, the rest is refused"
    REFUSED = "declared but refused"
    UNTESTED = "declared, not tested"
    ABSENT = "not declared"


@dataclass(frozen=True, kw_only=True)
class Report:
    """One run against one provider, which declares *declared*."""

    manifest: Manifest
    declared: frozenset[str]
    outcomes: tuple[Outcome, ...]

    @property
    def passed(self) -> bool:
        """Whether no rule is broken and at least one was held."""
        counts = self.counts()
        return counts[Verdict.BROKEN] == 0 and counts[Verdict.HELD] > 0

    @property
    def exit_code(self) -> int:
        """0, or 4 for a provider that breaks a rule (design.md section 10)."""
        return 0 if self.passed else _PROVIDER_FAILED

    @property
    def seconds(self) -> float:
        """How long the checks took."""
        return sum(outcome.seconds for outcome in self.outcomes)

    def counts(self) -> Mapping[Verdict, int]:
        """Return how many rules have each verdict."""
        found = [outcome.verdict for outcome in self.outcomes]
        return {verdict: found.count(verdict) for verdict in Verdict}

    def broken(self) -> tuple[Outcome, ...]:
        """Return the outcomes of broken rules."""
        return tuple(o for o in self.outcomes if o.verdict is Verdict.BROKEN)

    def groups(self) -> Mapping[Group, tuple[Outcome, ...]]:
        """Return the outcomes by chapter, chapters without rules left out."""
        of_group = {
            group: tuple(o for o in self.outcomes if o.rule.group is group) for group in Group
        }
        return {group: outcomes for group, outcomes in of_group.items() if outcomes}

    def standings(self) -> Mapping[str, Standing]:
        """Return what the run says about each capability of the contract."""
        return {name: self._standing(name) for name in CAPABILITIES}

    def _standing(self, capability: str) -> Standing:
        if capability not in self.declared:
            return Standing.ABSENT
        verdicts = {
            o.verdict
            for o in self.outcomes
            if capability in o.rule.needs and o.verdict is not Verdict.NOT_DECLARED
        }
        if Verdict.BROKEN in verdicts:
            return Standing.BROKEN
        if verdicts == {Verdict.HELD, Verdict.REFUSED}:
            return Standing.PARTLY
        if verdicts == {Verdict.REFUSED}:
            return Standing.REFUSED
        return Standing.WORKS if verdicts else Standing.UNTESTED


_PROVIDER_FAILED: Final = 4
