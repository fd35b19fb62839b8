"""Grants, approvals and leases through real calls: what is shown is what holds."""

from dataclasses import replace

import pytest
from tests.sandbox.gating.conftest import Clock

from ironclaw_memory import MemoryHost, Origin, Scope
from ironclaw_memory.capability.pending import Always, ForMs, Once
from ironclaw_memory.errors import AccessDenied, ApprovalRequired, InvalidArguments, OperationFailed


pytestmark = pytest.mark.sandbox

WRITE = "ironclaw.memory.write"
READ = "ironclaw.memory.read"
HOUR = 60 * 60 * 1000


def _line(content: str, **more: object) -> dict[str, object]:
    return {"target": "memory", "content": content, **more}


def _write(host: MemoryHost, scope: Scope, content: str = "tea") -> bool:
    """Write as a model would; say whether it was allowed."""
    try:
        host.call(WRITE, _line(content), scope=scope, origin=Origin.LOOP_RUN)
    except ApprovalRequired:
        return False
    return True


def _asked(host: MemoryHost, scope: Scope, content: str = "tea") -> str:
    """Write without a grant and return the id of the request."""
    with pytest.raises(ApprovalRequired) as caught:
        host.call(WRITE, _line(content), scope=scope, origin=Origin.LOOP_RUN)
    return caught.value.request_id


def _lines(host: MemoryHost, scope: Scope) -> int:
    output = host.call(READ, {"path": "MEMORY.md"}, scope=scope, origin=Origin.LOOP_RUN)
    assert isinstance(output, dict)
    return int(output["content"].count("\n"))


def test_every_grant_that_is_shown_is_in_force(host: MemoryHost, clock: Clock) -> None:
    """For good, for a time and for some uses: each lets a call through, also of a second host."""
    scopes = [Scope(tenant="shown", user=name) for name in ("good", "time", "uses")]
    host.grant(WRITE, scope=scopes[0])
    host.grant(WRITE, scope=scopes[1], for_ms=HOUR)
    host.grant(WRITE, scope=scopes[2], uses=2)

    shown = [grant for grant in host.grants() if grant.tenant == "shown"]
    assert [grant.user for grant in shown] == ["good", "time", "uses"]
    with MemoryHost.open(root=host._opened.root) as other:
        for grant in shown:
            assert _write(other, Scope(tenant="shown", user=grant.user))


def test_a_grant_that_is_not_in_force_any_more_is_not_shown(host: MemoryHost, clock: Clock) -> None:
    """Expired or used up, it neither shows nor allows."""
    timed, counted = Scope(tenant="gone", user="time"), Scope(tenant="gone", user="uses")
    host.grant(WRITE, scope=timed, for_ms=HOUR)
    host.grant(WRITE, scope=counted, uses=1)
    assert _write(host, counted)
    clock.now += HOUR

    assert not [grant for grant in host.grants() if grant.tenant == "gone"]
    assert not _write(host, timed)
    assert not _write(host, counted)


def test_a_grant_is_for_its_scope_alone(host: MemoryHost) -> None:
    """Not for another user, an agent or a project of the same user."""
    scope = Scope(tenant="alone", user="alice")
    host.grant(WRITE, scope=scope)

    assert _write(host, scope)
    assert _write(host, replace(scope, thread="t1"))
    for other in ({"user": "bob"}, {"tenant": "other"}, {"agent": "a"}, {"project": "p"}):
        assert not _write(host, replace(scope, **other))


def test_approving_once_is_for_that_very_call(host: MemoryHost) -> None:
    """Other arguments, another scope and a second time all ask again."""
    scope = Scope(tenant="once", user="alice")
    host.approve(_asked(host, scope, "tea"), Once())

    assert not _write(host, scope, "coffee")
    assert not _write(host, replace(scope, user="bob"), "tea")
    assert _write(host, scope, "tea")
    assert not _write(host, scope, "tea")
    assert _lines(host, scope) == 1


def test_an_approval_is_bound_to_what_the_provider_sees(host: MemoryHost) -> None:
    """Two spellings of one call are one call; a call that says more is another one."""
    scope = Scope(tenant="canonical", user="alice")
    host.approve(_asked(host, scope, "tea"), Once())
    more = _line("tea", append=False)
    with pytest.raises(ApprovalRequired):
        host.call(WRITE, more, scope=scope, origin=Origin.LOOP_RUN)

    same = _line("tea", append=True, metadata=None)
    host.call(WRITE, same, scope=scope, origin=Origin.LOOP_RUN)
    assert _lines(host, scope) == 1


def test_a_lease_is_kept_for_a_call_that_did_not_run(host: MemoryHost) -> None:
    """A write that the provider refuses has run; one that the host refuses has not."""
    scope = Scope(tenant="kept", user="alice")
    patch = {"target": "memory", "old_string": "coffee", "new_string": "tea"}
    with pytest.raises(ApprovalRequired) as caught:
        host.call(WRITE, patch, scope=scope, origin=Origin.LOOP_RUN)
    host.approve(caught.value.request_id, Once())
    with pytest.raises(OperationFailed):  # there is no document to patch
        host.call(WRITE, patch, scope=scope, origin=Origin.LOOP_RUN)
    with pytest.raises(ApprovalRequired):
        host.call(WRITE, patch, scope=scope, origin=Origin.LOOP_RUN)


def test_approving_for_a_time_is_for_calls_like_it(host: MemoryHost, clock: Clock) -> None:
    """Any arguments in that scope, until the time is over."""
    scope = Scope(tenant="while", user="alice")
    host.approve(_asked(host, scope), ForMs(duration_ms=HOUR))

    assert _write(host, scope, "coffee")
    assert not _write(host, replace(scope, project="p"))
    clock.now += HOUR
    assert not _write(host, scope)


def test_approving_always_holds_until_it_is_revoked(host: MemoryHost, clock: Clock) -> None:
    """By the id that approving returned."""
    scope = Scope(tenant="always", user="alice")
    kept = host.approve(_asked(host, scope), Always())
    clock.now += 1_000 * HOUR
    assert _write(host, scope, "coffee")

    assert host.revoke(kept.id) == (kept.id,)
    assert not _write(host, scope, "coffee")


def test_a_request_is_approved_once_only(host: MemoryHost) -> None:
    """Approved, it no longer waits; an invented one never did."""
    scope = Scope(tenant="answered", user="alice")
    request = _asked(host, scope)
    assert request in {waiting.id for waiting in host.pending()}
    host.approve(request, Once())

    assert request not in {waiting.id for waiting in host.pending()}
    for unknown in (request, "request-000000000000", ""):
        with pytest.raises(InvalidArguments):
            host.approve(unknown, Always())


def test_revoking_a_tool_takes_leases_too(host: MemoryHost) -> None:
    """What was approved and not yet used is taken back as well."""
    scope = Scope(tenant="revoked", user="alice")
    host.approve(_asked(host, scope), Once())
    host.revoke(WRITE)

    assert not _write(host, scope)


def test_a_tool_revoked_in_one_scope_stays_approved_in_another(host: MemoryHost) -> None:
    """Neither grants nor leases of somebody else are taken back."""
    ann, bob = (Scope(tenant="apart", user=user) for user in ("ann", "bob"))
    lease = host.approve(_asked(host, bob), Once())
    ours = host.grant(WRITE, scope=ann)
    theirs = host.grant(WRITE, scope=bob)
    assert host.revoke(WRITE, scope=ann) == (ours.id,)
    assert set(host.revoke(WRITE, scope=bob)) == {theirs.id, lease.id}


def test_settings_of_the_operator_come_before_grants(host: MemoryHost) -> None:
    """Disabled denies, asking each time asks, auto-approval allows what only a grant is missing for."""
    scope = Scope(tenant="settings", user="alice")
    host.grant(WRITE, scope=scope)
    host.set_disabled(WRITE, disabled=True)
    with pytest.raises(AccessDenied):
        _write(host, scope)
    with pytest.raises(AccessDenied):
        host.call_as_operator(WRITE, {"content": "tea"}, scope=scope)
    host.set_disabled(WRITE, disabled=False)

    host.set_ask_each_time(WRITE, ask=True)
    assert not _write(host, scope)
    host.approve(_asked(host, scope), Once())
    assert _write(host, scope)
    host.set_ask_each_time(WRITE, ask=False)

    other = replace(scope, user="bob")
    host.set_auto_approve(auto_approve=True)
    assert _write(host, other)
    host.set_auto_approve(auto_approve=False)
    assert not _write(host, other)
