"""From our values to JSON-ready ones."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


def plain(value: Any) -> Any:
    """Return *value* with enums, dataclasses, sets and tuples as JSON knows them."""
    match value:
        case Enum():
            return value.value
        case Mapping():
            return {str(plain(key)): plain(item) for key, item in value.items()}
        case AbstractSet():
            return sorted(plain(item) for item in value)
        case list() | tuple():
            return [plain(item) for item in value]
        case _ if is_dataclass(value) and not isinstance(value, type):
            return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        case _:
            return value
