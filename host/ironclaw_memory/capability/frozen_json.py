"""Frozen dataclasses to JSON and back, strictly.

Serves the host's small state files. Pydantic would do it too, at 100 ms for each
start of the command line. Knows dataclasses, enums, tuples and frozensets of one
type, unions with ``None``, literals, text, integers and booleans.
"""

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints


T = TypeVar("T")

LATER: Final = "later"
"""In a field's metadata: files that were written before it existed do without."""


def to_json(value: object) -> bytes:
    """Return *value* as indented JSON; sets are sorted, so equal values give equal bytes."""
    return json.dumps(_plain(value), indent=1).encode()


def from_json(kind: type[T], raw: bytes) -> T:
    """Return the *kind* that `to_json` wrote.

    Raises `ValueError` for anything else: a missing or unknown field, another type, a
    word that no enum has, text that is not JSON.
    """
    try:
        value: T = _typed(kind, json.loads(raw))
    except (TypeError, KeyError, RecursionError):
        raise ValueError("not the expected value") from None
    return value


def _plain(value: object) -> object:
    match value:
        case Enum():
            return value.value
        case frozenset():
            return sorted(str(_plain(item)) for item in value)
        case tuple():
            return [_plain(item) for item in value]
        case _ if is_dataclass(value):
            return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        case _:
            return value


def _typed(kind: Any, value: Any) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is UnionType:
        (inner,) = [argument for argument in arguments if argument is not NoneType]
        return None if value is None else _typed(inner, value)
    if origin in {tuple, frozenset}:
        return origin(_typed(arguments[0], item) for item in _exactly(list, value))
    if origin is Literal:
        return _one_of(arguments, value)
    if is_dataclass(kind):
        return _dataclass(kind, _exactly(dict, value))
    if issubclass(kind, Enum):
        return kind(value)
    return _exactly(kind, value)


def _dataclass(kind: Any, value: dict[str, Any]) -> Any:
    types = _types(kind)
    older = {field.name for field in fields(kind) if not field.metadata.get(LATER)}
    if not older <= set(value) <= set(types):
        raise ValueError("not the expected fields")
    return kind(**{name: _typed(types[name], value[name]) for name in types if name in value})


@cache
def _types(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _exactly(kind: type, value: Any) -> Any:
    if type(value) is not kind:  # a bool is not an int here
        raise ValueError(f"not of type {kind.__name__}")
    return value


def _one_of(allowed: tuple[Any, ...], value: Any) -> Any:
    if value not in allowed:
        raise ValueError("not one of the values allowed")
    return value
