"""Which version of a document somebody means: its number, or ``LATEST``."""

from typing import TYPE_CHECKING, Any, Final

import click

from ironclaw_memory.errors import RequestError
from ironclaw_memory.model import LATEST, Scope


if TYPE_CHECKING:
    from ironclaw_memory.host import MemoryHost

_NO_NUMBER: Final = 0  # below every version's


class _NumberOrLatest(click.IntRange):
    """A version's number, or ``LATEST``."""

    name = "number or LATEST"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        return _NO_NUMBER if value == LATEST else super().convert(value, param, ctx)


NUMBER: Final = click.IntRange(1)
NUMBER_OR_LATEST: Final = _NumberOrLatest(1)
"""What `numbered` understands."""


def numbered(host: "MemoryHost", scope: Scope, path: str, wanted: int) -> int:
    """Return the number of the version that was *wanted*; ``LATEST`` is the last with its text.

    Raises `RequestError` where no version has its text any more.
    """
    if wanted != _NO_NUMBER:
        return wanted
    kept = (row.number for row in reversed(host.history(scope, path)) if not row.erased)
    number = next(kept, None)
    if number is None:
        raise RequestError("No earlier version is kept.", code="version-missing")
    return number
