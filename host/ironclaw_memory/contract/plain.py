"""What of our schemas a value satisfies at a glance.

A no decides nothing: jsonschema is asked then. So only a yes has to be right, and only the keywords
that most of our schemas are made of are known here.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final


Fits = Callable[[Any], bool]

_CHECK_NOTHING: Final = {"$schema", "title", "description", "default"}


def plainly(schema: object) -> Fits:
    """Return what says yes to values that *schema* certainly accepts."""
    if not isinstance(schema, Mapping):
        return _undecided
    checks = {key: value for key, value in schema.items() if key not in _CHECK_NOTHING}
    match checks:
        case {"const": str() | bool() as wanted} if len(checks) == 1:
            return lambda value: value.__class__ is wanted.__class__ and value == wanted
        case {"type": str() as name, **keywords} if name in _TYPES:
            known, fits = _TYPES[name]
            return fits(keywords) if keywords.keys() <= known else _undecided
    return _undecided


def _undecided(_value: object) -> bool:
    return False


def _string(keywords: Mapping[str, Any]) -> Fits:
    least = keywords.get("minLength", 0)
    found = re.compile(keywords.get("pattern", "")).search
    return lambda value: value.__class__ is str and len(value) >= least and found(value) is not None


def _boolean(_keywords: Mapping[str, Any]) -> Fits:
    return lambda value: value.__class__ is bool


def _integer(keywords: Mapping[str, Any]) -> Fits:
    least, most = _bounds(keywords)
    return lambda value: value.__class__ is int and least <= value <= most


def _number(keywords: Mapping[str, Any]) -> Fits:
    least, most = _bounds(keywords)
    return lambda value: value.__class__ in (int, float) and least <= value <= most


def _bounds(keywords: Mapping[str, Any]) -> tuple[float, float]:
    return keywords.get("minimum", -math.inf), keywords.get("maximum", math.inf)


def _array(keywords: Mapping[str, Any]) -> Fits:
    most, fits = keywords.get("maxItems", math.inf), plainly(keywords.get("items"))
    return lambda value: value.__class__ is list and len(value) <= most and all(map(fits, value))


def _object(keywords: Mapping[str, Any]) -> Fits:
    """Return what says yes to dictionaries of known fields only, with those that are required."""
    parts = {name: plainly(part) for name, part in keywords.get("properties", {}).items()}
    required = frozenset(keywords.get("required", ()))
    one_of = keywords.get("oneOf", [{"required": ()}])
    choices = [frozenset(some["required"]) for some in one_of if some.keys() == {"required"}]
    if keywords.get("additionalProperties") is not False or len(choices) < len(one_of):
        return _undecided
    return lambda value: (
        value.__class__ is dict
        and value.keys() <= parts.keys()
        and required <= value.keys()
        and sum(choice <= value.keys() for choice in choices) == 1
        and all(parts[name](part) for name, part in value.items())
    )


_TYPES: Final[Mapping[str, tuple[frozenset[str], Callable[[Mapping[str, Any]], Fits]]]] = {
    "string": (frozenset({"minLength", "pattern"}), _string),
    "boolean": (frozenset(), _boolean),
    "integer": (frozenset({"minimum", "maximum"}), _integer),
    "number": (frozenset({"minimum", "maximum"}), _number),
    "array": (frozenset({"items", "maxItems"}), _array),
    "object": (
        frozenset({"properties", "required", "oneOf", "additionalProperties"}),
        _object,
    ),
}
"""Type -> the keywords that are known beside it, and what makes a check of them."""
