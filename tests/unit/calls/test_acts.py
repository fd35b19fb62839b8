"""The gated block for acts of a model that are no tool of the contract."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, log_of, native_package, wired
from tests.unit.calls.scripted_host import ScriptedHost

from ironclaw_memory.calls import Wiring
from ironclaw_memory.capability.pending import Once
from ironclaw_memory.capability.records import Kind, Outcome
from ironclaw_memory.errors import (
    AccessDenied,
    ApprovalRequired,
    AuditUnavailable,
    InvalidArguments,
    OperationFailed,
    RootUnusable,
    ScopeBusy,
    UndeclaredTool,
)
from ironclaw_memory.model import Origin, Scope


SCOPE = Scope(tenant="acme", user="alice")
WRITE = "ironclaw.memory.write"
ACT = {"delete": "notes/tea.md"}


@pytest.fixture
def wiring(tmp_path: Path) -> Wiring:
    """An open host on an empty root."""
    return wired(tmp_path, ScriptedGuest(), package=native_package())


@pytest.fixture
def host(wiring: Wiring) -> ScriptedHost:
    """The host on it."""
    return ScriptedHost(wiring)


def act(host: ScriptedHost, done: list[Any], what: dict[str, str] = ACT) -> None:
    """Do something in a block, and note that it was done."""
    with host.permitted(WRITE, what, scope=SCOPE, origin=Origin.LOOP_RUN):
        done.append(what)


def test_without_a_grant_the_block_is_not_entered(host: ScriptedHost) -> None:
    """The request waits, like a call's."""
    done: list[Any] = []
    with pytest.raises(ApprovalRequired):
        act(host, done)
    assert done == []
    assert len(host.pending()) == 1


def test_an_approval_is_for_exactly_that_act(host: ScriptedHost) -> None:
    """Another one asks again."""
    done: list[Any] = []
    with pytest.raises(ApprovalRequired) as asked:
        act(host, done)
    host.approve(asked.value.request_id, Once())
    with pytest.raises(ApprovalRequired):
        act(host, done, {"delete": "notes/jam.md"})
    act(host, done)
    with pytest.raises(ApprovalRequired):
        act(host, done)
    assert done == [ACT]


def test_the_decision_is_recorded_before_the_act_and_its_end_after(
    host: ScriptedHost, wiring: Wiring
) -> None:
    """A failed act says so."""
    host.grant(WRITE, scope=SCOPE)
    seen: list[Any] = []
    with host.permitted(WRITE, ACT, scope=SCOPE, origin=Origin.LOOP_RUN):
        seen += [entry.outcome for entry in log_of(wiring) if entry.kind is Kind.DECISION]
    assert seen == [Outcome.ALLOWED]
    gate = host.permitted(WRITE, ACT, scope=SCOPE, origin=Origin.LOOP_RUN)
    with pytest.raises(OperationFailed), gate:
        raise OperationFailed("no", code="conflict")
    ends = [(e.outcome, e.fields.get("reason")) for e in log_of(wiring) if e.kind is Kind.CALL]
    assert ends == [(Outcome.SUCCEEDED, None), (Outcome.FAILED, "conflict")]


def test_a_use_is_given_back_only_if_nothing_ran(host: ScriptedHost) -> None:
    """A busy scope cost nothing; whatever else failed, something may have been stored."""
    spending = (OperationFailed("no"), InvalidArguments("no"), AuditUnavailable("no"))
    for problem, left in ((ScopeBusy("busy"), 1), *((problem, 0) for problem in spending)):
        grant = host.grant(WRITE, scope=SCOPE, uses=1)
        gate = host.permitted(WRITE, ACT, scope=SCOPE, origin=Origin.LOOP_RUN)
        with pytest.raises(type(problem)), gate:
            raise problem
        assert sum(grant.uses_left or 0 for grant in host.grants()) == left
        if left:
            host.revoke(grant.id)


def test_a_snapshot_that_fails_costs_no_use(tmp_path: Path) -> None:
    """The block is not entered."""

    def fail(scope: Scope) -> None:
        raise RootUnusable("no room")

    wiring = replace(wired(tmp_path, ScriptedGuest(), package=native_package()), before_write=fail)
    host = ScriptedHost(wiring)
    host.grant(WRITE, scope=SCOPE, uses=1)
    with pytest.raises(RootUnusable):
        act(host, [])
    assert [grant.uses_left for grant in host.grants()] == [1]


def test_a_scope_that_is_busy_halfway_does_not_give_the_act_back(wiring: Wiring) -> None:
    """A directory is deleted document by document, and the first is gone."""
    guest, host = wiring.runner, ScriptedHost(wiring)
    assert isinstance(guest, ScriptedGuest)
    gone = {"path": "a.md", "size": 0, "kept_as": None}
    guest.answers["delete"] = [gone, ScopeBusy("busy"), ScopeBusy("busy")]
    for documents, left in ((2, 0), (1, 1)):
        host.grant(WRITE, scope=SCOPE, uses=1)
        gate = host.permitted(WRITE, ACT, scope=SCOPE, origin=Origin.LOOP_RUN)
        with pytest.raises(ScopeBusy), gate:
            _delete(host, documents)
        assert sum(grant.uses_left or 0 for grant in host.grants()) == left


def _delete(host: ScriptedHost, documents: int) -> None:
    for _ in range(documents):
        host.delete(SCOPE, "a.md")


@pytest.mark.parametrize("origin", [Origin.PRODUCT, Origin.AUTOMATION, None])
def test_another_origin_is_denied(host: ScriptedHost, origin: Origin | None) -> None:
    """The table is that of the tool."""
    gate = host.permitted(WRITE, ACT, scope=SCOPE, origin=origin)
    with pytest.raises(AccessDenied), gate:
        pytest.fail("entered")


def test_asking_leaves_no_trace(host: ScriptedHost, wiring: Wiring) -> None:
    """Nothing waits and nothing is recorded."""
    with pytest.raises(ApprovalRequired):
        host.require(WRITE, scope=SCOPE, origin=Origin.LOOP_RUN)
    host.require("ironclaw.memory.read", scope=SCOPE, origin=Origin.LOOP_RUN)
    assert host.pending() == ()
    assert log_of(wiring) == []


def test_asking_counts_grants_that_would_come_along(host: ScriptedHost) -> None:
    """As a call would."""
    grant = host.grant(WRITE, scope=SCOPE)
    host.revoke(grant.id)
    with pytest.raises(ApprovalRequired):
        host.require(WRITE, scope=SCOPE, origin=Origin.LOOP_RUN)
    host.require(WRITE, scope=SCOPE, origin=Origin.LOOP_RUN, grants=[grant])


def test_an_unknown_tool_is_undeclared(host: ScriptedHost) -> None:
    """There is no table to ask."""
    with pytest.raises(UndeclaredTool):
        host.require("ironclaw.memory.erase", scope=SCOPE, origin=Origin.LOOP_RUN)
