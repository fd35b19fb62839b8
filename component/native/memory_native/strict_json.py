"""JSON from elsewhere: bounded in depth before it is parsed, strict about numbers.

The guest's C stack ends at about a thousand nested brackets and ends in a trap
that no ``except`` catches, so depth is counted on the text first.
"""

import json
import re
from functools import cache
from typing import Final, Never

from memory_native.limits import JSON_DEPTH


_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.DOTALL)


class JsonError(ValueError):
    """The text is not JSON, or nests too deeply."""


def parse(text: str, *, depth: int = JSON_DEPTH) -> object:
    """Return the value of *text*; raises `JsonError`."""
    brackets = text.count("[") + text.count("{")
    if brackets > depth and nesting(text) > depth:  # few brackets cannot nest deeply
        raise JsonError
    try:
        value: object = _decoder().decode(text)
    except (ValueError, RecursionError):
        raise JsonError from None
    return value


def parse_object(text: str, *, depth: int = JSON_DEPTH) -> dict[str, object]:
    """Return the object that *text* is; raises `JsonError` for any other value too."""
    value = parse(text, depth=depth)
    if not isinstance(value, dict):
        raise JsonError
    return value


def nesting(text: str) -> int:
    """Return the deepest nesting of brackets outside of strings."""
    deepest = level = 0
    for found in _TOKEN.finditer(text):
        sign = found.group()[0]
        if sign in "[{":
            level += 1
            deepest = max(deepest, level)
        elif sign in "]}":
            level -= 1
    return deepest


def compact(value: object) -> str:
    """Return *value* as compact JSON with the text left readable."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@cache
def _decoder() -> json.JSONDecoder:
    """Return the one decoder: making it takes longer than a short text does."""
    return json.JSONDecoder(parse_constant=_refuse)


def _refuse(constant: str) -> Never:
    raise JsonError(constant)
