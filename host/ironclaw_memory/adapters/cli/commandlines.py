"""Command lines that can be copied out of a message and typed as they are.

A hint is written where nobody knows which data directory, provider or scope a person
chose by flags; without those flags the command would reach another memory.
"""

import re
import shlex
from collections.abc import Mapping
from typing import Final

from ironclaw_memory.config import Value


NAME: Final = "ironclaw-memory"
CARRIED: Final = ("root", "provider", "tenant", "user", "agent", "project")
"""The global options that decide which memory a command reaches."""

_COMMAND: Final = re.compile(f"`{NAME} ([^`]+)`")
_ANSWERS_ALWAYS_ALIKE: Final = "--help"


def command_line(flags: Mapping[str, Value], *words: str) -> str:
    """Return the command of *words* for a shell, with the global *flags* that were given."""
    return f"`{NAME} {_flags(flags, ())}{shlex.join(words)}`"


def completed(text: str, flags: Mapping[str, Value]) -> str:
    """Return *text* with the global *flags* that were given in each command line it quotes."""
    return _COMMAND.sub(lambda found: _completed(found[1], flags), text)


def _completed(command: str, flags: Mapping[str, Value]) -> str:
    words = command.split()
    named = [*words, "--provider"] if _names_a_file(words) else words
    more = "" if _ANSWERS_ALWAYS_ALIKE in words else _flags(flags, named)
    return f"`{NAME} {more}{command}`"


def _names_a_file(words: list[str]) -> bool:
    """Tell whether the command is about a provider that it names itself."""
    return words[0] == "component" and len(words) > len(("component", "info"))


def _flags(flags: Mapping[str, Value], named: "tuple[str, ...] | list[str]") -> str:
    given = {f"--{name}": flags[name] for name in CARRIED if flags.get(name) is not None}
    return "".join(
        f"{shlex.join((flag, str(value)))} " for flag, value in given.items() if flag not in named
    )
