"""Why a search found what it found."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ironclaw_memory.adapters.cli.terminal import Terminal


_REASONS: Final = {
    "no-content-word": "the query is nothing but stop words or punctuation",
    "document-missing": "there is no such document",
    "skip-indexing": "its metadata keeps it out of the index (skip_indexing)",
    "not-indexed": "it is not in the index: empty, too large, no text, or not taken in yet",
    "no-shared-word": "it has none of these words",
    "outranked": "too many other passages rank before it",
    "same-text": "what it says another document says too, which is shown in its place",
}
"""What the bundled provider's words for ``absence`` mean; another provider's are shown as they are."""


def drawn(explanation: Mapping[str, Any], terminal: Terminal) -> str:
    """Return the query's terms, each hit with its line and the parts of its score, and the named path.

    The form is that of ``wit/upkeep.wit``, ``explanation``; a provider may say more, and
    what it says more is shown as name and value.
    """
    return "".join(f"{terminal.safe(line)}\n" for line in _lines(explanation))


def _lines(explanation: Mapping[str, Any]) -> Iterator[str]:
    terms = ", ".join(_term(term) for term in explanation.get("terms", ()))
    yield f"terms    {terms or '(none: nothing but stop words or punctuation)'}"
    hits = explanation.get("hits", ())
    if hits:
        yield "scores   as ranked; a search divides them by the best"
    for hit in hits:
        yield ""
        yield from _hit(hit)
    asked = explanation.get("path")
    if isinstance(asked, Mapping):
        yield ""
        yield f"asked    {asked.get('path', '')}: {_verdict(asked)}"
        for hit in asked.get("hits", ()):
            yield from _hit(hit)


def _verdict(asked: Mapping[str, Any]) -> str:
    reason = _REASONS.get(str(asked.get("absence")))
    if reason:
        return f"not found: {reason}"
    return _rest(asked, shown=("path", "hits")) or "found"


def _hit(hit: Mapping[str, Any]) -> Iterator[str]:
    yield f"{hit.get('path', '')}:{hit.get('line', '')}  {_value(hit.get('score', 0.0), digits=2)}"
    rest = _rest(hit, shown=("path", "line", "score", "matched", "parts"))
    yield f"  matched  {_value(hit.get('matched', ()))}{rest and f' ({rest})'}"
    yield f"  parts    {_pairs(hit.get('parts', {}).items())}"


def _term(term: Any) -> str:
    if not isinstance(term, Mapping):
        return str(term)
    rest = _rest(term, shown=("term",), separator=", ")
    return f"{term.get('term', '')} ({rest})" if rest else str(term.get("term", ""))


def _rest(fields: Mapping[str, Any], *, shown: tuple[str, ...], separator: str = "  ") -> str:
    """Return what has a value and is not *shown* elsewhere."""
    return _pairs(
        ((k, v) for k, v in fields.items() if k not in shown and v not in (None, [], "")), separator
    )


def _pairs(fields: Iterable[tuple[str, Any]], separator: str = "  ") -> str:
    return separator.join(f"{name}={_value(value)}" for name, value in fields)


def _value(value: Any, *, digits: int = 3) -> str:
    match value:
        case float():
            return f"{value:.{digits}f}"
        case list() | tuple():
            return ", ".join(_value(item) for item in value)
        case Mapping():
            return _pairs(value.items(), ", ")
        case _:
            return str(value)
