"""What a call would do, told from its arguments: to which document, how, how large a text.

A person who is asked sees this. It holds no word of what would be saved.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ironclaw_memory.capability.state import ChangeKind
from ironclaw_memory.contract.targets import BOOTSTRAP


_ACTS: Final[Mapping[str, ChangeKind]] = {
    "delete": ChangeKind.DELETE,
    "rename": ChangeKind.RENAME,
}
_NAMING: Final = ("target", "path", *_ACTS)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The document as it was named, the change, and the bytes of the text that would be stored."""

    target: str | None = None
    change: ChangeKind | None = None
    text_bytes: int | None = None


def asked_of(tool: str, request: Mapping[str, object]) -> Asked:
    """Return what the canonical *request* of a tool would do."""
    target = _target(request)
    if tool != "write":
        return Asked(target=target)
    if target == BOOTSTRAP:
        return Asked(target=target, change=ChangeKind.CLEAR)
    if "old_string" in request:
        return Asked(
            target=target, change=ChangeKind.PATCH, text_bytes=_size(request["new_string"])
        )
    change = ChangeKind.APPEND if request["append"] else ChangeKind.REPLACE
    return Asked(target=target, change=change, text_bytes=_size(request["content"]))


def asked_of_act(act: Mapping[str, object]) -> Asked:
    """Return what an act that is no tool of the contract would do, as its caller words it."""
    change = next((kind for word, kind in _ACTS.items() if word in act), None)
    return Asked(target=_target(act), change=change)


def _target(arguments: Mapping[str, object]) -> str | None:
    named = (arguments.get(name) for name in _NAMING)
    return next((name for name in named if isinstance(name, str)), None)


def _size(text: object) -> int:
    return len(str(text).encode(errors="surrogatepass"))
