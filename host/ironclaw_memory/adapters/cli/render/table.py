"""Rows in columns."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final


_WIDE: Final = frozenset("WF")


def columns(rows: Iterable[Sequence[str]]) -> str:
    """Return *rows* with their cells in columns two spaces apart, a line each."""
    cells = [list(row) for row in rows]
    if not cells:
        return ""
    widths = [max(_width(cell) for cell in column) for column in zip(*cells, strict=True)]
    lines = (
        "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        )
        for row in cells
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in _WIDE else 1 for character in text)


def size(count: int) -> str:
    """Return a number of bytes as people say it."""
    amount = float(count)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:  # noqa: PLR2004 - the step between two units
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def counted(number: int, thing: str) -> str:
    """Return ``1 document`` or ``3 documents``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
