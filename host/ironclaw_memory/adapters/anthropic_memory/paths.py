"""Between the tool's file system, ``/memories``, and the documents of a scope."""

from typing import Final

from ironclaw_memory.adapters.anthropic_memory.refusal import Refusal
from ironclaw_memory.contract.targets import ALIASES, word_meant


ROOT: Final = "/memories"


def path_of(shown: str) -> str:
    """Return the document or directory that a *shown* path names; empty for the root.

    Everything else about a path is the host's to judge. Raises `Refusal` for a path
    outside `ROOT`.
    """
    if shown == ROOT:
        return ""
    if not shown.startswith(f"{ROOT}/"):
        raise Refusal(f"Path must start with {ROOT}, got: {shown}")
    return shown.removeprefix(ROOT).strip("/")


def target_of(shown: str) -> str:
    """Return the document that is to be written. Raises `Refusal` where none can be.

    A hidden file is none: a view leaves it out, and some hold settings.
    """
    path = path_of(shown)
    if not path:
        raise Refusal(f"The path {shown} is not a file.")
    word = word_meant(path)
    if word:
        meant = ALIASES[word]
        instead = f"{ROOT}/{meant}" if meant else "another name"
        raise Refusal(f"The name {shown} is reserved. Use {instead} instead.")
    if any(part.startswith(".") for part in path.split("/")):
        raise Refusal(f"The path {shown} is hidden. Use names that do not start with a dot.")
    return path
