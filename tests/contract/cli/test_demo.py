"""The demo tells the truth: it passes, and it fails where a refusal does not happen."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.contract.cli.conftest import CommandLine

from ironclaw_memory.adapters.cli import main
from ironclaw_memory.adapters.cli.demonstration import READ, WRITE
from ironclaw_memory.adapters.cli.invocation import Steps
from ironclaw_memory.config import Config
from ironclaw_memory.host import MemoryHost
from ironclaw_memory.model import Grant, Origin, Scope
from ironclaw_memory.scopes import directory_of


pytestmark = pytest.mark.sandbox


def test_the_demo_shows_what_is_allowed_and_what_is_refused(run: CommandLine) -> None:
    """Without a key, a network or a trace in the user's own memory."""
    ran = run("demo")
    assert ran.code == 0, ran.err
    assert [line.split()[0] for line in ran.out.splitlines()] == ["allowed"] * 4 + ["refused"] * 4
    assert not run.root.exists()


def test_the_demo_has_an_envelope(run: CommandLine) -> None:
    """Its steps are data."""
    steps = run.json("demo").data["steps"]
    assert {step["verdict"] for step in steps} == {"allowed", "refused"}


class _Leaky(MemoryHost):
    """A host without a sandbox: a link out of the scope is followed."""

    def call(self, tool_id: str, arguments: Mapping[str, Any], **more: Any) -> Any:
        """Read as a program that runs as you would."""
        scope: Scope = more["scope"]
        place = self._opened.root.joinpath(*directory_of(scope)) / str(arguments.get("path"))
        if tool_id == READ and place.is_symlink():
            return {"path": "x", "content": place.read_text(encoding="utf-8"), "word_count": 1}
        return super().call(tool_id, arguments, **more)


class _Tunnel(MemoryHost):
    """A host whose guest reaches the store of another person."""

    def version(self, scope: Scope, path: str, number: int) -> str:
        """Look into the stranger's scope when the own one has no such version."""
        return super().version(Scope(tenant="demo", user="bob"), path, number)


class _Lenient(MemoryHost):
    """A host that lets automations write."""

    def call(self, tool_id: str, arguments: Mapping[str, Any], **more: Any) -> Any:
        """Take every call for the agent's own, with a grant."""
        if tool_id == WRITE and more["origin"] is Origin.AUTOMATION:
            return self.call_as_operator(tool_id, arguments, scope=more["scope"])
        return super().call(tool_id, arguments, **more)


class _Granting(MemoryHost):
    """A host that needs no grant."""

    def call(self, tool_id: str, arguments: Mapping[str, Any], **more: Any) -> Any:
        """Bring the grant along."""
        grant = Grant.exactly(
            tool=WRITE,
            scope=more["scope"],
            origin=Origin.LOOP_RUN,
            effects=next(t.effects for t in self.tools() if t.id == WRITE),
        )
        return super().call(tool_id, arguments, grants=[grant], **more)


class _Amnesiac(MemoryHost):
    """A host that stores nothing."""

    def call_as_operator(self, tool_id: str, arguments: Mapping[str, Any], **more: Any) -> Any:
        """Say that it was written."""
        return {"status": "written", "path": "MEMORY.md", "append": True, "content_length": 1}


@pytest.mark.parametrize(
    ("kind", "promise"),
    [
        (_Leaky, "the guest cannot follow a link out of its directory"),
        (_Tunnel, "the guest cannot reach another memory"),
        (_Lenient, "an automation may not write"),
        (_Granting, "an agent may not write without a grant"),
    ],
)
def test_the_demo_fails_where_a_refusal_is_missing(
    run: CommandLine,
    capsys: pytest.CaptureFixture[str],
    kind: type[MemoryHost],
    promise: str,
) -> None:
    """It names the promise that did not hold, and ends with an exit code."""

    def opened(settings: Config, progress: Steps) -> MemoryHost:
        return kind.open(root=settings.root)

    assert main(["demo"], open_host=opened) == 5
    assert promise in capsys.readouterr().err


def test_the_demo_fails_where_nothing_is_stored(
    run: CommandLine, capsys: pytest.CaptureFixture[str]
) -> None:
    """A saved fact must be there."""
    assert main(["demo"], open_host=lambda settings, _: _Amnesiac.open(root=settings.root)) != 0


def test_the_demo_leaves_nothing_behind(run: CommandLine, tmp_path: Path) -> None:
    """Its store was a temporary one."""
    run.monkeypatch.setenv("TMPDIR", str(tmp_path))
    run.monkeypatch.setattr("tempfile.tempdir", None)
    run("demo")
    assert list(tmp_path.glob("ironclaw-memory-demo-*")) == []
