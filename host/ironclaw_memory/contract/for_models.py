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
_ROOT: Final = re.compile(r" --root (?:'[^']*'|\"'\"|[^\s`'\"])+")


def hint_at_root(hint: str, root: str) -> str:
    """Return *hint* with every command reaching the data directory *root*.

    A root that cannot stand between backticks is not written out.
    """
    if "`" in root or not root.isprintable():
        return f"{hint} Give the command this host's data directory with --root."
    return _WHOLE.sub(lambda found: f"`{found[1]} --root {shlex.quote(root)}`", hint)


def hint_for_model(hint: str, tools: Mapping[str, str] = BY_VERB) -> str:
    """Return *hint* without commands that a model would take for its own.

    A command that is a key of *tools* becomes that tool; any other is for the user. Where the
    data directory is, no model is told.
    """
    hint = _ROOT.sub("", hint)
    text = _THE_SCHEMA.sub("The tool's input schema says what it takes.", hint)
    text = _COMMAND.sub(
        lambda found: f"the {tools[found[1]]} tool" if found[1] in tools else found[0], text
    )
    if _FOR_A_SHELL in text:
        return f"Your user can help: {text}"
    return text[:1].upper() + text[1:]
