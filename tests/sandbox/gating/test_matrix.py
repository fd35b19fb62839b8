"""Origin by tool by grant by effect, end to end: what the gate says is what happens to documents."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.sandbox.gating.conftest import Clock

from ironclaw_memory import Effect, Grant, MemoryHost, Origin, Scope
from ironclaw_memory.errors import AccessDenied, ApprovalRequired, IronclawMemoryError


pytestmark = pytest.mark.sandbox

PREFIX = "ironclaw.memory."
READS = frozenset({Effect.DISPATCH_CAPABILITY, Effect.READ_FILESYSTEM})
WRITES = READS | {Effect.WRITE_FILESYSTEM}

CALLS: dict[str, dict[str, object]] = {
    "read": {"path": "MEMORY.md"},
    "search": {"query": "tea"},
    "tree": {},
    "profile_set": {"locale": "de"},
    "write": {"target": "notes/new.md", "content": "coffee"},
}
ORIGINS = (None, *Origin)

Given = Callable[[Grant, Clock], list[Grant]]

ALLOWING: dict[str, Given] = {
    "exact": lambda grant, clock: [grant],
    "any-tenant": lambda grant, clock: [replace(grant, tenant="*")],
    "any-user": lambda grant, clock: [replace(grant, user="*")],
    "any-agent-and-project": lambda grant, clock: [replace(grant, agent="*", project="*")],
    "not-yet-expired": lambda grant, clock: [replace(grant, expires_ms=clock.now + 1)],
    "one-use-left": lambda grant, clock: [replace(grant, uses_left=1)],
    "behind-one-that-does-not-help": lambda grant, clock: [replace(grant, user="eve"), grant],
}
REFUSING: dict[str, Given] = {
    "none": lambda grant, clock: [],
    "another-tool": lambda grant, clock: [replace(grant, tool=f"{PREFIX}other")],
    "any-tool": lambda grant, clock: [replace(grant, tool="*")],
    "another-tenant": lambda grant, clock: [replace(grant, tenant="eve")],
    "another-user": lambda grant, clock: [replace(grant, user="eve")],
    "an-agent": lambda grant, clock: [replace(grant, agent="planner")],
    "a-project": lambda grant, clock: [replace(grant, project="payroll")],
    "another-origin": lambda grant, clock: [
        replace(grant, origin=origin) for origin in Origin if origin is not grant.origin
    ],
    "no-effects": lambda grant, clock: [replace(grant, effects=frozenset())],
    "the-effects-of-reading": lambda grant, clock: [replace(grant, effects=READS)],
    "expired-now": lambda grant, clock: [replace(grant, expires_ms=clock.now)],
    "used-up": lambda grant, clock: [replace(grant, uses_left=0)],
    "halves-that-do-not-add-up": lambda grant, clock: [
        replace(grant, effects=READS),
        replace(grant, effects=WRITES - READS),
    ],
}
GIVEN = {**ALLOWING, **REFUSING}


def expected(origin: Origin | None, tool: str, given: str) -> str:
    """Return the verdict of design.md section 7: one line for each of its rules."""
    if origin is None:
        return "no-origin"
    if origin is not Origin.LOOP_RUN:
        return "forbidden"
    if tool != "write":
        return "allowed"
    return "allowed" if given in ALLOWING else "approval-required"


@pytest.mark.parametrize(
    ("origin", "tool", "given"),
    list(itertools.product(ORIGINS, CALLS, GIVEN)),
    ids=lambda value: value.value if isinstance(value, Origin) else str(value),
)
def test_the_verdict_is_the_tables_and_the_documents_follow_it(
    origin: Origin | None, tool: str, given: str, host: MemoryHost, clock: Clock
) -> None:
    """A refused call leaves no trace among the documents, an allowed one does its work."""
    scope = Scope(tenant=f"{origin and origin.value}-{tool}-{given}", user="alice")
    host.call_as_operator(f"{PREFIX}write", {"target": "memory", "content": "tea"}, scope=scope)
    before = dict(host.documents(scope))
    grant = Grant.exactly(
        tool=PREFIX + tool, scope=scope, origin=origin or Origin.LOOP_RUN, effects=WRITES
    )

    verdict, remedy = "allowed", "none needed"
    try:
        host.call(
            PREFIX + tool,
            CALLS[tool],
            scope=scope,
            origin=origin,
            grants=GIVEN[given](grant, clock),
        )
    except (AccessDenied, ApprovalRequired) as refused:
        verdict, remedy = refused.code, refused.hint

    assert remedy
    assert verdict == expected(origin, tool, given)
    new = {path for path, stamp in host.documents(scope).items() if before.get(path) != stamp}
    written = {"write": {"notes/new.md"}, "profile_set": {"context/profile.json"}}
    assert new == (written.get(tool, set()) if verdict == "allowed" else set())


@pytest.mark.parametrize("origin", [Origin.PRODUCT, Origin.AUTOMATION])
@pytest.mark.parametrize("tool", CALLS)
def test_no_standing_grant_can_be_kept_for_a_forbidden_cell(
    origin: Origin, tool: str, host: MemoryHost
) -> None:
    """It would be shown and not be in force."""
    scope = Scope(tenant="forbidden", user=f"{origin.value}-{tool}")
    with pytest.raises(AccessDenied) as caught:
        host.grant(PREFIX + tool, scope=scope, origin=origin)

    assert caught.value.code == "forbidden"
    assert not any(grant.user == scope.user for grant in host.grants())


def test_a_refused_call_looks_at_no_argument(host: MemoryHost) -> None:
    """The table answers first: a forbidden origin learns nothing from its arguments."""
    scope = Scope(tenant="early", user="alice")
    for arguments in ({}, {"target": 7}, {"content": "x" * 3_000_000}):
        with pytest.raises(IronclawMemoryError) as caught:
            host.call(f"{PREFIX}write", arguments, scope=scope, origin=Origin.PRODUCT)
        assert caught.value.code == "forbidden"
