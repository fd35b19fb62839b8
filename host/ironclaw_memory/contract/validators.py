"""Validators of our own schemas, each of their parts prepared once.

jsonschema judges. It prepares a validator for a part of a schema each time it comes to one, which is
a hundred times for an answer of twenty search results, and importing it costs a cold command line
more than a call. So it is not asked about what plainly fits (`contract.plain`).
"""

from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ironclaw_memory import assets
from ironclaw_memory.contract.plain import Fits, plainly


if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator as LibraryValidator

Keyword = Callable[["LibraryValidator", Any, Any, Any], Iterator["ValidationError"]]


class _Part(NamedTuple):
    """A part of a schema: its validator, and what tells that a value needs none."""

    validator: "LibraryValidator"
    fits: Fits


class Validator:
    """Judges values by one schema."""

    def __init__(self, schema: Any) -> None:
        """Prepare nothing yet but what tells values that plainly fit."""
        self._schema = schema
        self._fits = plainly(schema)

    def is_valid(self, value: Any) -> bool:
        """Tell whether *value* satisfies the schema."""
        return self._fits(value) or self._library.is_valid(value)

    def iter_errors(self, value: Any) -> "Iterator[ValidationError]":
        """Yield what is wrong with *value*."""
        return self._library.iter_errors(value)

    @cached_property
    def _library(self) -> "LibraryValidator":
        from jsonschema import Draft202012Validator  # noqa: PLC0415 - see the module's own words
        from jsonschema.validators import extend  # noqa: PLC0415

        prepared: dict[int, _Part] = {}  # by the identity of the part; the schema outlives them
        keywords = {"properties": _properties(prepared), "items": _items(prepared)}
        prepares: type[LibraryValidator] = extend(Draft202012Validator, keywords)  # type: ignore[no-untyped-call]
        return prepares(self._schema)


@cache
def validator(tool_name: str, direction: assets.Direction) -> Validator:
    """Return the validator of one of our own schemas."""
    return Validator(assets.schema(tool_name, direction))


def _properties(prepared: dict[int, _Part]) -> Keyword:
    def check(
        whole: "LibraryValidator", properties: Any, value: Any, _schema: Any
    ) -> "Iterator[ValidationError]":
        if not whole.is_type(value, "object"):
            return
        for name, part in properties.items():
            if name in value:
                known = _of(prepared, whole, part)
                if not known.fits(value[name]):
                    yield from _errors(known.validator, value[name], name)

    return check


def _items(prepared: dict[int, _Part]) -> Keyword:
    def check(
        whole: "LibraryValidator", part: Any, value: Any, _schema: Any
    ) -> "Iterator[ValidationError]":
        if not whole.is_type(value, "array"):
            return
        each = _of(prepared, whole, part)
        for place, item in enumerate(value):
            if not each.fits(item):
                yield from _errors(each.validator, item, place)

    return check


def _of(prepared: dict[int, _Part], whole: "LibraryValidator", part: Any) -> _Part:
    known = prepared.get(id(part))
    if known is None:
        known = prepared[id(part)] = _Part(whole.evolve(schema=part), plainly(part))
    return known


def _errors(check: "LibraryValidator", value: Any, place: str | int) -> "Iterator[ValidationError]":
    for error in check.iter_errors(value):
        error.path.appendleft(place)
        yield error
