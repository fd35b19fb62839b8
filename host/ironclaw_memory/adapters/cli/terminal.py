"""Text on a terminal: styles where they are wanted, and no control over it by content.

What memory holds was written by others. On a terminal it must not move the cursor, set
the title or turn text around, so control characters are shown as pictures. JSON
is escaped there instead, so that it stays the same JSON. Where standard output is a file or
a pipe, text is passed on byte for byte; names in a list never are, since what follows reads
a name a line.
"""

import json
import sys
import time
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Self

import click


SLOW_S: Final = 1.0  # issue: progress for anything over a second
LINE_EVERY_S: Final = 3.0
"""Between two lines of progress where nobody looks: a log shows that the work goes on."""

_PICTURES: Final = 0x2400  # Unicode's pictures of the C0 controls
_DELETE: Final = 0x7F
_DELETE_PICTURE: Final = "\u2421"
_BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_KEPT: Final = frozenset("\n\t")


class Terminal(NamedTuple):
    """How to show text: ``eyes`` if a person looks, ``colour`` if styles are wanted."""

    eyes: bool
    colour: bool

    @classmethod
    def of_stdout(cls, *, no_colour: bool, json: bool) -> "Terminal":
        """Look at standard output; one JSON object is never for eyes."""
        eyes = not json and sys.stdout.isatty()
        return cls(eyes=eyes, colour=eyes and not no_colour)

    def safe(self, text: str) -> str:
        """Return *text* without power over a terminal, or unchanged where there is none."""
        return visible(text) if self.eyes else text

    def strong(self, text: str) -> str:
        """Return *text* in bold where styles are wanted."""
        return click.style(text, bold=True) if self.colour else text

    def faint(self, text: str) -> str:
        """Return *text* in grey where styles are wanted."""
        return click.style(text, dim=True) if self.colour else text


def visible(text: str) -> str:
    """Return *text* with control and direction characters replaced by something visible."""
    if text.isprintable():
        return text
    return "".join(_picture(character) for character in text)


def escaped_json(value: Any, *, eyes: bool) -> str:
    """Return *value* as JSON on one line, for ``eyes`` in printable ASCII alone."""
    text = json.dumps(value, ensure_ascii=eyes, default=str)
    return text.replace(chr(_DELETE), f"\\u{_DELETE:04x}") if eyes else text


def one_line(name: str) -> str:
    """Return a name as one line without power over a terminal, whoever reads it."""
    return visible(name).replace("\n", "\u240a").replace("\t", "\u2409")


def _picture(character: str) -> str:
    if character in _KEPT:
        return character
    if character in _BIDI:
        return f"<{unicodedata.name(character).lower()}>"
    if unicodedata.category(character) != "Cc":
        return character
    code = ord(character)
    if code < ord(" "):
        return chr(_PICTURES + code)
    return _DELETE_PICTURE if code == _DELETE else f"<{code:02x}>"


def announce(line: str) -> None:
    """Say on standard error how things go, whoever reads it, if anybody does."""
    with suppress(BrokenPipeError):
        click.echo(line, err=True)


@dataclass
class Progress:
    """A bar on standard error for a person, once something takes longer than a second.

    Where standard error is no terminal it is a plain line every `LINE_EVERY_S`.

    Call `step` with what is done and what there is in all; the second begins with the
    first call. Close it with ``with``.
    """

    label: str
    clock: Callable[[], float] = time.monotonic
    _began: float | None = field(default=None, init=False)
    _bar: Any = field(default=None, init=False)
    _done: int = field(default=0, init=False)
    _said: float = field(default=0.0, init=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)

    def step(self, done: int, total: int) -> None:
        """Show that *done* of *total* are done."""
        if self._began is None:
            self._began = self._said = self.clock()
        if not sys.stderr.isatty():
            self._say(done, total)
            return
        if self._bar is None and not self._is_wanted():
            return
        if self._bar is None:
            self._bar = click.progressbar(length=total, label=self.label, file=sys.stderr)
            self._bar.__enter__()
        self._bar.length = total
        self._bar.update(done - self._done)
        self._done = done

    def _is_wanted(self) -> bool:
        return self.clock() - (self._began or 0.0) >= SLOW_S

    def _say(self, done: int, total: int) -> None:
        now = self.clock()
        if now - self._said >= LINE_EVERY_S:
            self._said = now
            announce(f"{self.label}: {done} of {total}")
