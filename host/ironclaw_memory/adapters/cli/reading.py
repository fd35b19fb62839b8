"""What people type and pipe in: words, texts, JSON and durations."""

import json
import re
import sys
from collections.abc import Iterable
from typing import Any, Final

import click

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.nesting import MAX_NESTING, too_deep


STDIN: Final = "-"
_MARK: Final = "\ufeff"
_UNIT_MS: Final = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_DURATION: Final = re.compile(r"(?:\d{1,6}[smhdw])+")


def check_words(words: Iterable[str]) -> None:
    """Raise `InvalidArguments` if a word of the command line is not UTF-8."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise InvalidArguments(
                "A word of the command line is not UTF-8.",
                code="not-utf-8",
                hint="Give it in UTF-8, or pipe the text in.",
            ) from None


def text_or_stdin(text: str | None, *, what: str) -> str:
    """Return *text*; for ``-``, or for nothing where something is piped in, standard input.

    Raises `InvalidArguments` if standard input is not UTF-8 and `click.UsageError` if a
    person at a terminal gave nothing.
    """
    if text is not None and text != STDIN:
        return text
    if text is None and sys.stdin.isatty():
        raise click.UsageError(f"Give {what} as an argument, or pipe it in.")
    raw = sys.stdin.buffer.read()
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise InvalidArguments(
            f"{what} on standard input is not UTF-8.",
            code="not-utf-8",
            hint="Convert it first, for instance with `iconv -t utf-8`.",
        ) from None


def json_value(text: str, *, what: str) -> Any:
    """Return the JSON value in *text*; raises `InvalidArguments` naming *what*.

    A byte order mark before it, which some editors and shells write, is no part of it.
    """
    text = text.removeprefix(_MARK)
    try:
        if not too_deep(text.encode()):
            return json.loads(text)
        problem = f"is nested deeper than {MAX_NESTING} levels"
    except (ValueError, RecursionError):
        problem = "is not JSON"
    raise InvalidArguments(f"{what} {problem}.", code="not-json", hint="Give plain JSON.")


def json_object(text: str, *, what: str) -> dict[str, Any]:
    """Return the JSON object in *text*; raises `InvalidArguments` for anything else."""
    value = json_value(text, what=what)
    if not isinstance(value, dict):
        raise InvalidArguments(
            f"{what} is not a JSON object.", code="not-json", hint='Give an object, like {"a": 1}.'
        )
    return value


def duration_ms(text: str, *, option: str) -> int:
    """Return the milliseconds of a duration such as ``90s``, ``1h``, ``1h30m`` or ``7d``.

    Raises `InvalidArguments` naming the *option* that it was given for.
    """
    if not _DURATION.fullmatch(text):
        raise InvalidArguments(
            f"{option} must be a length of time, such as 90s, 1h30m or 7d.",
            field=option.strip("-"),
            code="invalid-duration",
            hint="Write numbers, each with s, m, h, d or w, and no spaces.",
        )
    parts = re.findall(r"(\d+)([smhdw])", text)
    return sum(int(number) * _UNIT_MS[unit] for number, unit in parts)


def lasting_ms(text: str, *, option: str) -> int:
    """Return what `duration_ms` does, and refuse a permission that would last no time at all."""
    milliseconds = duration_ms(text, option=option)
    if milliseconds == 0:
        raise InvalidArguments(
            f"{option} must be more than 0.",
            field=option.strip("-"),
            code="invalid-duration",
            hint="Say how long, for instance 1h or 7d.",
        )
    return milliseconds
