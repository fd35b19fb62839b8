"""The file under the gate: damage denies, changes are seen, permissions are tight."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.capability.walk import FINGERPRINT, NOW, READ, SCOPE, grant, lease, rules

from ironclaw_memory.capability.frozen_json import from_json, to_json
from ironclaw_memory.capability.gate import Gate, GateRequest
from ironclaw_memory.capability.state import GateState, Settings
from ironclaw_memory.capability.statefile import MAX_BYTES, StateFile
from ironclaw_memory.errors import SettingsUnreadable
from ironclaw_memory.model import Cell, Origin


FULL = GateState(
    settings=Settings(disabled=frozenset({"a.b"})),
    grants=(grant(expires_ms=5, uses_left=2),),
    leases=(lease(),),
)


def _dangle(path: Path) -> None:
    path.unlink()
    path.symlink_to("elsewhere")


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "half": lambda path: path.write_bytes(to_json(FULL)[:100]),
    "not JSON": lambda path: path.write_bytes(b"\xff\xfe"),
    "another type": lambda path: path.write_bytes(b"[]"),
    "a field too many": lambda path: path.write_bytes(b'{"x": 1, ' + to_json(FULL)[1:]),
    "a newer format": lambda path: path.write_bytes(
        to_json(FULL).replace(b'"format": 1', b'"format": 2')
    ),
    "an unknown word": lambda path: path.write_bytes(to_json(FULL).replace(b"loop_run", b"nobody")),
    "a text for a number": lambda path: path.write_bytes(
        to_json(FULL).replace(b'"uses_left": 2', b'"uses_left": "2"')
    ),
    "a truth for a number": lambda path: path.write_bytes(
        to_json(FULL).replace(b'"uses_left": 2', b'"uses_left": true')
    ),
    "nested without end": lambda path: path.write_bytes(b"[" * 100_000),
    "too large": lambda path: path.write_bytes(b" " * (MAX_BYTES + 1)),
    "writable by others": lambda path: path.chmod(0o666),
    "a dangling link": _dangle,
    "a pipe": _fifo,
    "a directory": _directory,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_store_denies_everything(tmp_path: Path, damage: str) -> None:
    """Reading, changing and even an ungated call are refused; the host does not start afresh."""
    gate = Gate(tmp_path)
    gate.create()
    gate.authorise(_read())
    DAMAGES[damage](tmp_path / "gate" / "gate.json")

    for act in (
        gate.state,
        Gate(tmp_path).state,
        lambda: gate.authorise(_read()),
        lambda: gate.check_early(_read().rules, origin=Origin.LOOP_RUN, scope=SCOPE, now_ms=NOW),
        lambda: gate.set_auto_approve(auto_approve=True),
    ):
        with pytest.raises(SettingsUnreadable):
            act()


def _read() -> GateRequest:
    return GateRequest(
        rules=rules(Cell.UNGATED, tool=READ),
        origin=Origin.LOOP_RUN,
        scope=SCOPE,
        fingerprint=FINGERPRINT,
        argument_bytes=1,
        now_ms=NOW,
    )


def test_what_is_written_is_read_back() -> None:
    """Every field of every type survives, and equal values have equal bytes."""
    assert from_json(GateState, to_json(FULL)) == FULL
    assert to_json(from_json(GateState, to_json(FULL))) == to_json(FULL)


def test_creating_again_keeps_what_is_there(tmp_path: Path) -> None:
    """Opening a root twice never resets it."""
    gate = Gate(tmp_path / "host")
    gate.create()
    gate.set_auto_approve(auto_approve=True)
    Gate(tmp_path / "host").create()
    assert gate.state().settings.auto_approve


def test_only_the_owner_may_look(tmp_path: Path) -> None:
    """Directory 0700, files 0600, whatever the umask says."""
    before = os.umask(0)
    try:
        Gate(tmp_path / "host").set_auto_approve(auto_approve=True)
    finally:
        os.umask(before)
    home = tmp_path / "host" / "gate"
    modes = {path.name: path.stat().st_mode & 0o777 for path in home.iterdir()}
    assert home.stat().st_mode & 0o777 == 0o700
    assert modes == {"gate.json": 0o600, "gate.json.lock": 0o600}


def test_a_warm_reader_sees_every_change(tmp_path: Path) -> None:
    """Changes of the same size within one tick of the clock are not missed."""
    reader, writer = Gate(tmp_path), Gate(tmp_path)
    writer.create()
    for number in range(50):
        tool = f"tool.{number:02d}"
        writer.set_disabled(tool, disabled=True)
        assert reader.state().settings.disabled == {tool}
        writer.set_disabled(tool, disabled=False)
        assert reader.state().settings.disabled == frozenset()


def test_an_interrupted_write_leaves_the_old_state(tmp_path: Path) -> None:
    """A file left beside the state by a crash is not read, and goes with the next change."""
    gate = Gate(tmp_path)
    gate.create()
    left = tmp_path / "gate" / ".gate.json.0123456789abcdef.new"
    left.write_bytes(b"half a sta")
    assert gate.state() == GateState()
    gate.set_auto_approve(auto_approve=True)
    assert gate.state().settings.auto_approve
    assert not left.exists()


def test_a_change_that_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    """The file keeps its stamp, so other readers stay warm."""
    file = StateFile(tmp_path / "own" / "s.json", initial=GateState())
    file.create()
    before = (tmp_path / "own" / "s.json").stat().st_mtime_ns
    assert file.update(lambda state: (state, "answer")) == "answer"
    assert (tmp_path / "own" / "s.json").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "settings",
    [
        Settings(auto_approve="yes"),  # type: ignore[arg-type]
        Settings(auto_approve=b"yes"),  # type: ignore[arg-type]
        Settings(disabled=frozenset({"a" * MAX_BYTES})),
    ],
    ids=["type", "no JSON", "size"],
)
def test_what_could_not_be_read_again_is_not_written(tmp_path: Path, settings: Settings) -> None:
    """It would deny every later call, and no command could take it back."""
    file = StateFile(tmp_path / "own" / "s.json", initial=GateState())
    file.update(lambda state: (FULL, None))
    with pytest.raises(SettingsUnreadable, match="the old one stays"):
        file.update(lambda state: (GateState(settings=settings), None))
    assert StateFile(tmp_path / "own" / "s.json", initial=GateState()).snapshot() == FULL


@pytest.mark.parametrize(
    "change",
    [
        lambda gate: gate.grant(grant(), rules(), now_ms=NOW),
        lambda gate: gate.revoke(READ),
        lambda gate: gate.set_auto_approve(auto_approve=True),
    ],
    ids=["grant", "revoke", "settings"],
)
def test_what_was_read_and_is_gone_is_not_begun_anew(
    tmp_path: Path, change: Callable[[Gate], object]
) -> None:
    """A tool that was disabled would be back in use, and nobody told."""
    gate = Gate(tmp_path)
    gate.set_disabled(READ, disabled=True)
    gate.state()
    shutil.rmtree(tmp_path / "gate")

    with pytest.raises(SettingsUnreadable):
        change(gate)
    assert list(tmp_path.iterdir()) == []


def test_before_anything_was_decided_the_defaults_hold(tmp_path: Path) -> None:
    """A root nobody has used has no grants and asks; looking leaves no trace."""
    assert Gate(tmp_path).state() == GateState()
    assert list(tmp_path.iterdir()) == []


def test_where_nobody_may_look_nothing_is_taken_for_granted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A directory above that is closed is no directory that was never made."""
    gate = Gate(tmp_path)
    gate.set_disabled("a.b", disabled=True)

    def closed(path: Path, **_: object) -> os.stat_result:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "lstat", closed)
    with pytest.raises(SettingsUnreadable):
        Gate(tmp_path).state()
