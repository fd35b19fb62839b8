"""A write that has no room is refused before anything runs, and costs no approval."""

from pathlib import Path

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, native_package, wired

from ironclaw_memory.calls import run, run_hook
from ironclaw_memory.calls.additions import addition
from ironclaw_memory.calls.wiring import Wiring
from ironclaw_memory.declared import Hook
from ironclaw_memory.errors import LimitExceeded
from ironclaw_memory.model import Grant, Invocation, Origin, Role, Scope
from ironclaw_memory.quota import Addition
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.sandbox.request import GuestCall
from ironclaw_memory.scopes import directory_of


SCOPE = Scope(tenant="acme", user="alice", thread="t1")
PACKAGE = native_package()
WRITE = "ironclaw.memory.write"
TURN = [{"role": Role.USER, "content": "Hello", "name": None}]


def _full(root: Path, guest: ScriptedGuest, *, scope_files: int = 1) -> Wiring:
    disk = root.joinpath(*directory_of(SCOPE))
    disk.mkdir(parents=True)
    (disk / "MEMORY.md").write_text("tea\n")
    return wired(root, guest, package=PACKAGE, limits=Limits(scope_files=scope_files))


def _call(tool: str, arguments: dict[str, object]) -> Invocation:
    return Invocation(tool_id=tool, arguments=arguments, scope=SCOPE, origin=Origin.LOOP_RUN)


def test_a_new_document_in_a_full_scope_is_refused_and_its_grant_not_used(tmp_path: Path) -> None:
    """The guest is not reached; what is there can still be changed and read."""
    guest = ScriptedGuest()
    wiring = _full(tmp_path, guest)
    rules = wiring.effective.tools[WRITE]
    wanted = Grant.exactly(
        tool=WRITE,
        scope=SCOPE,
        origin=Origin.LOOP_RUN,
        effects=rules.effects,
        expires_ms=None,
        uses_left=2,
    )
    wiring.gate.grant(wanted, rules, now_ms=1_000)

    with pytest.raises(LimitExceeded) as refused:
        run(wiring, _call(WRITE, {"target": "notes/a.md", "content": "x"}))
    assert refused.value.limit == "scope_files"
    assert guest.calls == []
    assert [grant.uses_left for grant in wiring.gate.state().grants] == [2]
    run(wiring, _call(WRITE, {"target": "memory", "content": "x"}))
    run(wiring, _call("ironclaw.memory.read", {"path": "MEMORY.md"}))
    assert guest.asked() == ["write", "read"]


def test_a_full_scope_keeps_no_transcript_and_no_first_profile(tmp_path: Path) -> None:
    """Whatever makes a document asks for room."""
    guest = ScriptedGuest()
    wiring = _full(tmp_path, guest)
    arguments = {"messages": TURN, "thread_id": "t1", "run_id": "r1"}

    with pytest.raises(LimitExceeded):
        run_hook(wiring, Hook.RECORD_INTERACTION, SCOPE, arguments)
    with pytest.raises(LimitExceeded):
        run(wiring, _call("ironclaw.memory.profile_set", {"locale": "de"}))
    assert guest.calls == []


@pytest.mark.parametrize("first", ["write", "record-interaction"])
def test_the_last_place_is_taken_while_a_write_runs(tmp_path: Path, first: str) -> None:
    """The guest has stored nothing yet; once it has failed to, the place is free again."""
    guest = ScriptedGuest()
    guest.answers["record-interaction"] = {"recorded": False}
    wiring = _full(tmp_path, guest, scope_files=2)
    refused: list[str] = []

    def write() -> None:
        run(wiring, _call(WRITE, {"target": "notes/a.md", "content": "x"}), operator=True)

    def meanwhile(call: GuestCall) -> None:
        if not refused:
            with pytest.raises(LimitExceeded) as error:
                write()
            refused.append(error.value.limit)

    guest.during = meanwhile
    if first == "write":
        run(wiring, _call(WRITE, {"target": "notes/b.md", "content": "x"}), operator=True)
    else:
        arguments = {"messages": TURN, "thread_id": "t1", "run_id": "r1"}
        run_hook(wiring, Hook.RECORD_INTERACTION, SCOPE, arguments)
    assert refused == ["scope_files"]
    write()
    assert guest.asked() == [first, "write"]


def test_a_turn_that_is_not_kept_needs_no_room(tmp_path: Path) -> None:
    """Without a thread nothing is recorded, and that is no error in a full scope either."""
    guest = ScriptedGuest()
    guest.answers["record-interaction"] = {"recorded": False}
    arguments = {"messages": TURN, "thread_id": None, "run_id": "r1"}

    reply = run_hook(_full(tmp_path, guest), Hook.RECORD_INTERACTION, SCOPE, arguments)
    assert reply == {"recorded": False}


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (
            {"target": "memory", "content": "\u00e9", "append": True},
            Addition(size=2, path="MEMORY.md"),
        ),
        ({"target": "daily_log", "content": "x", "append": True}, Addition(size=1)),
        (
            {"target": "cafe\u0301.md", "content": "xyz", "append": False},
            Addition(size=3, path="caf\u00e9.md", replaces=True),
        ),
        (
            {
                "target": "a.md",
                "content": "",
                "append": True,
                "old_string": "ab",
                "new_string": "c",
            },
            Addition(size=-1, path="a.md"),
        ),
    ],
)
def test_what_a_write_may_add_is_told_from_its_request(
    request_: dict[str, object], expected: Addition
) -> None:
    """Bytes, not characters; the path that the target stands for, in form C."""
    assert addition("write", request_) == expected
