"""The steps of a tool call, in their order, with the guest scripted."""

import dataclasses
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, log_of, wired

from ironclaw_memory.calls import SecretPolicy, Wiring, run
from ironclaw_memory.capability.pending import Once
from ironclaw_memory.capability.records import Kind, Outcome
from ironclaw_memory.declared import Package
from ironclaw_memory.errors import (
    AccessDenied,
    ApprovalRequired,
    AuditUnavailable,
    HostFault,
    InvalidArguments,
    InvalidOutput,
    LimitExceeded,
    OperationFailed,
    ProviderError,
    ProviderTrapped,
    ProviderUnavailable,
    ScopeBusy,
    UndeclaredTool,
)
from ironclaw_memory.model import Access, Failure, Grant, Invocation, Origin, Scope
from ironclaw_memory.scopes import directory_of


SCOPE = Scope(tenant="acme", user="alice")
WRITE = "ironclaw.memory.write"
READ = "ironclaw.memory.read"
SEARCH = "ironclaw.memory.search"


@pytest.fixture
def guest() -> ScriptedGuest:
    """A guest that answers everything well."""
    return ScriptedGuest()


@pytest.fixture
def wiring(tmp_path: Path, guest: ScriptedGuest, package: Package) -> Wiring:
    """An open host on an empty root."""
    return wired(tmp_path, guest, package=package)


def call(
    tool: str,
    origin: Origin | None = Origin.LOOP_RUN,
    grants: tuple[Grant, ...] = (),
    **arguments: object,
) -> Invocation:
    """Return an invocation."""
    return Invocation(tool_id=tool, arguments=arguments, scope=SCOPE, origin=origin, grants=grants)


def allowing(wiring: Wiring, tool: str = WRITE) -> Grant:
    """Return a grant for the scope of these tests."""
    effects = wiring.effective.tools[tool].effects
    return Grant(tool=tool, tenant="acme", user="alice", effects=effects)


def test_a_read_is_run_on_a_read_only_mount(wiring: Wiring, guest: ScriptedGuest) -> None:
    """The effects decide the access, not the tool's name."""
    assert run(wiring, call(READ, path="a.md")) == {
        "path": "a.md",
        "content": "text",
        "word_count": 1,
    }
    assert guest.calls[-1].access is Access.READ


def test_an_undeclared_tool_is_refused_before_anything_else(
    wiring: Wiring, guest: ScriptedGuest
) -> None:
    """Step 1."""
    with pytest.raises(UndeclaredTool):
        run(wiring, call("ironclaw.memory.delete"))
    assert guest.calls == []


@pytest.mark.parametrize("origin", [None, Origin.PRODUCT, Origin.AUTOMATION])
def test_the_table_refuses_before_arguments_are_looked_at(
    wiring: Wiring, guest: ScriptedGuest, origin: Origin | None
) -> None:
    """Step 2: the arguments are nonsense and it does not matter."""
    with pytest.raises(AccessDenied) as caught:
        run(wiring, call(READ, origin, nonsense=[1]))
    assert caught.value.hint
    assert guest.calls == []


def test_bad_arguments_are_refused_before_the_guest_runs(
    wiring: Wiring, guest: ScriptedGuest
) -> None:
    """Step 3."""
    with pytest.raises(InvalidArguments):
        run(wiring, call(READ, path=7))
    assert guest.calls == []


def test_a_write_without_a_grant_waits_for_approval(wiring: Wiring, guest: ScriptedGuest) -> None:
    """Step 4: the error names the request and the command that grants it."""
    with pytest.raises(ApprovalRequired) as caught:
        run(wiring, call(WRITE, target="memory", content="x"))
    assert caught.value.request_id in caught.value.hint
    assert guest.calls == []


def test_a_grant_that_came_with_the_call_allows_it(wiring: Wiring, guest: ScriptedGuest) -> None:
    """And the mount is writable."""
    grants = (allowing(wiring),)
    run(wiring, call(WRITE, grants=grants, target="memory", content="x"))
    assert guest.calls[-1].access is Access.WRITE


def test_the_operators_own_act_needs_no_grant_and_is_in_the_log(wiring: Wiring) -> None:
    """It mints a lease for exactly this call and uses it up."""
    run(wiring, call(WRITE, target="memory", content="x"), operator=True)
    decision = next(entry for entry in log_of(wiring) if entry.kind is Kind.DECISION)
    assert decision.fields["by_operator"] is True
    with pytest.raises(ApprovalRequired):
        run(wiring, call(WRITE, target="memory", content="x"))


def test_the_log_says_how_large_the_arguments_were_and_not_what(wiring: Wiring) -> None:
    """A decision that was reached without looking at them has no size."""
    run(wiring, call(WRITE, target="memory", content="tea" * 100), operator=True)
    with pytest.raises(AccessDenied):
        run(wiring, call(WRITE, Origin.PRODUCT, target="memory", content="tea"))
    allowed, denied = (entry for entry in log_of(wiring) if entry.kind is Kind.DECISION)

    around = '{"append":true,"content":"","replace_all":false,"target":"memory"}'
    assert allowed.fields["argument_bytes"] == 300 + len(around)
    assert "argument_bytes" not in denied.fields
    assert b"tea" not in (wiring.store.root / "host" / "audit.jsonl").read_bytes()


def test_the_operator_cannot_do_what_the_table_forbids(wiring: Wiring) -> None:
    """No act approves a forbidden cell."""
    with pytest.raises(AccessDenied):
        run(wiring, call(WRITE, Origin.PRODUCT, target="memory", content="x"), operator=True)


def test_the_decision_about_a_write_is_on_disk_before_the_guest_runs(
    wiring: Wiring, guest: ScriptedGuest
) -> None:
    """The log is read in the middle of the call."""
    seen: list[bool] = []
    path = wiring.store.root / "host" / "audit.jsonl"
    guest.during = lambda _: seen.append(b'"decision"' in path.read_bytes())
    run(wiring, call(WRITE, target="memory", content="x"), operator=True)
    assert seen == [True]


def test_a_write_that_cannot_be_recorded_is_refused_and_its_grant_is_given_back(
    wiring: Wiring, guest: ScriptedGuest
) -> None:
    """An unrecorded decision is no decision."""
    wiring.gate.create()
    stored = wiring.gate.grant(
        dataclasses.replace(allowing(wiring), uses_left=1), wiring.effective.tools[WRITE], now_ms=0
    )
    (wiring.store.root / "host" / "audit.jsonl").mkdir()
    with pytest.raises(AuditUnavailable):
        run(wiring, call(WRITE, target="memory", content="x"))
    assert guest.calls == []
    assert wiring.gate.grants(wiring.effective.tools, now_ms=0) == (stored,)


def test_a_read_goes_on_while_the_log_cannot_be_written(wiring: Wiring) -> None:
    """Decisions about reads wait in memory."""
    (wiring.store.root / "host").mkdir()
    (wiring.store.root / "host" / "audit.jsonl").mkdir()
    run(wiring, call(READ, path="a.md"))


def test_a_counted_grant_is_spent_by_a_call_that_ran(wiring: Wiring) -> None:
    """One use, one call."""
    rules = wiring.effective.tools[WRITE]
    wiring.gate.grant(dataclasses.replace(allowing(wiring), uses_left=1), rules, now_ms=0)
    run(wiring, call(WRITE, target="memory", content="x"))
    with pytest.raises(ApprovalRequired):
        run(wiring, call(WRITE, target="memory", content="y"))


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        (Failure(kind="input", code="no-match"), 0),
        (OperationFailed("no"), 0),
        (ProviderTrapped("no"), 0),
        (AuditUnavailable("no"), 0),
        (HostFault("no"), 0),
        (ScopeBusy("no"), 1),
    ],
)
def test_a_counted_grant_comes_back_only_if_the_guest_was_not_entered(
    wiring: Wiring, guest: ScriptedGuest, answer: Failure | Exception, left: int
) -> None:
    """A guest that says that the request was wrong may have stored it all the same."""
    rules = wiring.effective.tools[WRITE]
    wiring.gate.grant(dataclasses.replace(allowing(wiring), uses_left=1), rules, now_ms=0)
    guest.answers["write"] = answer
    with pytest.raises((InvalidArguments, ProviderError, HostFault)):
        run(wiring, call(WRITE, target="memory", content="x"))
    assert len(wiring.gate.grants(wiring.effective.tools, now_ms=0)) == left


def test_a_provider_cannot_have_an_approved_call_made_twice(
    wiring: Wiring, guest: ScriptedGuest
) -> None:
    """It stores the text and says that the argument was bad."""
    guest.answers["write"] = Failure(kind="input", code="content-invalid", field_name="content")
    with pytest.raises(ApprovalRequired) as asked:
        run(wiring, call(WRITE, target="memory", content="x"))
    wiring.gate.approve(asked.value.request_id, Once(), now_ms=1_000)
    with pytest.raises(InvalidArguments):
        run(wiring, call(WRITE, target="memory", content="x"))
    with pytest.raises(ApprovalRequired):
        run(wiring, call(WRITE, target="memory", content="x"))
    assert guest.asked() == ["write"]


@pytest.mark.parametrize(
    ("answers", "left"),
    [
        ({"refresh": Failure(kind="unavailable", code="storage-failed")}, 1),
        ({"search": [Failure(kind="operation", code="index-stale"), ScopeBusy("no")]}, 0),
    ],
)
def test_bringing_the_index_in_step_is_not_what_a_use_is_for(
    wiring: Wiring, guest: ScriptedGuest, answers: dict[str, Any], left: int
) -> None:
    """Before the search it costs nothing; after one that was stale the use is spent."""
    wiring.store.root.joinpath(*directory_of(SCOPE)).mkdir(parents=True)
    wiring.store.root.joinpath(*directory_of(SCOPE), "a.md").write_text("tea")
    wiring.gate.set_ask_each_time(SEARCH, ask=True)
    with pytest.raises(ApprovalRequired) as asked:
        run(wiring, call(SEARCH, query="tea"))
    wiring.gate.approve(asked.value.request_id, Once(), now_ms=1_000)
    guest.answers.update(answers)
    with pytest.raises((ProviderUnavailable, ScopeBusy)):
        run(wiring, call(SEARCH, query="tea"))

    guest.answers.update({"refresh": {"indexed": 0, "removed": 0, "remaining": 0}})
    guest.answers["search"] = {"hits": []}
    with nullcontext() if left else pytest.raises(ApprovalRequired):
        run(wiring, call(SEARCH, query="tea"))


def test_what_comes_back_is_checked_against_our_schema(
    wiring: Wiring, guest: ScriptedGuest
) -> None:
    """Step 8."""
    guest.answers["read"] = {"path": "", "content": "x", "word_count": -1}
    with pytest.raises(InvalidOutput):
        run(wiring, call(READ, path="a.md"))


def test_a_crossed_limit_is_in_the_log_with_its_name(wiring: Wiring, guest: ScriptedGuest) -> None:
    """So that an operator sees which provider does it."""
    guest.answers["read"] = LimitExceeded("too slow", limit="deadline_ms")
    with pytest.raises(LimitExceeded):
        run(wiring, call(READ, path="a.md"))
    assert [e.fields["limit"] for e in log_of(wiring) if e.kind is Kind.LIMIT] == ["deadline_ms"]


def test_every_call_leaves_its_end_in_the_log(wiring: Wiring, guest: ScriptedGuest) -> None:
    """Succeeded and failed alike, and never a word of memory."""
    run(wiring, call(READ, path="a.md"))
    guest.answers["read"] = Failure(kind="input", code="document-missing", field_name="path")
    with pytest.raises(InvalidArguments):
        run(wiring, call(READ, path="private-thoughts.md"))
    log = log_of(wiring)
    assert [e.outcome for e in log if e.kind is Kind.CALL] == [Outcome.SUCCEEDED, Outcome.FAILED]
    assert not any(
        "private" in str(entry.fields) or "text" in entry.fields.values() for entry in log
    )


def test_a_secret_never_reaches_the_provider(wiring: Wiring, guest: ScriptedGuest) -> None:
    """The default policy rejects and names the field, not the secret."""
    secret = "AKIA" + "IOSFODNN7" + "QWERTYU"
    with pytest.raises(InvalidArguments) as caught:
        run(wiring, call(WRITE, target="memory", content=f"key {secret}"), operator=True)
    assert (caught.value.field, caught.value.code) == ("content", "secret-detected")
    assert secret not in caught.value.message
    assert guest.calls == []
    assert [e.kind for e in log_of(wiring)] == [Kind.SECRET]


def test_a_secret_is_masked_where_the_policy_says_so(
    tmp_path: Path, guest: ScriptedGuest, package: Package
) -> None:
    """The rest of the text is stored."""
    wiring = wired(tmp_path, guest, package=package, secrets=SecretPolicy.REDACT)
    secret = "AKIA" + "IOSFODNN7" + "QWERTYU"
    run(wiring, call(WRITE, target="memory", content=f"key {secret} end"), operator=True)
    request = guest.calls[-1].arguments["request"]
    assert isinstance(request, dict)
    assert request["content"] == "key [REDACTED_SECRET] end"


def test_the_guest_gets_time_and_zone_from_the_host(wiring: Wiring, guest: ScriptedGuest) -> None:
    """Neither is an argument."""
    run(wiring, call(READ, path="a.md"))
    moment = guest.calls[-1].moment
    assert (moment.unix_ms, moment.zone) == (1_000, "Europe/Berlin")


def test_profile_set_runs_at_the_users_level(wiring: Wiring, guest: ScriptedGuest) -> None:
    """Agent and project do not split a person's profile."""
    scope = Scope(tenant="acme", user="alice", agent="coder", project="x")
    invocation = Invocation(
        tool_id="ironclaw.memory.profile_set",
        arguments={"locale": "de-DE"},
        scope=scope,
        origin=Origin.LOOP_RUN,
    )
    run(wiring, invocation)
    assert guest.calls[-1].scope == SCOPE
    assert guest.calls[-1].kind.value == "profile"


def test_two_scopes_never_share_a_grant(wiring: Wiring) -> None:
    """A grant names every axis of its scope."""
    grants = (allowing(wiring),)
    elsewhere = dataclasses.replace(
        call(WRITE, grants=grants, target="memory", content="x"),
        scope=Scope(tenant="acme", user="alice", project="other"),
    )
    with pytest.raises(ApprovalRequired):
        run(wiring, elsewhere)
