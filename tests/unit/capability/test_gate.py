"""The gate on disk: what is spent, settled, asked, approved and taken back."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.capability.walk import FINGERPRINT, NOW, READ, SCOPE, WRITE, grant, rules

from ironclaw_memory.capability.decide import Deny
from ironclaw_memory.capability.gate import MOST_OF_TARGET, Gate, GateRequest, Permit, Waiting
from ironclaw_memory.capability.pending import KEPT_MS, MAX_PENDING, Always, ForMs, Once
from ironclaw_memory.capability.question import ToolRules
from ironclaw_memory.capability.state import LeaseState
from ironclaw_memory.errors import AccessDenied, InvalidArguments, InvalidScope
from ironclaw_memory.model import Cell, Grant, Origin, Scope


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    """Return a gate with an empty state."""
    gate = Gate(tmp_path / "host", new_id=_numbered())
    gate.create()
    return gate


def _numbered() -> Callable[[str], str]:
    count = iter(range(1_000_000))
    return lambda prefix: f"{prefix}-{next(count)}"


def _request(
    tool_rules: ToolRules | None = None,
    *,
    grants: tuple[Grant, ...] = (),
    fingerprint: str = FINGERPRINT,
    now_ms: int = NOW,
    scope: Scope = SCOPE,
) -> GateRequest:
    return GateRequest(
        rules=tool_rules or rules(),
        origin=Origin.LOOP_RUN,
        scope=scope,
        fingerprint=fingerprint,
        argument_bytes=17,
        now_ms=now_ms,
        grants=grants,
    )


def _request_id(gate: Gate, request: GateRequest) -> str:
    answer = gate.authorise(request)
    assert isinstance(answer, Waiting)
    return answer.request_id


def test_a_gated_call_waits_once_however_often_it_is_repeated(gate: Gate) -> None:
    """The same call is one request; another call is another."""
    first = _request_id(gate, _request())
    assert _request_id(gate, _request()) == first
    assert _request_id(gate, _request(fingerprint="sha256:" + "b" * 64)) != first
    assert len(gate.pending(now_ms=NOW)) == 2


def test_a_pending_request_holds_no_word_of_the_arguments(gate: Gate, tmp_path: Path) -> None:
    """On disk are a fingerprint and a size."""
    _request_id(gate, _request())
    stored = json.loads((tmp_path / "host" / "gate" / "gate.json").read_text())["pending"][0]
    assert stored["fingerprint"] == FINGERPRINT
    assert stored["argument_bytes"] == 17
    assert "arguments" not in stored


def test_approving_once_allows_exactly_one_call(gate: Gate) -> None:
    """The lease is claimed by the first call and gone for the second."""
    gate.approve(_request_id(gate, _request()), Once(), now_ms=NOW)

    permit = gate.authorise(_request())
    assert isinstance(permit, Permit)
    assert isinstance(gate.authorise(_request()), Waiting)
    gate.settle(permit, ran=True)
    assert isinstance(gate.authorise(_request()), Waiting)
    assert [lease.state for lease in gate.state().leases] == [LeaseState.CONSUMED]


def test_a_lease_whose_call_did_not_run_can_be_used_again(gate: Gate) -> None:
    """Releasing gives the one call back."""
    gate.approve(_request_id(gate, _request()), Once(), now_ms=NOW)
    permit = gate.authorise(_request())
    assert isinstance(permit, Permit)

    gate.settle(permit, ran=False)
    assert isinstance(gate.authorise(_request()), Permit)


def test_approving_for_an_hour_ends_with_the_hour(gate: Gate) -> None:
    """The grant covers other calls of the tool too, until it expires."""
    gate.approve(_request_id(gate, _request()), ForMs(duration_ms=3_600_000), now_ms=NOW)
    other = "sha256:" + "b" * 64
    last = _request(fingerprint=other, now_ms=NOW + 3_599_999)
    over = _request(fingerprint=other, now_ms=NOW + 3_600_000)

    assert isinstance(gate.authorise(last), Permit)
    assert isinstance(gate.authorise(over), Waiting)


def test_approving_always_lasts_until_it_is_revoked(gate: Gate) -> None:
    """Revoking by tool takes effect for the next call."""
    gate.approve(_request_id(gate, _request()), Always(), now_ms=NOW)
    assert isinstance(gate.authorise(_request(now_ms=NOW * 1000)), Permit)

    assert len(gate.revoke(WRITE)) == 1
    assert isinstance(gate.authorise(_request()), Waiting)


@pytest.mark.parametrize("how", ["once", True, None, Once])
def test_what_is_no_approval_is_refused_with_those_that_there_are(gate: Gate, how: Any) -> None:
    """A name in a string is no approval; the request waits on."""
    request_id = _request_id(gate, _request())
    with pytest.raises(InvalidArguments) as refused:
        gate.approve(request_id, how, now_ms=NOW)
    assert refused.value.field == "how"
    assert all(name in refused.value.hint for name in ("Once()", "ForMs(", "Always()"))
    assert len(gate.pending(now_ms=NOW)) == 1


@pytest.mark.parametrize("duration", ["1h", 2.5, True, 0])
def test_a_time_that_is_no_whole_number_never_reaches_the_disk(gate: Gate, duration: Any) -> None:
    """What could not be read again would deny every later call."""
    request_id = _request_id(gate, _request())
    with pytest.raises(InvalidArguments) as refused:
        gate.approve(request_id, ForMs(duration_ms=duration), now_ms=NOW)
    assert refused.value.field == "duration_ms"
    assert gate.state().grants == ()


def test_a_standing_approval_is_refused_where_the_tool_asks_each_time(gate: Gate) -> None:
    """It would be shown and not be in force; approving once still works."""
    gate.set_ask_each_time(WRITE, ask=True)
    request_id = _request_id(gate, _request())

    with pytest.raises(InvalidArguments):
        gate.approve(request_id, Always(), now_ms=NOW)
    gate.approve(request_id, Once(), now_ms=NOW)
    assert isinstance(gate.authorise(_request()), Permit)


def test_an_approved_or_forgotten_request_cannot_be_approved_again(gate: Gate) -> None:
    """An id is good for one approval and for a week."""
    request_id = _request_id(gate, _request())
    with pytest.raises(InvalidArguments):
        gate.approve(request_id, Once(), now_ms=NOW + KEPT_MS)
    gate.approve(request_id, Once(), now_ms=NOW)
    with pytest.raises(InvalidArguments):
        gate.approve(request_id, Once(), now_ms=NOW)


def test_a_grant_answers_the_requests_that_it_covers(gate: Gate) -> None:
    """Approved later, one would leave a lease that outlives the grant; others wait on."""
    elsewhere = _request(scope=Scope(tenant="acme", user="bob"), fingerprint="sha256:" + "c" * 64)
    covered = _request_id(gate, _request())
    other = _request_id(gate, elsewhere)
    gate.grant(grant(), rules(), now_ms=NOW)
    assert [waiting.id for waiting in gate.pending(now_ms=NOW)] == [other]
    with pytest.raises(InvalidArguments):
        gate.approve(covered, Once(), now_ms=NOW)
    assert isinstance(gate.authorise(_request()), Permit)


def test_requests_do_not_pile_up(gate: Gate) -> None:
    """A caller that asks for ever pushes out its oldest requests."""
    for number in range(MAX_PENDING + 5):
        _request_id(gate, _request(fingerprint=f"sha256:{number:064x}"))
    waiting = gate.pending(now_ms=NOW)
    assert len(waiting) == MAX_PENDING
    assert waiting[-1].fingerprint.endswith(f"{MAX_PENDING + 4:x}")


def test_a_counted_grant_is_spent_by_calls_that_ran(gate: Gate) -> None:
    """Two uses allow two calls; one that did not run is given back."""
    gate.grant(grant(uses_left=2), rules(), now_ms=NOW)
    first, second = gate.authorise(_request()), gate.authorise(_request())
    assert isinstance(first, Permit)
    assert isinstance(second, Permit)
    assert isinstance(gate.authorise(_request()), Waiting)

    gate.settle(first, ran=True)
    gate.settle(second, ran=False)
    assert isinstance(gate.authorise(_request()), Permit)
    assert isinstance(gate.authorise(_request()), Waiting)


def test_a_refund_does_not_bring_a_revoked_grant_back(gate: Gate) -> None:
    """What was taken back while a call ran stays taken back."""
    kept = gate.grant(grant(uses_left=1), rules(), now_ms=NOW)
    permit = gate.authorise(_request())
    assert isinstance(permit, Permit)
    assert gate.revoke(kept.id) == (kept.id,)
    gate.settle(permit, ran=False)
    assert isinstance(gate.authorise(_request()), Waiting)


def test_a_grant_that_comes_with_the_call_writes_nothing(gate: Gate, tmp_path: Path) -> None:
    """Its uses are the caller's to count, and it is never taken for a stored one."""
    kept = gate.grant(grant(uses_left=1), rules(), now_ms=NOW)
    before = (tmp_path / "host" / "gate" / "gate.json").read_bytes()
    passed = Grant(**{**vars(grant(uses_left=5)), "id": kept.id})

    assert isinstance(gate.authorise(_request(grants=(passed,))), Permit)
    assert (tmp_path / "host" / "gate" / "gate.json").read_bytes() == before


def test_a_revoked_lease_is_no_permission(gate: Gate) -> None:
    """Revoking by tool reaches leases that were not claimed yet."""
    gate.approve(_request_id(gate, _request()), Once(), now_ms=NOW)
    assert len(gate.revoke(WRITE)) == 1
    assert isinstance(gate.authorise(_request()), Waiting)


@pytest.mark.parametrize("ran", [True, False])
def test_the_operator_needs_no_grant_and_leaves_no_lease(gate: Gate, *, ran: bool) -> None:
    """Typing the command is the approval, of that call and of no other, even if it fails."""
    permit = gate.authorise_operator(_request())
    assert isinstance(permit, Permit)
    assert permit.decision.lease is not None
    assert isinstance(gate.authorise(_request()), Waiting)
    gate.settle(permit, ran=ran)
    assert isinstance(gate.authorise(_request()), Waiting)
    assert gate.state().leases == ()


def test_the_operator_does_not_use_up_what_was_approved_for_a_model(gate: Gate) -> None:
    """The same call, typed in between, leaves the approval where it was."""
    gate.approve(_request_id(gate, _request()), Once(), now_ms=NOW)
    typed = gate.authorise_operator(_request())
    assert isinstance(typed, Permit)
    gate.settle(typed, ran=True)
    assert isinstance(gate.authorise(_request()), Permit)
    assert isinstance(gate.authorise(_request()), Waiting)


def test_the_operator_too_is_bound_by_table_and_settings(gate: Gate) -> None:
    """A disabled tool stays disabled, a forbidden cell forbidden, and nothing is minted."""
    assert isinstance(gate.authorise_operator(_request(rules(Cell.FORBIDDEN))), Deny)
    gate.set_disabled(WRITE, disabled=True)
    assert isinstance(gate.authorise_operator(_request()), Deny)
    assert gate.state().leases == ()


def test_settings_are_seen_before_the_arguments(gate: Gate) -> None:
    """A disabled tool is refused early; enabling it again helps."""
    read = rules(Cell.UNGATED, tool=READ)
    gate.set_disabled(READ, disabled=True)
    assert gate.check_early(read, origin=Origin.LOOP_RUN, scope=SCOPE, now_ms=NOW)
    gate.set_disabled(READ, disabled=False)
    assert gate.check_early(read, origin=Origin.LOOP_RUN, scope=SCOPE, now_ms=NOW) is None


def test_auto_approval_is_off_until_it_is_switched_on(gate: Gate) -> None:
    """The default asks."""
    assert isinstance(gate.authorise(_request()), Waiting)
    gate.set_auto_approve(auto_approve=True)
    assert isinstance(gate.authorise(_request()), Permit)


@pytest.mark.parametrize("cell", [None, Cell.FORBIDDEN, Cell.ASK_ALWAYS])
def test_a_grant_without_effect_is_refused(gate: Gate, cell: Cell | None) -> None:
    """A grant shown is a grant in force, so one that could never be is not kept."""
    with pytest.raises(AccessDenied):
        gate.grant(grant(), rules(cell), now_ms=NOW)
    assert gate.state().grants == ()


@pytest.mark.parametrize(
    ("cell", "origin"),
    [(Cell.UNGATED, Origin.LOOP_RUN), (Cell.CONSENT_SUFFICIENT, Origin.PRODUCT)],
)
def test_a_tool_that_runs_anyway_needs_no_grant(gate: Gate, cell: Cell, origin: Origin) -> None:
    """The error says so plainly, and no grant is kept that would do nothing."""
    free = rules(cell, tool=READ, origin=origin)
    with pytest.raises(InvalidArguments, match="needs no grant") as told:
        gate.grant(grant(tool=READ, origin=origin), free, now_ms=NOW)
    assert told.value.code == "no-grant-needed"
    assert gate.state().grants == ()


def test_only_grants_in_force_are_shown(gate: Gate) -> None:
    """Expired, used up or suspended by a setting: not shown, and the call agrees."""
    by_tool = {WRITE: rules()}
    gate.grant(grant(expires_ms=NOW + 10), rules(), now_ms=NOW)
    assert len(gate.grants(by_tool, now_ms=NOW)) == 1
    assert gate.grants(by_tool, now_ms=NOW + 10) == ()

    gate.set_ask_each_time(WRITE, ask=True)
    assert gate.grants(by_tool, now_ms=NOW) == ()
    assert isinstance(gate.authorise(_request()), Waiting)


def test_nobody_named_star_is_granted_everything() -> None:
    """An id that equals the wildcard cannot be granted exactly."""
    with pytest.raises(InvalidScope):
        Grant.exactly(
            tool=WRITE,
            scope=Scope(tenant="*", user="alice"),
            origin=Origin.LOOP_RUN,
            effects=rules().effects,
        )


def test_a_pattern_matches_what_it_says(gate: Gate) -> None:
    """A star is any value, an absent axis an absent one only."""
    pattern = Grant(tool=WRITE, tenant="acme", user="*", project="*", effects=rules().effects)
    gate.grant(pattern, rules(), now_ms=NOW)
    bob = Scope(tenant="acme", user="bob", project="p9")

    assert isinstance(gate.authorise(_request(scope=bob)), Permit)
    for other in (
        Scope(tenant="evil", user="bob", project="p9"),
        Scope(tenant="acme", user="bob", project="p9", agent="a"),
    ):
        assert isinstance(gate.authorise(_request(scope=other)), Waiting)


def test_a_declined_request_is_forgotten(gate: Gate) -> None:
    """It can be approved no more, and the same call asks under another id."""
    first = _request_id(gate, _request())
    assert gate.decline(first, now_ms=NOW).id == first
    assert gate.pending(now_ms=NOW) == ()
    with pytest.raises(InvalidArguments):
        gate.approve(first, Once(), now_ms=NOW)
    with pytest.raises(InvalidArguments):
        gate.decline(first, now_ms=NOW)
    assert _request_id(gate, _request()) != first


def test_a_request_says_which_document_it_is_about(gate: Gate, tmp_path: Path) -> None:
    """Cut short, since a model chose it; a file from before that is read all the same."""
    _request_id(gate, replace(_request(), target="notes/" + "a" * 1_000))
    (waiting,) = gate.pending(now_ms=NOW)
    assert waiting.target == ("notes/" + "a" * 1_000)[:MOST_OF_TARGET]

    file = tmp_path / "host" / "gate" / "gate.json"
    stored = json.loads(file.read_text())
    for later in ("target", "change", "text_bytes"):
        del stored["pending"][0][later]
    file.write_text(json.dumps(stored))
    (waiting,) = gate.pending(now_ms=NOW)
    assert (waiting.target, waiting.change, waiting.text_bytes) == (None, None, None)
