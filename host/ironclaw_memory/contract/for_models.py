"""Texts where a model reads them: it has tools under names of its own, and its user has a shell."""

import re
import shlex
from collections.abc import Mapping
from typing import Final


_BESIDE: Final = frozenset({"read", "search", "tree"})
"""The commands that have a tool of the same name beside them."""

_COMMAND: Final = re.compile(r"`ironclaw-memory (\w+)[^`]*`")
_NAME: Final = re.compile(r"`ironclaw-memory [^`]*`|(?<![\w.-])[\w-]+(?:\.[\w-]+)+")
_THE_SCHEMA: Final = re.compile(r"`ironclaw-memory tools\b[^`]*` [^.]*\.")
_FOR_A_SHELL: Final = "`ironclaw-memory "
_WHOLE: Final = re.compile(r"`(ironclaw-memory [^`]*)`")
_UNWRITTEN: Final = " Give the command this host's own "
_WHERE: Final = re.compile(r" (--(?:root|provider)) (?:'[^']*'|\"'\"|[^\s`'\"])+")


def as_offered(text: str, names: Mapping[str, str]) -> str:
    """Return *text* with every id of a tool that is a key of *names* as the model knows the tool.

    Whole ids only. In a command they stay, because the user types it.
    """
    return _NAME.sub(lambda found: names.get(found[0], found[0]), text)


def hint_reaching(hint: str, flags: Mapping[str, str]) -> str:
    """Return *hint* with the global options *flags* in every command that lacks them.

    Values that cannot stand between backticks are not written out.
    """
    if not flags or not _WHOLE.search(hint) or _UNWRITTEN in hint:
        return hint
    if not all(map(_can_be_quoted, flags.values())):
        return f"{hint}{_UNWRITTEN}{' and '.join(flags)}."
    more = "".join(f" {shlex.join(pair)}" for pair in flags.items())
    return _WHOLE.sub(lambda found: found[0] if more in found[1] else f"`{found[1]}{more}`", hint)


def hint_naming(hint: str, stands_for: str, value: str) -> str:
    """Return *hint* with *value* where a command ends with the word *stands_for*.

    A value that cannot stand between backticks is not written out.
    """
    if not _can_be_quoted(value):
        return hint
    return hint.replace(f" {stands_for}`", f" {shlex.quote(value)}`")


def _can_be_quoted(value: str) -> bool:
    return "`" not in value and value.isprintable()


def hint_for_model(hint: str, names: Mapping[str, str]) -> str:
    """Return *hint* for a model that knows tools by these *names*, which are by id.

    A command that has one of them beside it becomes that tool; any other is for the user.
    Where the data directory and the provider are, no model is told, but that the command
    needs to be.
    """
    verbs = {tool_id.rpartition(".")[2]: name for tool_id, name in names.items()}
    tools = {verb: name for verb, name in verbs.items() if verb in _BESIDE}
    where = dict.fromkeys(_WHERE.findall(hint))
    hint = as_offered(_WHERE.sub("", hint), names)
    text = _THE_SCHEMA.sub("The tool's input schema says what it takes.", hint)
    text = _COMMAND.sub(
        lambda found: f"the {tools[found[1]]} tool" if found[1] in tools else found[0], text
    )
    if _FOR_A_SHELL in text:
        needed = f"{_UNWRITTEN}{' and '.join(where)}." if where else ""
        return f"Your user can help: {text}{needed}"
    return text[:1].upper() + text[1:]
