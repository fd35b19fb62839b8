"""Ordinary mistakes in Python end in our errors, which say what to write instead."""

import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ironclaw_memory import AsyncMemoryHost, MemoryHost, MemorySession, Origin, Scope
from ironclaw_memory.errors import ApprovalRequired, HostClosed, InvalidArguments
from ironclaw_memory.testing import ScriptedModel


pytestmark = pytest.mark.sandbox

WRITE = "ironclaw.memory.write"
READ = "ironclaw.memory.read"
SCOPE = Scope(tenant="acme", user="alice")


def test_an_origin_may_be_given_by_its_value(tmp_path: Path) -> None:
    """The value is what the command line and the audit log show."""
    with MemoryHost.open(root=tmp_path) as host:
        host.require(READ, scope=SCOPE, origin="loop_run")
        with pytest.raises(InvalidArguments, match=r"path.*names no document"):
            host.call(READ, {"path": "absent.md"}, scope=SCOPE, origin="loop_run")
        assert host.grant(WRITE, scope=SCOPE, origin="loop_run").origin is Origin.LOOP_RUN


def test_an_unknown_origin_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    """A typing error must not look like a defect of ours."""
    with (
        MemoryHost.open(root=tmp_path) as host,
        pytest.raises(InvalidArguments) as refused,
    ):
        host.call(READ, {"path": "a.md"}, scope=SCOPE, origin="loop-run")
    assert refused.value.field == "origin"
    assert "loop_run, product, automation" in refused.value.hint


@pytest.mark.parametrize("arguments", ["a.md", ["path", "a.md"], None])
def test_arguments_are_a_mapping(tmp_path: Path, arguments: Any) -> None:
    """Anything else is refused before the gate looks at it."""
    with MemoryHost.open(root=tmp_path) as host, pytest.raises(InvalidArguments) as refused:
        host.call(READ, arguments, scope=SCOPE, origin=Origin.LOOP_RUN)
    assert refused.value.field == "arguments"


WRONG: Any = [1]
TREE: Any = {"tool_id": "ironclaw.memory.tree", "scope": SCOPE, "origin": "loop_run"}
MISTAKES: dict[str, tuple[str, Callable[[MemoryHost], object]]] = {
    "a call of nothing": ("tool_id", lambda h: h.call(WRONG, {}, scope=SCOPE, origin="loop_run")),
    "an act of nothing": ("tool_id", lambda h: h.call_as_operator(WRONG, {}, scope=SCOPE)),
    "a question about nothing": ("tool_id", lambda h: h.require(**{**TREE, "tool_id": WRONG})),
    "a grant for nothing": ("tool_id", lambda h: h.grant(WRONG, scope=SCOPE)),
    "uses in words": ("uses", lambda h: h.grant(WRITE, scope=SCOPE, uses="2")),  # type: ignore[arg-type]
    "half a use": ("uses", lambda h: h.grant(WRITE, scope=SCOPE, uses=2.5)),  # type: ignore[arg-type]
    "no use": ("uses", lambda h: h.grant(WRITE, scope=SCOPE, uses=0)),
    "a time in words": ("for_ms", lambda h: h.grant(WRITE, scope=SCOPE, for_ms="1h")),  # type: ignore[arg-type]
    "half a millisecond": ("for_ms", lambda h: h.grant(WRITE, scope=SCOPE, for_ms=0.5)),  # type: ignore[arg-type]
    "numbers as grants": ("grants", lambda h: h.require(**TREE, grants=WRONG)),
    "a call with numbers": ("grants", lambda h: h.call(**TREE, arguments={}, grants=WRONG)),
    "no grants at all": ("grants", lambda h: h.call(**TREE, arguments={}, grants=None)),  # type: ignore[arg-type]
    "nothing put out of use": ("tool_id", lambda h: h.set_disabled(WRONG, disabled=True)),
    "nothing to ask about": ("tool_id", lambda h: h.set_ask_each_time(WRONG, ask=True)),
    "a tool off in words": ("disabled", lambda h: h.set_disabled(WRITE, disabled="no")),  # type: ignore[arg-type]
    "asking in words": ("ask", lambda h: h.set_ask_each_time(WRITE, ask="no")),  # type: ignore[arg-type]
    "a switch in words": ("auto_approve", lambda h: h.set_auto_approve(auto_approve="yes")),  # type: ignore[arg-type]
    "snippets in words": ("max_snippets", lambda h: h.load_context(SCOPE, "x", "8")),  # type: ignore[arg-type]
    "no profile": ("context_profile", lambda h: h.load_context(SCOPE, "x", context_profile=WRONG)),
    "nothing to erase": ("path", lambda h: h.erase(SCOPE, WRONG)),
    "no new name": ("to", lambda h: h.rename(SCOPE, "a.md", WRONG)),
    "no name of a tool": ("name", lambda h: h.tool_id(WRONG)),
    "no run": ("run_id", lambda h: h.complete_turn(SCOPE, WRONG)),
    "a pass of no run": ("run_id", lambda h: h.run_due_passes(SCOPE, ScriptedModel([]), WRONG)),
    "nothing to take back": ("key", lambda h: h.revoke(WRONG)),
    "taken back in words": ("scope", lambda h: h.revoke(WRITE, scope="x")),  # type: ignore[arg-type]
    "no act": ("act", lambda h: h.permitted(WRITE, WRONG, scope=SCOPE, origin=None).__enter__()),
    "a command of numbers": ("words", lambda h: h.command_line("pending", WRONG)),
    "a session's snippets": ("max_snippets", lambda h: MemorySession(h, SCOPE, max_snippets=WRONG)),
    "a session's seconds": (
        "recording_seconds",
        lambda h: MemorySession(h, SCOPE, recording_seconds=WRONG),
    ),
    **{
        f"a session's {seconds} seconds": (
            "recording_seconds",
            partial(MemorySession, scope=SCOPE, recording_seconds=seconds),
        )
        for seconds in (float("nan"), float("inf"), -1.0)
    },
    "a session's model": ("model", lambda h: MemorySession(h, SCOPE, model=WRONG)),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_an_argument_of_another_type_is_refused_by_its_name(tmp_path: Path, mistake: str) -> None:
    """Nothing is kept of it: what could not be read again would deny every later call."""
    field, made = MISTAKES[mistake]
    with MemoryHost.open(root=tmp_path) as host:
        with pytest.raises(InvalidArguments) as refused:
            made(host)
        assert (refused.value.field, bool(refused.value.hint)) == (field, True)
        assert host.grants() == ()


def test_a_closed_host_runs_nothing(tmp_path: Path) -> None:
    """Neither a tool nor an operation of the owner starts another guest."""
    with MemoryHost.open(root=tmp_path) as host:
        pass
    with pytest.raises(HostClosed):
        host.call(READ, {"path": "a.md"}, scope=SCOPE, origin=Origin.LOOP_RUN)
    with pytest.raises(HostClosed):
        host.history(SCOPE, "a.md")
    host.close()


def test_a_closed_host_counts_records_and_permits_nothing(tmp_path: Path) -> None:
    """What is called on it does nothing, whatever it would have needed for that."""
    with MemoryHost.open(root=tmp_path) as host:
        session = MemorySession(host, replace(SCOPE, thread="monday"))
    report = session.after_turn([{"role": "user", "content": "tea"}])
    assert [(f.step, f.code) for f in report.failures] == [
        ("record", "host-closed"),
        ("count", "host-closed"),
    ]
    acts: list[Callable[[], object]] = [
        lambda: host.grant(WRITE, scope=SCOPE),
        lambda: host.delete(SCOPE, "a.md"),
        lambda: host.take_snapshot(SCOPE),
        lambda: host.permitted(WRITE, {}, scope=SCOPE, origin="loop_run").__enter__(),
    ]
    for act in acts:
        with pytest.raises(HostClosed):
            act()
    assert list(tmp_path.rglob("*")) == []


async def test_an_asynchronous_host_is_awaited_or_entered(tmp_path: Path) -> None:
    """Both spellings open one host; the second closes it as well."""
    host = await AsyncMemoryHost.open(root=tmp_path)
    await host.close()
    async with AsyncMemoryHost.open(root=tmp_path) as entered:
        assert await entered.documents(SCOPE) == {}
    with pytest.raises(HostClosed):
        await host.call(READ, {"path": "a.md"}, scope=SCOPE, origin=Origin.LOOP_RUN)


def test_a_remedy_reaches_the_directory_of_the_host(tmp_path: Path) -> None:
    """In another one the command would allow nothing here; a model is not told where it is."""
    root = tmp_path / "the second memory"
    with MemoryHost.open(root=root) as host:
        with pytest.raises(ApprovalRequired) as refused:
            host.call(WRITE, {"target": "memory", "content": "tea"}, scope=SCOPE, origin="loop_run")
        said = MemorySession(host, SCOPE).call(WRITE, {"target": "memory", "content": "tea"})
    commands = re.findall(r"`(ironclaw-memory [^`]*)`", refused.value.hint)
    assert len(commands) == 2
    assert all(shlex.split(command)[-2:] == ["--root", str(root)] for command in commands)
    assert "ironclaw-memory grant" in said.content
    assert root.name not in said.content
    assert tmp_path.name not in said.content


def test_a_remedy_leaves_the_configured_directory_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command finds it as this host did."""
    monkeypatch.setenv("IRONCLAW_MEMORY_HOME", str(tmp_path))
    with MemoryHost.open() as host, pytest.raises(ApprovalRequired) as refused:
        host.require(WRITE, scope=SCOPE, origin="loop_run")
    assert "--root" not in refused.value.hint
