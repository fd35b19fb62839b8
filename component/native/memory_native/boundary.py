"""The border between the provider's Python and the component's WIT types.

Two duties. Values are converted field by field and checked on the way: what does
not fit its WIT type would stop the instance for good, so it is found here. And no
exception gets out: a failure becomes the contract's failure, anything else becomes
``unavailable``, code ``internal``, without a word of what went wrong.

Knows no generated module, so it is tested natively.
"""

import math
import types
import typing
from collections.abc import Callable
from dataclasses import is_dataclass
from enum import Enum
from operator import attrgetter
from typing import Any, Final, TypeVar

from memory_native.failures import Kind, MemoryFailure


T = TypeVar("T")
Convert = Callable[[Any], Any]
Fail = Callable[[Kind, str, str | None], BaseException]

_U32: Final = (1 << 32) - 1
_U64: Final = (1 << 64) - 1
_LONG_FIELDS: Final = frozenset({"size", "bytes", "unix_ms"})
"""Fields that are u64 in WIT; every other number is a u32."""


class Misfit(Exception):  # it never leaves this module
    """A value that does not fit its WIT type."""


def answer(reply: Callable[[object], T], fail: Fail, action: Callable[[], object]) -> T:
    """Return what *action* returns as *reply* converts it, or raise what *fail* makes.

    *fail* gets kind, code and field. Its exception is raised outside of any
    ``except`` or ``with`` block: componentize-py's ``Err`` is frozen and must not be
    touched on its way out (tech-notes section 1.4).
    """
    kind: Kind
    code: str
    field: str | None
    try:
        return reply(action())
    except MemoryFailure as failure:
        kind, code, field = failure.kind, failure.code, failure.field
    except BaseException:  # noqa: BLE001 - whatever gets out kills the instance
        kind, code, field = Kind.UNAVAILABLE, "internal", None
    raise fail(kind, code, field)


def converter(target: type[T]) -> Callable[[object], T]:
    """Return a function that converts a value to the dataclass *target*.

    Fields are matched by name, enums by member name, tuples and lists by what
    *target* asks for. The function raises `Misfit` or `AttributeError` for a
    value that does not fit.
    """
    convert: Callable[[object], T] = _compiled(target, _U32)
    return convert


def _compiled(hint: Any, largest: int) -> Convert:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return _optional(_compiled(_present(hint), largest))
    if origin in (list, tuple):
        return _sequence(origin, _compiled(typing.get_args(hint)[0], largest))
    if is_dataclass(hint):
        return _record(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return lambda value: hint[value.name]
    return _scalar(hint, largest)


def _record(target: Any) -> Convert:
    hints = typing.get_type_hints(target)
    parts = tuple(
        (name, attrgetter(name), _compiled(hint, _U64 if name in _LONG_FIELDS else _U32))
        for name, hint in hints.items()
    )
    return lambda value: target(**{name: convert(get(value)) for name, get, convert in parts})


def _optional(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _present(hint: Any) -> Any:
    (present,) = (part for part in typing.get_args(hint) if part is not type(None))
    return present


def _sequence(kind: Callable[[Any], Any], convert: Convert) -> Convert:
    def sequence(value: Any) -> Any:
        if type(value) not in (list, tuple):
            raise Misfit
        return kind(map(convert, value))

    return sequence


def _scalar(kind: Any, largest: int) -> Convert:
    def scalar(value: Any) -> Any:
        if type(value) is not kind:
            raise Misfit
        if kind is int and not 0 <= value <= largest:
            raise Misfit
        if kind is str:
            value.encode()  # a lone surrogate cannot cross
        if kind is float and not math.isfinite(value):
            raise Misfit
        return value

    return scalar
