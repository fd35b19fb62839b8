"""JSON text, token by token: scalars can be replaced, everything else stays as it is."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final


MAX_DEPTH: Final = 16  # reference.md section 5

_TOKEN: Final = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*")(?P<key>\s*:)?'
    r"|(?P<number>-?[0-9][0-9.eE+-]*)|(?P<mark>[{}\[\],])",
    re.DOTALL,
)


@dataclass(frozen=True, kw_only=True)
class Scalar:
    """A string or a number of the document, and the key it stands under, if any.

    A key is a `Scalar` of its own. ``depth`` counts the containers around it.
    """

    text: str
    key: str | None
    depth: int


def is_json_document(text: str) -> bool:
    """Say whether *text* is one JSON object or array."""
    if text.lstrip()[:1] not in {"{", "["}:
        return False
    try:
        json.loads(text)
    except RecursionError:
        return True  # too deep for the parser is far deeper than `MAX_DEPTH`
    except ValueError:
        return False
    return True


def with_scalars(text: str, change: Callable[[Scalar], str], *, too_deep: str) -> str:
    """Return the JSON document *text* with every string and number put through *change*.

    What *change* leaves alone keeps its spelling. A container deeper than `MAX_DEPTH`
    becomes the one string *too_deep*.
    """
    rewriting = _Rewriting(text, change, too_deep)
    for token in _TOKEN.finditer(text):
        rewriting.take(token)
    return rewriting.result()


class _Rewriting:
    """One pass over the tokens; ``keys`` has an entry for every open container."""

    def __init__(self, text: str, change: Callable[[Scalar], str], too_deep: str) -> None:
        self._text = text
        self._change = change
        self._too_deep = too_deep
        self._keys: list[str | None] = []
        self._pieces: list[str] = []
        self._copied = 0

    def take(self, token: re.Match[str]) -> None:
        if token["mark"]:
            self._mark(token["mark"], token)
        elif len(self._keys) <= MAX_DEPTH:
            self._scalar(token)

    def result(self) -> str:
        if len(self._keys) > MAX_DEPTH:  # a document that never closes what is too deep
            self._pieces.append(json.dumps(self._too_deep))
        else:
            self._pieces.append(self._text[self._copied :])
        return "".join(self._pieces)

    def _mark(self, mark: str, token: re.Match[str]) -> None:
        match mark:
            case "{" | "[":
                if len(self._keys) == MAX_DEPTH:
                    self._copy_to(token.start())
                # What stands in a list stands under the list's key.
                self._keys.append(self._keys[-1] if self._keys and mark == "[" else None)
            case "}" | "]" if self._keys:
                if len(self._keys) == MAX_DEPTH + 1:
                    self._replace(token.end(), json.dumps(self._too_deep))
                self._keys.pop()
            case _:
                pass

    def _scalar(self, token: re.Match[str]) -> None:
        is_key = token["key"] is not None
        literal = token["string"] or token["number"]
        text = json.loads(literal) if token["string"] else literal
        key = None if is_key or not self._keys else self._keys[-1]
        changed = self._change(Scalar(text=text, key=key, depth=len(self._keys)))
        if changed != text:
            self._copy_to(token.start())
            self._replace(token.start() + len(literal), json.dumps(changed, ensure_ascii=False))
        if is_key and self._keys:
            self._keys[-1] = text

    def _copy_to(self, position: int) -> None:
        self._pieces.append(self._text[self._copied : position])
        self._copied = position

    def _replace(self, until: int, replacement: str) -> None:
        self._pieces.append(replacement)
        self._copied = until
