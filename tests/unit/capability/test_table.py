"""The whole table, walked: every origin, cell and circumstance against a second statement."""

import itertools
from dataclasses import replace

import pytest
from tests.unit.capability.walk import EFFECTS, NOW, READ, WRITE, grant, lease, question, rules

from ironclaw_memory.capability.decide import (
    Allow,
    Decision,
    Deny,
    NeedsApproval,
    decide,
    decide_early,
)
from ironclaw_memory.capability.question import Permission, ToolRules
from ironclaw_memory.capability.state import LeaseState, Settings
from ironclaw_memory.capability.table import RULES, Reason, Verdict
from ironclaw_memory.model import Cell, Grant, Origin, Scope


GRANTS = {
    "none": (),
    "covers": (grant(),),
    "expired": (grant(expires_ms=NOW),),
    "used up": (grant(uses_left=0),),
    "last use": (grant(uses_left=1),),
    "no effects": (grant(effects=frozenset()),),
}
HELPFUL = {"covers", "last use"}
SETTINGS = {
    "default": Settings(),
    "disabled": Settings(disabled=frozenset({READ, WRITE})),
    "asks": Settings(ask_each_time=frozenset({READ, WRITE})),
    "auto": Settings(auto_approve=True),
    "auto and asks": Settings(auto_approve=True, ask_each_time=frozenset({READ, WRITE})),
}
CASES = list(
    itertools.product(
        [None, *Origin], [None, *Cell], [READ, WRITE], list(Permission), GRANTS, SETTINGS, [0, 1]
    )
)


def _expected(  # noqa: PLR0911 - one line a sentence of the design
    origin: Origin | None,
    cell: Cell | None,
    tool: str,
    permission: Permission,
    grants: str,
    settings: str,
    leased: int,
) -> str:
    """Say it again, in the words of design.md section 7 and not in those of the table."""
    if origin is None or cell in {None, Cell.FORBIDDEN}:
        return "deny"
    if cell is Cell.CONSENT_SUFFICIENT and origin is not Origin.PRODUCT:
        return "deny"
    if settings == "disabled":
        return "deny"
    if leased:
        return "allow"
    if cell is Cell.ASK_ALWAYS or "asks" in settings:
        return "ask"
    reviewed = tool == READ and origin is Origin.LOOP_RUN and permission is Permission.ALLOW
    if (cell is Cell.UNGATED and reviewed) or cell is Cell.CONSENT_SUFFICIENT:
        return "allow"
    if grants in HELPFUL:
        return "allow"
    return "allow" if settings == "auto" and permission is not Permission.DENY else "ask"


def _word(decision: Decision) -> str:
    match decision:
        case Allow():
            return "allow"
        case Deny():
            return "deny"
        case NeedsApproval():
            return "ask"


def test_every_case_is_decided_as_the_design_says() -> None:
    """All 8,640 combinations agree with the second statement, early and late."""
    for case in CASES:
        origin, cell, tool, permission, grants, settings, leased = case
        asked = question(
            rules(cell, tool=tool, origin=origin or Origin.LOOP_RUN, permission=permission),
            origin=origin,
            settings=SETTINGS[settings],
            grants=tuple(_for(each, tool, origin) for each in GRANTS[grants]),
            leases=(lease(tool=tool, origin=origin or Origin.LOOP_RUN),) if leased else (),
        )
        decision = decide(asked)
        early = decide_early(asked)

        assert _word(decision) == _expected(*case), case
        assert early == (decision if isinstance(decision, Deny) else None), case
        assert decision.sentence, case
        assert isinstance(decision, Allow) or decision.remedy, case


def _for(each: Grant, tool: str, origin: Origin | None) -> Grant:
    return replace(each, tool=tool, origin=origin or Origin.LOOP_RUN)


def test_early_rules_come_first_and_only_deny() -> None:
    """What is asked before the arguments is a prefix of what is asked after them."""
    early = [rule.early for rule in RULES]
    assert early == sorted(early, reverse=True)
    assert {rule.verdict for rule in RULES if rule.early} == {Verdict.DENY}


def test_every_reason_has_one_rule_and_the_last_rule_takes_everything() -> None:
    """No reason code is unused, none stands for two things, nothing falls through."""
    assert [rule.reason for rule in RULES] == list(Reason)
    assert RULES[-1].verdict is Verdict.ASK
    assert RULES[-1].applies(question(rules(Cell.UNGATED)))


def test_a_missing_matrix_denies_every_origin() -> None:
    """A tool that says nothing about origins is for none of them."""
    silent = ToolRules(tool=READ, matrix=None, effects=EFFECTS, permission=Permission.ALLOW)
    for origin in Origin:
        decision = decide(question(silent, origin=origin, settings=Settings(auto_approve=True)))
        assert isinstance(decision, Deny)
        assert decision.reason is Reason.NO_MATRIX


def test_a_tool_without_effects_may_do_nothing() -> None:
    """No effect would mean that every grant covers it; it means that none does."""
    decision = decide(question(rules(Cell.UNGATED, tool=READ, effects=frozenset())))
    assert decision.reason is Reason.NO_EFFECTS


@pytest.mark.parametrize("change", ["fingerprint", "origin", "tool", "expiry", "state"])
def test_a_lease_is_for_exactly_one_call(change: str) -> None:
    """A lease that differs in anything does not match."""
    changed = {
        "fingerprint": replace(lease(), fingerprint="sha256:" + "b" * 64),
        "origin": replace(lease(), origin=Origin.AUTOMATION),
        "tool": replace(lease(), tool=READ),
        "expiry": replace(lease(), expires_ms=NOW),
        "state": replace(lease(), state=LeaseState.CLAIMED),
    }
    assert isinstance(decide(question(rules(), leases=(lease(),))), Allow)
    assert isinstance(decide(question(rules(), leases=(changed[change],))), NeedsApproval)


def test_an_uncounted_grant_is_preferred_to_a_counted_one() -> None:
    """No use is spent where none has to be."""
    counted, free = grant(uses_left=1), grant()
    decision = decide(question(rules(), grants=(counted, free)))
    assert isinstance(decision, Allow)
    assert decision.grant is free


def test_a_refusal_says_what_would_allow_it() -> None:
    """The hint is a command that can be typed."""
    decision = decide(question(rules()))
    assert isinstance(decision, NeedsApproval)
    assert "ironclaw-memory grant ironclaw.memory.write --origin loop_run" in decision.remedy


def test_a_refusal_names_the_scope_that_it_was_about() -> None:
    """Typed as it stands, the hint grants there; what a command line assumes anyway is left out."""
    theirs = Scope(tenant="local", user="zed k", project="p1")
    decision = decide(replace(question(rules()), scope=theirs))
    assert isinstance(decision, NeedsApproval)
    assert "--origin loop_run --user 'zed k' --project p1`" in decision.remedy
    mine = decide(replace(question(rules()), scope=Scope(tenant="local", user="me")))
    assert isinstance(mine, NeedsApproval)
    assert "--origin loop_run`" in mine.remedy
