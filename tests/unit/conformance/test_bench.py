"""A seat in front of a provider whose refresh does not come to its end."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.conformance.native import NativeSubject

from ironclaw_memory.conformance.bench import Bench, Seat
from ironclaw_memory.conformance.expect import Broken
from ironclaw_memory.conformance.subject import Answer
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS


MOST_CALLS = 50
"""Of a refresh in a test; one that goes on for ever fails here instead of never ending."""


class Refreshing(NativeSubject):
    """The native provider, but its refresh reports *left* documents in turn, the last for ever."""

    def __init__(self, root: Path, *, indexed: int, left: list[int]) -> None:
        super().__init__(root)
        self._indexed, self._left = indexed, left
        self.calls = 0

    def call(self, export: str, arguments: Mapping[str, object], **options: Any) -> Answer:
        """Answer a refresh, and pass everything else on."""
        if export != "refresh":
            return super().call(export, arguments, **options)
        self.calls += 1
        assert self.calls <= MOST_CALLS
        left = self._left[min(self.calls, len(self._left)) - 1]
        return Answer(reply={"indexed": self._indexed, "removed": 0, "remaining": left})


def seat(subject: NativeSubject) -> Seat:
    """Return a seat of *subject*."""
    return Bench(subject, tenant="test", run="r").seat()


def test_a_refresh_goes_on_while_less_is_left(tmp_path: Path) -> None:
    """Each call is bounded; their number is what the documents need."""
    subject = Refreshing(tmp_path, indexed=1, left=[9, 7, 8, 4, 0])

    seat(subject).notice("a.md")

    assert subject.calls == 5


def test_a_refresh_that_moves_nothing_breaks_the_rule(tmp_path: Path) -> None:
    """At its first report: the host gives up there too."""
    subject = Refreshing(tmp_path, indexed=0, left=[5])

    with pytest.raises(Broken):
        seat(subject).notice("a.md")

    assert subject.calls == 1


@pytest.mark.parametrize("left", [[1], [2, 1] * MOST_CALLS], ids=["one", "one or two"])
def test_a_refresh_that_always_leaves_some_breaks_the_rule(left: list[int], tmp_path: Path) -> None:
    """Also one that says each time that it got somewhere."""
    with pytest.raises(Broken, match="remaining"):
        seat(Refreshing(tmp_path, indexed=1, left=left)).notice("a.md")


def test_a_refresh_has_as_long_as_the_host_gives_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However far away its end is, a countdown ends."""
    spent = replace(DEFAULT_LIMITS, refresh_ms=-1)
    monkeypatch.setattr("ironclaw_memory.conformance.bench.DEFAULT_LIMITS", spent)
    subject = Refreshing(tmp_path, indexed=1, left=list(range(MOST_CALLS, 0, -1)))

    with pytest.raises(Broken):
        seat(subject).notice("a.md")

    assert subject.calls == 1
