"""Validators of our own schemas, each of their parts prepared once.

jsonschema prepares a validator for a part of a schema each time it comes to one: for an answer of
twenty search results that is a hundred times, and half of what the whole check takes.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from ironclaw_memory import assets


if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

Keyword = Callable[["Validator", Any, Any, Any], Iterator["ValidationError"]]


@cache
def validator(tool_name: str, direction: assets.Direction) -> "Validator":
    """Return the compiled validator of one of our own schemas.

    jsonschema is imported on first use: it costs more than a cold start without it.
    """
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - see above
    from jsonschema.validators import extend  # noqa: PLC0415

    schema = assets.schema(tool_name, direction)
    prepared: dict[int, Validator] = {}  # by the identity of the part; the schema outlives them
    keywords = {"properties": _properties(prepared), "items": _items(prepared)}
    prepares: type[Validator] = extend(Draft202012Validator, keywords)  # type: ignore[no-untyped-call]
    return prepares(schema)


def _properties(prepared: "dict[int, Validator]") -> Keyword:
    def check(
        whole: "Validator", properties: Any, value: Any, _schema: Any
    ) -> "Iterator[ValidationError]":
        if not whole.is_type(value, "object"):
            return
        for name, part in properties.items():
            if name in value:
                yield from _errors(_of(prepared, whole, part), value[name], name)

    return check


def _items(prepared: "dict[int, Validator]") -> Keyword:
    def check(
        whole: "Validator", part: Any, value: Any, _schema: Any
    ) -> "Iterator[ValidationError]":
        if not whole.is_type(value, "array"):
            return
        each = _of(prepared, whole, part)
        for place, item in enumerate(value):
            yield from _errors(each, item, place)

    return check


def _of(prepared: "dict[int, Validator]", whole: "Validator", part: Any) -> "Validator":
    known = prepared.get(id(part))
    if known is None:
        known = prepared[id(part)] = whole.evolve(schema=part)
    return known


def _errors(check: "Validator", value: Any, place: str | int) -> "Iterator[ValidationError]":
    for error in check.iter_errors(value):
        error.path.appendleft(place)
        yield error
