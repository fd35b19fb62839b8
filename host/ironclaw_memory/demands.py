"""What Python callers must give: an argument of another type is refused by its name.

Text and numbers that a guest is given are checked where they cross the boundary. Here is
what the host itself keeps or compares; a wrong type on disk would lock it out for good.
"""

from collections.abc import Mapping
from threading import TIMEOUT_MAX

from ironclaw_memory.errors import InvalidArguments


def demand_text(given: object, field: str, *, hint: str = "Give a `str`.") -> None:
    """Raise `InvalidArguments` for what is no text."""
    if not isinstance(given, str):
        raise InvalidArguments(f"{field}: must be text.", field=field, hint=hint)


def demand_whole(given: object, field: str, *, least: int | None = None) -> None:
    """Raise `InvalidArguments` for what is no whole number, or less than *least*."""
    is_whole = isinstance(given, int) and not isinstance(given, bool)
    if not is_whole or (least is not None and isinstance(given, int) and given < least):
        bound = "" if least is None else f" from {least}"
        raise InvalidArguments(
            f"{field}: must be a whole number{bound}.", field=field, hint="Give an `int`."
        )


def demand_seconds(given: object, field: str) -> None:
    """Raise `InvalidArguments` for what is no number of seconds that one can wait."""
    is_flag = isinstance(given, bool)
    if is_flag or not isinstance(given, int | float) or not 0 <= given <= TIMEOUT_MAX:
        raise InvalidArguments(
            f"{field}: must be a number of seconds from 0.",
            field=field,
            hint="Give a `float` such as 30.0.",
        )


def demand_mapping(given: object, field: str, *, hint: str = "Give a `dict`.") -> None:
    """Raise `InvalidArguments` for what is no mapping."""
    if not isinstance(given, Mapping):
        raise InvalidArguments(f"{field}: must be a mapping.", field=field, hint=hint)


def demand_flag(given: object, field: str) -> None:
    """Raise `InvalidArguments` for what is neither ``True`` nor ``False``."""
    if not isinstance(given, bool):
        raise InvalidArguments(
            f"{field}: must be true or false.", field=field, hint="Give a `bool`."
        )
