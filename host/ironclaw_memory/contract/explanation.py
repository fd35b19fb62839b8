"""The form of an explanation, of which ``wit/upkeep.wit`` says that it is JSON, and the rest in words.

A provider may say more, and less: what is named there has the kind that it has there.
"""

from collections.abc import Callable, Mapping
from typing import Any


def is_explanation(value: Mapping[str, Any]) -> bool:
    """Say whether *value* is an explanation that can be shown."""
    about = value.get("path")
    return (
        _are(value.get("terms", []), _is_term)
        and _are(value.get("hits", []), _is_hit)
        and (about is None or (isinstance(about, dict) and _are(about.get("hits", []), _is_hit)))
    )


def _are(items: object, holds: Callable[[object], bool]) -> bool:
    return isinstance(items, list) and all(map(holds, items))


def _is_term(term: object) -> bool:
    return isinstance(term, str | dict)


def _is_hit(hit: object) -> bool:
    return (
        isinstance(hit, dict)
        and isinstance(hit.get("score", 0.0), int | float)
        and isinstance(hit.get("matched", []), list)
        and isinstance(hit.get("parts", {}), dict)
    )
