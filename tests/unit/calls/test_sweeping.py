"""What a provider says it left is believed within the bounds of the contract."""

from typing import Any

import pytest

from ironclaw_memory.errors import InvalidOutput
from ironclaw_memory.model import Scope
from ironclaw_memory.owner import MOST_LEFT, Owner


SCOPE = Scope(tenant="acme", user="alice")


def _swept(monkeypatch: pytest.MonkeyPatch, left: list[str], *, more: bool = False) -> Any:
    reply = {"documents": ["old.md"], "versions": 1, "bytes": 2, "left": left, "more_left": more}
    monkeypatch.setattr(Owner, "_upkeep", lambda *_: reply)
    return Owner(None).sweep(SCOPE, dry_run=False)  # type: ignore[arg-type]


def test_what_was_left_is_in_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside what went, and with a word on whether it is all."""
    report = _swept(monkeypatch, ["a.md", "b.md"], more=True)
    assert (report.documents, report.left, report.more_left) == (
        ("old.md",),
        ("a.md", "b.md"),
        True,
    )


@pytest.mark.parametrize(
    ("left", "more"),
    [
        ([f"{number:05}" for number in range(MOST_LEFT + 1)], False),
        (["a" * 40_000, "b" * 40_000], False),
        (["b.md", "a.md"], False),
        (["a.md", "a.md"], False),
        ([""], False),
        ([], True),
    ],
    ids=["too many", "too long", "back", "twice", "no path", "nothing and more"],
)
def test_what_was_left_beyond_the_bounds_is_refused(
    monkeypatch: pytest.MonkeyPatch, left: list[str], more: bool
) -> None:
    """A person would be shown all of it."""
    with pytest.raises(InvalidOutput, match="bounds"):
        _swept(monkeypatch, left, more=more)
