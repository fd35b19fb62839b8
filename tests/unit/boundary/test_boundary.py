"""The border: nothing that does not fit crosses, and no exception gets out."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any, List, Optional  # noqa: UP035 - as the generated bindings spell it

import pytest

from memory_native.boundary import Misfit, answer, converter
from memory_native.failures import CODES, Kind, MemoryFailure


class Colour(Enum):
    """Ours."""

    DARK_RED = "dark-red"


class WitColour(Enum):
    """The generated one: same names, other values."""

    BLUE = 0
    DARK_RED = 1


@dataclass(frozen=True, kw_only=True)
class Item:
    """Ours."""

    name: str
    size: int
    count: int
    score: float
    done: bool
    colour: Colour
    note: str | None
    tags: tuple[str, ...]


@dataclass
class WitItem:
    """As componentize-py generates it."""

    name: str
    size: int
    count: int
    score: float
    done: bool
    colour: WitColour
    note: Optional[str]  # noqa: UP045
    tags: List[str]  # noqa: UP006


@dataclass
class WitItems:
    """Records inside of a list."""

    items: List[WitItem]  # noqa: UP006


@dataclass
class Items:
    """Ours, with a tuple."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Failed(Exception):
    """Frozen like componentize-py's Err."""

    kind: Kind
    code: str
    field: str | None


def item(**other: Any) -> Item:
    """Return an item that fits, with changes."""
    fields: dict[str, Any] = {
        "name": "a", "size": 1, "count": 2, "score": 0.5, "done": True,
        "colour": Colour.DARK_RED, "note": None, "tags": ("x", "y"),
    }  # fmt: skip
    return Item(**{**fields, **other})


to_wit = converter(WitItem)
from_wit = converter(Item)


def test_a_record_is_converted_field_by_field() -> None:
    """Tuples become lists, enums are matched by name, absent stays absent."""
    assert to_wit(item(note="n")) == WitItem(
        name="a", size=1, count=2, score=0.5, done=True,
        colour=WitColour.DARK_RED, note="n", tags=["x", "y"],
    )  # fmt: skip


def test_there_and_back_is_the_same() -> None:
    """The other direction is the same function."""
    assert from_wit(to_wit(item())) == item()
    assert converter(Items)(converter(WitItems)(Items((item(), item())))) == Items((item(), item()))


@pytest.mark.parametrize(
    "misfit",
    [
        {"name": None},
        {"name": b"a"},
        {"name": "\ud800"},
        {"name": 7},
        {"size": -1},
        {"size": 1 << 64},
        {"size": True},
        {"size": 1.0},
        {"count": 1 << 32},
        {"count": -1},
        {"score": 1},
        {"score": float("nan")},
        {"score": float("inf")},
        {"done": 1},
        {"done": None},
        {"colour": "DARK_RED"},
        {"colour": None},
        {"note": 7},
        {"tags": "xy"},
        {"tags": None},
        {"tags": ("x", None)},
        {"tags": {"x"}},
    ],
    ids=repr,
)
def test_a_value_that_does_not_fit_is_found_before_it_crosses(misfit: dict[str, Any]) -> None:
    """Each of these would stop the instance if it were returned."""
    with pytest.raises((Misfit, AttributeError, UnicodeEncodeError)):
        to_wit(item(**misfit))


def test_sixty_four_bits_are_for_the_long_fields_only() -> None:
    """A size may be large, a count may not."""
    assert to_wit(item(size=(1 << 64) - 1)).size == (1 << 64) - 1
    assert to_wit(item(count=(1 << 32) - 1)).count == (1 << 32) - 1


def failed(action: Callable[[], object]) -> Failed:
    """Return what comes out of a call that does not succeed."""
    with pytest.raises(Failed) as caught:
        answer(to_wit, Failed, action)
    return caught.value


def test_an_answer_that_fits_is_returned() -> None:
    """The ordinary case."""
    assert answer(to_wit, Failed, item) == to_wit(item())


@pytest.mark.parametrize(("code", "kind"), CODES.items())
def test_a_failure_keeps_kind_code_and_field(code: str, kind: Kind) -> None:
    """Every code of the closed list."""

    def action() -> object:
        raise MemoryFailure(code, field="path")

    failure = failed(action)
    assert (failure.kind, failure.code, failure.field) == (kind, code, "path")


def _recurse() -> object:
    return _recurse()


def _exhaust() -> object:
    raise MemoryError


def _exit() -> object:
    sys.exit(3)


def _interrupt() -> object:
    raise KeyboardInterrupt


def _explode() -> object:
    raise ValueError("/home/alice: Prefers oolong")


@pytest.mark.parametrize(
    "action",
    [
        _recurse,
        _exhaust,
        _exit,
        _interrupt,
        _explode,
        lambda: None,
        lambda: item(size=-1),
        lambda: 1 / 0,
    ],
)
def test_anything_else_is_internal_and_says_nothing(action: Callable[[], object]) -> None:
    """Recursion, memory, exit, interrupt, a bug, no answer, a wrong answer."""
    failure = failed(action)

    assert (failure.kind, failure.code, failure.field) == (Kind.UNAVAILABLE, "internal", None)
    assert failure.__cause__ is None
    assert failure.__context__ is None


def test_a_failure_inside_a_context_manager_gets_out_whole() -> None:
    """The frozen exception is only made outside of every ``with``."""

    @contextmanager
    def guarded() -> Iterator[None]:
        yield

    def action() -> object:
        with guarded():
            raise MemoryFailure("conflict")

    assert failed(action).code == "conflict"
