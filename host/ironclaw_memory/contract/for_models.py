"""The hint of an error where a model reads it: it has tools, and its user has a shell."""

import re
import shlex
from collections.abc import Mapping
from typing import Final


BY_VERB: Final[Mapping[str, str]] = {verb: verb for verb in ("read", "search", "tree")}
"""The commands that have a tool beside them, and what a model knows it by."""

_COMMAND: Final = re.compile(r"`ironclaw-memory (\w+)[^`]*`")
_THE_SCHEMA: Final = re.compile(r"`ironclaw-memory tools\b[^`]*` [^.]*\.")
_FOR_A_SHELL: Final = "`ironclaw-memory "
_WHOLE: Final = re.compile(r"`(ironclaw-memory [^`]*)`")
_WHERE: Final = re.compile(r" --(?:root|provider) (?:'[^']*'|\"'\"|[^\s`'\"])+")


def hint_reaching(hint: str, flags: Mapping[str, str]) -> str:
    """Return *hint* with the global options *flags* in every command.

    Values that cannot stand between backticks are not written out.
    """
    if any("`" in value or not value.isprintable() for value in flags.values()):
        return f"{hint} Give the command this host's own {' and '.join(flags)}."
    more = "".join(f" {shlex.join(pair)}" for pair in flags.items())
    return _WHOLE.sub(lambda found: f"`{found[1]}{more}`", hint)


def hint_for_model(hint: str, tools: Mapping[str, str] = BY_VERB) -> str:
    """Return *hint* without commands that a model would take for its own.

    A command that is a key of *tools* becomes that tool; any other is for the user. Where the
    data directory and the provider are, no model is told.
    """
    hint = _WHERE.sub("", hint)
    text = _THE_SCHEMA.sub("The tool's input schema says what it takes.", hint)
    text = _COMMAND.sub(
        lambda found: f"the {tools[found[1]]} tool" if found[1] in tools else found[0], text
    )
    if _FOR_A_SHELL in text:
        return f"Your user can help: {text}"
    return text[:1].upper() + text[1:]
