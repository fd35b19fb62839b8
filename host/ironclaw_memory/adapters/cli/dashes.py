"""Text that begins with a dash: a line of a Markdown list is no option.

No option has white space after its dashes. click takes whatever begins with one for an option, so
such an argument travels through its parser behind a character that no argument can hold.
"""

import re
from collections.abc import Iterable
from typing import Any, Final


_MARK: Final = "\0"
_LISTED: Final = re.compile(r"-+\s")


def marked(arguments: Iterable[str]) -> list[str]:
    """Return *arguments* with a mark before those that are text."""
    return [_MARK + one if _LISTED.match(one) else one for one in arguments]


def unmarked(value: Any) -> Any:
    """Return what was parsed without the mark: a text, several, or anything else as it is."""
    if isinstance(value, str):
        return value.removeprefix(_MARK)
    return tuple(map(unmarked, value)) if isinstance(value, tuple) else value


def as_typed(message: str) -> str:
    """Return what a parser said of marked arguments, as it would have been said of them."""
    return message.replace(_MARK, "").replace(repr(_MARK)[1:-1], "")
