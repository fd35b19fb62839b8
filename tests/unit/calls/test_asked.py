"""What a person is shown of a call that waits: the document, the change, the size."""

from typing import Any

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, native_package, wired
from tests.unit.calls.scripted_host import ScriptedHost

from ironclaw_memory.calls.asked import Asked, asked_of, asked_of_act
from ironclaw_memory.capability.state import ChangeKind
from ironclaw_memory.contract.arguments import canonical
from ironclaw_memory.errors import ApprovalRequired
from ironclaw_memory.model import Scope


NOTE = "notes/tea.md"


@pytest.mark.parametrize(
    ("arguments", "change", "size"),
    [
        ({"content": "Prefers té."}, ChangeKind.APPEND, 12),
        ({"content": "Prefers tea.", "append": False}, ChangeKind.REPLACE, 12),
        ({"old_string": "tea", "new_string": "coffee"}, ChangeKind.PATCH, 6),
        ({"target": "bootstrap", "content": "is ignored"}, ChangeKind.CLEAR, None),
    ],
)
def test_a_write_is_told_by_its_change_and_its_bytes(
    arguments: dict[str, Any], change: ChangeKind, size: int | None
) -> None:
    """The size is that of the text that would be stored, not of the whole call."""
    request = canonical("write", {"target": NOTE, **arguments})
    expected = Asked(target=request["target"], change=change, text_bytes=size)
    assert asked_of("write", request) == expected


def test_a_read_changes_nothing() -> None:
    """It names its document alone."""
    assert asked_of("read", {"path": NOTE}) == Asked(target=NOTE)


@pytest.mark.parametrize(
    ("act", "change"),
    [
        ({"delete": NOTE}, ChangeKind.DELETE),
        ({"rename": NOTE, "to": "x.md"}, ChangeKind.RENAME),
        ({"list": "resources"}, None),
    ],
)
def test_an_act_is_told_by_its_word(act: dict[str, str], change: ChangeKind | None) -> None:
    """Deleting and renaming name the document that they take away."""
    assert asked_of_act(act) == Asked(target=NOTE if change else None, change=change)


def test_what_waits_says_what_it_would_do_and_not_a_word_of_the_text(tmp_path: Any) -> None:
    """Neither the request in memory nor the file on disk holds it."""
    host = ScriptedHost(wired(tmp_path, ScriptedGuest(), package=native_package()))
    scope = Scope(tenant="acme", user="alice")
    with pytest.raises(ApprovalRequired):
        host.call(
            "ironclaw.memory.write",
            {"target": NOTE, "content": "Prefers oolong."},
            scope=scope,
            origin="loop_run",
        )
    (waiting,) = host.pending()
    assert (waiting.target, waiting.change, waiting.text_bytes) == (NOTE, ChangeKind.APPEND, 15)
    assert "oolong" not in repr(waiting)
    assert "oolong" not in (tmp_path / "host" / "gate" / "gate.json").read_text()
