"""What a provider says is gone is believed in parts that lead to an end."""

from collections.abc import Callable, Mapping
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from ironclaw_memory import owner
from ironclaw_memory.errors import InvalidOutput
from ironclaw_memory.model import Scope
from ironclaw_memory.owner import Owner


SCOPE = Scope(tenant="acme", user="alice")
Part = tuple[list[str], bool]


@pytest.fixture
def limits() -> SimpleNamespace:
    """Return limits that a test may change."""
    return SimpleNamespace(refresh_ms=600_000)


@pytest.fixture
def answering(
    monkeypatch: pytest.MonkeyPatch, limits: SimpleNamespace
) -> Callable[[Callable[[str | None], Part]], Owner]:
    """Return an owner whose provider lists what a function of the last path says."""

    def make(part: Callable[[str | None], Part]) -> Owner:
        def upkeep(_: Owner, _name: str, _scope: Scope, request: Mapping[str, Any]) -> Any:
            paths, more = part(request["after"])
            return {"paths": paths, "more": more}

        monkeypatch.setattr(Owner, "_upkeep", upkeep)
        return Owner(SimpleNamespace(limits=limits))  # type: ignore[arg-type]

    return make


Answering = Callable[[Callable[[str | None], Part]], Owner]


def test_parts_that_follow_are_one_list(answering: Answering) -> None:
    """Each is asked for with the last path of the one before."""
    parts: dict[str | None, Part] = {None: (["a", "b"], True), "b": (["c"], True), "c": ([], False)}
    assert answering(parts.__getitem__).deleted(SCOPE) == ("a", "b", "c")


@pytest.mark.parametrize(
    "parts",
    [
        {None: (["a"], True), "a": (["a"], True)},
        {None: (["b"], True), "b": (["a"], False)},
        {None: (["a", "a"], False)},
        {None: ([], True)},
    ],
    ids=["same", "back", "twice", "nothing and more"],
)
def test_parts_that_go_in_circles_are_refused(
    answering: Answering, parts: dict[str | None, Part]
) -> None:
    """Else the host would ask for ever."""
    with pytest.raises(InvalidOutput, match="circles"):
        answering(parts.__getitem__).deleted(SCOPE)


def test_parts_without_end_are_refused(
    answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each follows on the one before, and there is always one more."""
    monkeypatch.setattr(owner, "MOST_DELETED", 100)
    numbers = count()
    with pytest.raises(InvalidOutput, match="no end"):
        answering(lambda _: ([f"{next(numbers):08}"], True)).deleted(SCOPE)


def test_a_listing_takes_no_more_calls_than_parts_of_an_honest_size(answering: Answering) -> None:
    """One path a call would come to hundreds of thousands of calls."""
    numbers = count()
    with pytest.raises(InvalidOutput, match="no end"):
        answering(lambda _: ([f"{next(numbers):08}"], True)).deleted(SCOPE)
    assert next(numbers) == owner.MOST_PARTS


def test_all_parts_of_a_listing_have_one_deadline(
    answering: Answering, limits: SimpleNamespace
) -> None:
    """Each call has its own, which a slow provider may use up every time; the last part counts."""
    limits.refresh_ms = -1
    numbers = count()
    with pytest.raises(InvalidOutput, match="no end"):
        answering(lambda _: ([f"{next(numbers):08}"], True)).deleted(SCOPE)
    assert next(numbers) == 1
    assert answering(lambda _: (["a"], False)).deleted(SCOPE) == ("a",)
