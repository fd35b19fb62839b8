"""What happens between a permitted write and the guest's writable mount."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, native_package, wired

from ironclaw_memory.calls import run
from ironclaw_memory.errors import ApprovalRequired, RootUnusable
from ironclaw_memory.model import Grant, Invocation, Origin, Scope


SCOPE = Scope(tenant="acme", user="alice", agent="a", project="p")
PACKAGE = native_package()
GRANT = Grant(
    tool="ironclaw.memory.write",
    tenant="acme",
    user="alice",
    agent="a",
    project="p",
    effects=frozenset(next(t for t in PACKAGE.manifest.tools if t.name == "write").effects),
)
CALLS: dict[str, dict[str, object]] = {
    "write": {"target": "memory", "content": "tea"},
    "profile_set": {"locale": "de"},
    "read": {"path": "MEMORY.md"},
    "search": {"query": "tea"},
    "tree": {},
}


def _invocation(name: str, *, grants: tuple[Grant, ...] = (GRANT,)) -> Invocation:
    return Invocation(
        tool_id=f"ironclaw.memory.{name}",
        arguments=CALLS[name],
        scope=SCOPE,
        origin=Origin.LOOP_RUN,
        grants=grants,
    )


@pytest.mark.parametrize(
    ("name", "reached"),
    [
        ("write", [SCOPE]),
        ("profile_set", [SCOPE.user_level()]),
        ("read", []),
        ("search", []),
        ("tree", []),
    ],
)
def test_the_snapshot_is_of_the_scope_that_the_write_reaches(
    tmp_path: Path, name: str, reached: list[Scope]
) -> None:
    """A profile lies with the user, documents with the scope; reads need none."""
    taken: list[Scope] = []
    wiring = replace(wired(tmp_path, ScriptedGuest(), package=PACKAGE), before_write=taken.append)
    run(wiring, _invocation(name))
    assert taken == reached


def test_a_write_that_waits_for_approval_takes_no_snapshot(tmp_path: Path) -> None:
    """Asking costs nothing."""
    taken: list[Scope] = []
    wiring = replace(wired(tmp_path, ScriptedGuest(), package=PACKAGE), before_write=taken.append)
    with pytest.raises(ApprovalRequired):
        run(wiring, _invocation("write", grants=()))
    assert taken == []


def test_a_snapshot_that_fails_stops_the_write(tmp_path: Path) -> None:
    """The guest is not reached."""
    guest = ScriptedGuest()

    def fail(scope: Scope) -> None:
        raise RootUnusable("no room")

    wiring = replace(wired(tmp_path, guest, package=PACKAGE), before_write=fail)
    with pytest.raises(RootUnusable):
        run(wiring, _invocation("write"))
    assert guest.calls == []
