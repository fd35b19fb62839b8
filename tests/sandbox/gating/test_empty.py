"""Every kind of empty refuses, end to end."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from ironclaw_memory import Grant, MemoryHost, Origin, Scope, installed, opening
from ironclaw_memory.capability.clamp import Policy, clamp
from ironclaw_memory.declared import Hook, ToolDeclaration
from ironclaw_memory.errors import (
    AccessDenied,
    AuditUnavailable,
    IronclawMemoryError,
    SettingsUnreadable,
    UndeclaredTool,
)
from ironclaw_memory.installed import Provider
from ironclaw_memory.model import Cell
from ironclaw_memory.scopes import directory_of


pytestmark = pytest.mark.sandbox

SCOPE = Scope(tenant="acme", user="alice")
PREFIX = "ironclaw.memory."
ARGUMENTS: dict[str, dict[str, object]] = {"write": {"content": "tea"}, "tree": {}}

Edit = Callable[[ToolDeclaration], ToolDeclaration]

EMPTY: dict[str, tuple[Edit, str]] = {
    "no matrix": (lambda tool: replace(tool, origin_gate_matrix=None), "no-matrix"),
    "a matrix without a cell": (
        lambda tool: replace(tool, origin_gate_matrix=MappingProxyType({})),
        "forbidden",
    ),
    "a matrix without this cell": (
        lambda tool: replace(
            tool, origin_gate_matrix=MappingProxyType({Origin.PRODUCT: Cell.GATED_UNLESS_GRANTED})
        ),
        "forbidden",
    ),
    "no effects": (lambda tool: replace(tool, effects=()), "no-effects"),
}


def _edited(provider: Provider, edit: Edit) -> Provider:
    manifest = provider.package.manifest
    manifest = replace(manifest, tools=tuple(edit(tool) for tool in manifest.tools))
    return replace(
        provider,
        package=replace(provider.package, manifest=manifest),
        effective=clamp(manifest, Policy(bundled=True)),
    )


def _every_way(host: MemoryHost, tool: str) -> list[str]:
    """Call with nothing, with a grant for everything, and as the operator; return the codes."""
    everything = [Grant(tool=PREFIX + tool, tenant="*", user="*", agent="*", project="*")]
    codes = []
    for grants in ([], everything):
        with pytest.raises(IronclawMemoryError) as caught:
            host.call(
                PREFIX + tool,
                ARGUMENTS[tool],
                scope=SCOPE,
                origin=Origin.LOOP_RUN,
                grants=grants,
            )
        codes.append(caught.value.code)
    with pytest.raises(IronclawMemoryError) as caught:
        host.call_as_operator(PREFIX + tool, ARGUMENTS[tool], scope=SCOPE)
    return [*codes, caught.value.code]


@pytest.mark.parametrize("tool", ARGUMENTS)
@pytest.mark.parametrize("empty", EMPTY)
def test_what_a_manifest_leaves_out_is_refused(
    empty: str, tool: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a read as for a write, with every grant there is, and for the operator too."""
    edit, code = EMPTY[empty]
    found = _edited(installed.bundled(), edit)
    monkeypatch.setattr(opening, "provider_at", lambda path, pins: found)
    with MemoryHost.open(root=root) as host:
        assert _every_way(host, tool) == [code] * 3
    assert not root.joinpath(*directory_of(SCOPE)).exists()


def test_no_origin_is_refused(root: Path) -> None:
    """Nobody said who caused the call, so nobody may."""
    with MemoryHost.open(root=root) as host, pytest.raises(AccessDenied) as caught:
        host.call(f"{PREFIX}tree", {}, scope=SCOPE, origin=None)
    assert caught.value.code == "no-origin"


def test_no_tool_and_no_hook_is_undeclared(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not declared is not there, for a model as for the host."""
    bundled = installed.bundled()
    memory = replace(bundled.package.manifest.memory, lifecycle=(), upkeep=())
    manifest = replace(bundled.package.manifest, memory=memory, tools=())
    found = replace(
        bundled,
        package=replace(bundled.package, manifest=manifest),
        effective=clamp(manifest, Policy(bundled=True)),
    )
    monkeypatch.setattr(opening, "provider_at", lambda path, pins: found)
    with MemoryHost.open(root=root) as host:
        for attempt in (
            lambda: host.call(f"{PREFIX}tree", {}, scope=SCOPE, origin=Origin.LOOP_RUN),
            lambda: host.call_as_operator(f"{PREFIX}tree", {}, scope=SCOPE),
            lambda: host.history(SCOPE, "MEMORY.md"),
            lambda: host.grant(f"{PREFIX}write", scope=SCOPE),
        ):
            with pytest.raises(UndeclaredTool):
                attempt()
        assert host.load_context(SCOPE, "tea").snippets == ()
        assert host.record_interaction(SCOPE, [], "r1") is False
        assert host.read_profile(SCOPE) is None
    assert not root.joinpath(*directory_of(SCOPE)).exists()
    assert Hook.PROFILE_READ not in found.effective.hooks


DAMAGED = {
    "empty": b"",
    "half": b'{"format": 1, "settings": {',
    "of another kind": b"[]",
    "from later": b'{"format": 2}',
    "generous": b'{"format": 1, "settings": {"auto_approve": "yes"}}',
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize("tool", ARGUMENTS)
def test_a_gate_file_that_does_not_hold_denies_everything(
    tool: str, content: bytes, root: Path
) -> None:
    """Also what was granted before, and what needs no grant; and it says what helps."""
    with MemoryHost.open(root=root) as host:
        host.grant(f"{PREFIX}write", scope=SCOPE)
    (root / "host" / "gate" / "gate.json").write_bytes(content)

    with MemoryHost.open(root=root) as host:
        assert set(_every_way(host, tool)) == {SettingsUnreadable.code}
        with pytest.raises(SettingsUnreadable) as caught:
            host.grants()
    assert caught.value.hint
    assert not root.joinpath(*directory_of(SCOPE)).exists()


def test_a_write_whose_decision_cannot_be_recorded_does_not_happen(root: Path) -> None:
    """A read is answered; its line waits."""
    with MemoryHost.open(root=root) as host:
        host.grant(f"{PREFIX}write", scope=SCOPE)
        host.audit()
        log = next((root / "host").glob("audit*.jsonl"))
        log.unlink()
        log.mkdir()
        with pytest.raises(AuditUnavailable):
            host.call(f"{PREFIX}write", ARGUMENTS["write"], scope=SCOPE, origin=Origin.LOOP_RUN)
        assert host.call(f"{PREFIX}tree", {}, scope=SCOPE, origin=Origin.LOOP_RUN) == []
        log.rmdir()
    assert not root.joinpath(*directory_of(SCOPE)).exists()
