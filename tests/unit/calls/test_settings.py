"""What the log says of the operator's settings is what became of them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, log_of, native_package, wired
from tests.unit.calls.scripted_host import ScriptedHost

from ironclaw_memory.capability import statefile
from ironclaw_memory.capability.records import Kind, Outcome
from ironclaw_memory.errors import AuditUnavailable, SettingsUnreadable


WRITE = "ironclaw.memory.write"
SETTINGS: dict[str, Callable[[ScriptedHost], None]] = {
    "disabled": lambda host: host.set_disabled(WRITE, disabled=True),
    "ask-each-time": lambda host: host.set_ask_each_time(WRITE, ask=True),
    "auto-approve-on": lambda host: host.set_auto_approve(auto_approve=True),
}


def full(*arguments: object, **named: object) -> None:
    """Fail as a full disk does."""
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("reason", SETTINGS)
@pytest.mark.parametrize("fails", [False, True])
def test_the_log_tells_a_setting_that_was_kept_from_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str, *, fails: bool
) -> None:
    """The intent comes first; on a full disk the gate's file cannot be written after it."""
    host = ScriptedHost(wired(tmp_path, ScriptedGuest(), package=native_package()))
    before = host.settings()
    if fails:
        monkeypatch.setattr(statefile, "write_private", full)
        with pytest.raises(SettingsUnreadable):
            SETTINGS[reason](host)
    else:
        SETTINGS[reason](host)

    entries = [entry for entry in log_of(host._wiring) if entry.kind is Kind.SETTING]
    assert [(entry.fields["reason"], entry.outcome) for entry in entries] == [
        (reason, Outcome.ALLOWED),
        (reason, Outcome.FAILED if fails else Outcome.SUCCEEDED),
    ]
    assert (host.settings() == before) is fails


def test_a_setting_that_cannot_be_recorded_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing changes without a record."""
    host = ScriptedHost(wired(tmp_path, ScriptedGuest(), package=native_package()))
    monkeypatch.setattr(type(host._wiring.audit.files), "append", full)
    with pytest.raises(AuditUnavailable):
        host.set_auto_approve(auto_approve=True)
    assert not host.settings().auto_approve
