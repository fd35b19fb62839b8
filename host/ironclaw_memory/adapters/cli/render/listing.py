"""A tree of documents, drawn with lines."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ironclaw_memory.adapters.cli.terminal import Terminal


_BRANCH: Final = ("├── ", "│   ")
_LAST: Final = ("└── ", "    ")


def drawn(listing: list[Any], terminal: Terminal, *, root: str, dates: Mapping[str, str]) -> str:
    """Return the tree tool's *listing* as lines.

    *dates* maps a document's path to when it was changed; *root* is the path that was
    listed, which the entries are below.
    """
    base = root.strip("/")
    prefix = f"{base}/" if base else ""
    return "".join(f"{line}\n" for line in _lines(listing, terminal, "", prefix, dates))


def _lines(
    listing: list[Any], terminal: Terminal, indent: str, prefix: str, dates: Mapping[str, str]
) -> Iterator[str]:
    for position, entry in enumerate(listing):
        branch, below = _LAST if position == len(listing) - 1 else _BRANCH
        name, children = _entry(entry)
        shown = terminal.safe(name)
        if name.endswith("/"):
            shown = terminal.strong(shown)
        date = dates.get(prefix + name)
        yield indent + branch + shown + (terminal.faint(f"  {date}") if date else "")
        yield from _lines(children, terminal, indent + below, prefix + name, dates)


def _entry(entry: Any) -> tuple[str, list[Any]]:
    """Return an entry's name and what is below it."""
    if isinstance(entry, str):
        return entry, []
    ((name, children),) = entry.items()
    return name, children
