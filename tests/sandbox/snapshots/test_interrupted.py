"""A restore that was killed is finished before anybody uses the scope again."""

import os
from pathlib import Path

import pytest

from ironclaw_memory import MemoryHost, Scope
from ironclaw_memory.scopes import directory_of


pytestmark = pytest.mark.sandbox

SCOPE = Scope(tenant="acme", user="alice")
WRITE, READ = "ironclaw.memory.write", "ironclaw.memory.read"


class _Killed(BaseException):
    """Ends a restore as SIGKILL would, between two moves."""


def _half_restored(root: Path, monkeypatch: pytest.MonkeyPatch, *, moves: int) -> None:
    """Leave a scope whose restore died after *moves* renames."""
    left = iter(range(moves))
    rename = os.rename

    def dying(source: str, target: str, **directories: int) -> None:
        if next(left, None) is None:
            raise _Killed
        rename(source, target, **directories)

    with MemoryHost.open(root=root) as host:
        for target, text in (("memory", "tea"), ("notes/a.md", "kettle")):
            host.call_as_operator(WRITE, {"target": target, "content": text}, scope=SCOPE)
        taken = host.take_snapshot(SCOPE)
        assert taken is not None
        with monkeypatch.context() as patched:
            patched.setattr(os, "rename", dying)
            with pytest.raises(_Killed):
                host.restore_snapshot(SCOPE, taken.id)
    there = {entry.name for entry in root.joinpath(*directory_of(SCOPE)).iterdir()}
    assert there < {"MEMORY.md", "notes", ".store"}


@pytest.mark.parametrize("moves", [2, 3, 5])
def test_what_is_written_after_a_killed_restore_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moves: int
) -> None:
    """Finishing it later would move an acknowledged write aside, and throw it away."""
    _half_restored(tmp_path, monkeypatch, moves=moves)
    with MemoryHost.open(root=tmp_path) as host:
        host.call_as_operator(WRITE, {"target": "memory", "content": "honey"}, scope=SCOPE)
        assert host.snapshots(SCOPE)
        host.take_snapshot(SCOPE)
        read = host.call_as_operator(READ, {"path": "MEMORY.md"}, scope=SCOPE)

    assert isinstance(read, dict)
    assert read["content"] == "tea\nhoney\n"


def test_reading_and_listing_see_what_was_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody meets half a scope."""
    _half_restored(tmp_path, monkeypatch, moves=3)
    with MemoryHost.open(root=tmp_path) as host:
        assert set(host.documents(SCOPE)) == {"MEMORY.md", "notes/a.md"}
        assert host.current(SCOPE, "notes/a.md") == "kettle\n"
