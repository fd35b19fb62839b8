"""What is erased leaves the snapshots too, wherever erasing is killed."""

import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ironclaw_memory import MemoryHost, Scope
from ironclaw_memory.errors import InvalidArguments, ScopeBusy
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS
from ironclaw_memory.scopes import LocalStore, LockMode, MountKind, directory_of


pytestmark = pytest.mark.sandbox

SCOPE = Scope(tenant="acme", user="alice")
WRITE = "ironclaw.memory.write"
WORD = "xylotrombone"

KILLED = """
import os, pathlib, signal, sys
from ironclaw_memory import MemoryHost, Scope
from ironclaw_memory.safekeeping import Safekeeping

Safekeeping.forget = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
with MemoryHost.open(root=pathlib.Path(sys.argv[1])) as host:
    host.erase(Scope(tenant="acme", user="alice"), "a.md")
"""


def _kept(root: Path, *, metadata: dict[str, str] | None = None) -> None:
    """Make a document and a snapshot that has it."""
    with MemoryHost.open(root=root) as host:
        arguments: dict[str, Any] = {"target": "a.md", "content": f"the {WORD}", "append": False}
        if metadata:
            arguments["metadata"] = metadata
        host.call_as_operator(WRITE, arguments, scope=SCOPE)
        host.take_snapshot(SCOPE)


def _holding(root: Path) -> list[str]:
    files = (path for path in root.rglob("*") if path.is_file())
    return [str(path.relative_to(root)) for path in files if WORD.encode() in path.read_bytes()]


def test_erasing_that_was_killed_before_the_snapshots_went_can_be_repeated(tmp_path: Path) -> None:
    """The provider says by then that there is nothing of that name."""
    _kept(tmp_path)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert _holding(tmp_path)

    with MemoryHost.open(root=tmp_path) as host:
        with pytest.raises(InvalidArguments) as missing:
            host.erase(SCOPE, "a.md")
        assert missing.value.code == "document-missing"
        assert host.snapshots(SCOPE) == ()
    assert _holding(tmp_path) == []


def test_an_erasure_that_found_the_scope_busy_costs_no_snapshot_later(tmp_path: Path) -> None:
    """Nothing ran, so the mistyped one after it owes nothing."""
    _kept(tmp_path)
    with MemoryHost.open(
        root=tmp_path, limits=replace(DEFAULT_LIMITS, long_deadline_ms=300)
    ) as host:
        with (
            LocalStore(tmp_path).lock(
                SCOPE,
                kind=MountKind.DOCUMENTS,
                mode=LockMode.EXCLUSIVE,
                deadline=time.monotonic() + 5,
            ),
            pytest.raises(ScopeBusy),
        ):
            host.erase(SCOPE, "a.md")
        with pytest.raises(InvalidArguments):
            host.erase(SCOPE, "b.md")
        assert len(host.snapshots(SCOPE)) == 1


@pytest.mark.parametrize("metadata", [None, {"note": WORD}])
def test_a_document_that_a_person_removed_can_be_erased(
    tmp_path: Path, metadata: dict[str, str] | None
) -> None:
    """What is left of it is in a snapshot, in the index, and in its metadata."""
    _kept(tmp_path, metadata=metadata)
    tmp_path.joinpath(*directory_of(SCOPE), "a.md").unlink()

    with MemoryHost.open(root=tmp_path) as host:
        assert not host.erase(SCOPE, "a.md").document
    assert _holding(tmp_path) == []


@pytest.mark.parametrize("path", ["../a.md", "b.md"])
def test_a_path_that_names_nothing_costs_no_snapshot(tmp_path: Path, path: str) -> None:
    """It was mistyped, however often."""
    _kept(tmp_path)
    with MemoryHost.open(root=tmp_path) as host:
        for _ in range(2):
            with pytest.raises(InvalidArguments):
                host.erase(SCOPE, path)
        assert len(host.snapshots(SCOPE)) == 1


def test_a_version_that_is_missing_costs_no_snapshot_while_the_scope_is_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was erased, whatever became of the look at its history afterwards."""

    def busy(*_: object) -> None:
        raise ScopeBusy("Another process holds the scope.")

    _kept(tmp_path)
    monkeypatch.setattr(MemoryHost, "history", busy)
    with MemoryHost.open(root=tmp_path) as host:
        for _ in range(2):
            with pytest.raises(InvalidArguments) as missing:
                host.erase(SCOPE, "a.md", 7)
            assert missing.value.code == "version-missing"
        assert len(host.snapshots(SCOPE)) == 1
