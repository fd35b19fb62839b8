"""Text that begins with a dash: a line of a Markdown list is no option.

No option has white space after its dashes. click takes whatever begins with one for an option, so
such an argument travels through its parser behind a character that no argument can hold.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

import click


_MARK: Final = "\0"
_LISTED: Final = re.compile(r"-+\s")

Parsed = tuple[dict[str, Any], list[str], list[click.Parameter]]
"""The values by parameter, what is left over, and the parameters in the order they came."""


def parsed(parse: Callable[[list[str]], Parsed], args: list[str]) -> Parsed:
    """Return what *parse*, click's own parser, makes of *args*, with such arguments as text.

    No type sees the mark: it is gone before a value is converted, or looked for on disk.
    """
    values, rest, order = parse(_marked(args))
    return _unmarked(values), _unmarked(rest), order


def _marked(arguments: Iterable[str]) -> list[str]:
    return [_MARK + one if _LISTED.match(one) else one for one in arguments]


def _unmarked(value: Any) -> Any:
    """Return *value* without the mark: a text, what holds several, or anything else as it is."""
    match value:
        case str():
            return value.removeprefix(_MARK)
        case dict():
            return {name: _unmarked(one) for name, one in value.items()}
        case list() | tuple():
            return type(value)(map(_unmarked, value))
        case _:
            return value
