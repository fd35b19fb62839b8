"""Search results for eyes: where, how good, and the words that matched."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ironclaw_memory.adapters.cli.terminal import Terminal


_WORD: Final = re.compile(r"\w+")
_ENDINGS: Final = ("ing", "ed", "es", "s", "ly", "e")
_SHORTEST_ROOT: Final = 3


def drawn(
    results: Iterable[Mapping[str, Any]],
    query: str,
    terminal: Terminal,
    *,
    dates: Mapping[str, str],
) -> str:
    """Return one block a result: path, score and date, then its passages, indented."""
    blocks = [_block(result, query, terminal, dates) for result in results]
    return "\n".join(blocks) if blocks else "Nothing found.\n"


def marked(text: str, query: str, terminal: Terminal) -> str:
    """Return *text* with the words that belong to *query* in bold."""
    if not terminal.colour:
        return text
    roots = {_root(word) for word in _WORD.findall(query)}
    foreign = [word for word in _WORD.findall(query) if not word.isascii()]

    def mark(match: re.Match[str]) -> str:
        word = match.group()
        return terminal.strong(word) if _root(word) in roots else _literal(word, foreign, terminal)

    return _WORD.sub(mark, text)


def _block(
    result: Mapping[str, Any], query: str, terminal: Terminal, dates: Mapping[str, str]
) -> str:
    path = result["path"]
    head = f"{terminal.strong(terminal.safe(path))}  {result['score']:.2f}"
    if path in dates:
        head += terminal.faint(f"  {dates[path]}")
    body = marked(terminal.safe(result["content"]), query, terminal)
    return "".join(f"{line}\n" for line in [head, *(f"    {row}" for row in body.splitlines())])


def _root(word: str) -> str:
    """Return *word* without case and without a common English ending."""
    plain = word.casefold()
    for ending in _ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= _SHORTEST_ROOT:
            return plain.removesuffix(ending)
    return plain


def _literal(word: str, wanted: list[str], terminal: Terminal) -> str:
    """Mark what stands literally inside *word*, for scripts that put no spaces between words."""
    for part in wanted:
        if part in word:
            return word.replace(part, terminal.strong(part))
    return word
