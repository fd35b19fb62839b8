"""Paths of the machine that a text gives away."""

import re
from collections.abc import Iterator
from typing import Final


# reference.md section 5, in either case, alone or behind `file://`.
_PATH: Final = re.compile(
    r"(?i)(?<![\w.~/-])(?:file://)?/(?:users|home|private|tmp|var|etc)/[^\s\"'`<>|,;:*?()\[\]{}]*"
)


def host_paths(text: str) -> Iterator[tuple[int, int]]:
    """Yield where *text* names a path below a directory of the machine, in order."""
    for match in _PATH.finditer(text):
        yield match.start(), match.start() + len(match[0].rstrip(".!"))
