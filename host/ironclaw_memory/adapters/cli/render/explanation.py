"""Why a search found what it found."""

from collections.abc import Iterator, Mapping
from typing import Any

from ironclaw_memory.adapters.cli.terminal import Terminal


def drawn(explanation: Mapping[str, Any], terminal: Terminal) -> str:
    """Return the query's terms, each hit with its line and the parts of its score, and the named path."""
    return "".join(f"{line}\n" for line in _lines(explanation, terminal))


def _lines(explanation: Mapping[str, Any], terminal: Terminal) -> Iterator[str]:
    terms = explanation.get("terms", ())
    yield f"terms    {terminal.safe(_joined(terms)) or '(none: nothing but stop words or punctuation)'}"
    for hit in explanation.get("hits", ()):
        yield ""
        yield f"{terminal.strong(terminal.safe(hit['path']))}:{hit['line']}  {hit['score']:.2f}"
        yield f"  matched  {terminal.safe(_joined(hit['matched']))}"
        yield f"  parts    {_parts(hit['parts'])}"
    named = explanation.get("path")
    if named:
        yield ""
        yield f"asked    {terminal.safe(named if isinstance(named, str) else _parts(named))}"


def _joined(words: Any) -> str:
    return ", ".join(str(word) for word in words)


def _parts(parts: Mapping[str, Any]) -> str:
    return "  ".join(f"{name}={_number(value)}" for name, value in parts.items())


def _number(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
