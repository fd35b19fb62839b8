"""The gate's answer: pure functions over the table of rules."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ironclaw_memory.capability.question import Question
from ironclaw_memory.capability.scope_flags import scope_flags_needed
from ironclaw_memory.capability.state import Lease
from ironclaw_memory.capability.table import (
    RULES,
    Reason,
    Rule,
    Verdict,
    covering_grant,
    open_lease,
)
from ironclaw_memory.model import Grant


@dataclass(frozen=True, kw_only=True)
class Allow:
    """The call may run. ``lease`` or ``grant`` is what allowed it, if one did."""

    reason: Reason
    sentence: str
    lease: Lease | None = None
    grant: Grant | None = None


@dataclass(frozen=True, kw_only=True)
class Deny:
    """The call may not run; ``remedy`` says what would have to change."""

    reason: Reason
    sentence: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class NeedsApproval:
    """The call may run once somebody approves; ``remedy`` says how."""

    reason: Reason
    sentence: str
    remedy: str

    @property
    def is_grantable(self) -> bool:
        """Whether a standing grant would allow it; otherwise only the approval of each call."""
        return self.reason is Reason.NO_GRANT


Decision = Allow | Deny | NeedsApproval

_EARLY = tuple(rule for rule in RULES if rule.early)


def decide(question: Question) -> Decision:
    """Answer with the first rule that applies.

    The last rule applies to everything: what nothing allows needs approval.
    """
    rule = _first(RULES, question)
    return _decision(rule or RULES[-1], question)


def decide_early(question: Question) -> Deny | None:
    """Answer before arguments are looked at: a denial, or nothing decided yet.

    Looks at origin, table and settings alone. `decide` gives the same denial for
    the same call, because both read the same rows.
    """
    rule = _first(_EARLY, question)
    decision = _decision(rule, question) if rule else None
    return decision if isinstance(decision, Deny) else None


def with_grant(question: Question, grant: Grant) -> Decision:
    """Answer as if *grant* were the only grant and there were no lease.

    Anything but `Allow` means that the grant would have no effect, and says why.
    """
    return decide(replace(question, grants=(grant,), leases=()))


def _first(rules: Iterable[Rule], question: Question) -> Rule | None:
    return next((rule for rule in rules if rule.applies(question)), None)


def _decision(rule: Rule, question: Question) -> Decision:
    words = {
        "tool": question.rules.tool,
        "origin": question.origin.value if question.origin else "nobody",
        "scope": _scope_flags(question) if "{scope}" in rule.remedy else "",
    }
    sentence, remedy = rule.sentence.format(**words), rule.remedy.format(**words)
    match rule.verdict:
        case Verdict.ALLOW:
            return Allow(
                reason=rule.reason,
                sentence=sentence,
                lease=open_lease(question) if rule.reason is Reason.LEASE else None,
                grant=covering_grant(question) if rule.reason is Reason.GRANT else None,
            )
        case Verdict.DENY:
            return Deny(reason=rule.reason, sentence=sentence, remedy=remedy)
        case Verdict.ASK:
            return NeedsApproval(reason=rule.reason, sentence=sentence, remedy=remedy)


def _scope_flags(question: Question) -> str:
    return "".join(f" {shlex.quote(word)}" for word in scope_flags_needed(question.scope))
