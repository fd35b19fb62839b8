"""Ordinary mistakes in Python end in our errors, which say what to write instead."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from ironclaw_memory import AsyncMemoryHost, MemoryHost, MemorySession, Origin, Scope
from ironclaw_memory.errors import ApprovalRequired, HostClosed, InvalidArguments


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


def test_a_closed_host_runs_nothing(tmp_path: Path) -> None:
    """Neither a tool nor an operation of the owner starts another guest."""
    with MemoryHost.open(root=tmp_path) as host:
        pass
    with pytest.raises(HostClosed):
        host.call(READ, {"path": "a.md"}, scope=SCOPE, origin=Origin.LOOP_RUN)
    with pytest.raises(HostClosed):
        host.history(SCOPE, "a.md")
    host.close()


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
