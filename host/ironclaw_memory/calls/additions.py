"""How much a request may add to a scope, as far as the host can tell before it runs."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ironclaw_memory.contract.targets import ALIASES
from ironclaw_memory.quota import Addition


_PROFILE: Final = "context/profile.json"  # design.md section 6


def addition(tool: str, request: Mapping[str, Any]) -> Addition:
    """Return what a canonical *request* of a writing tool may add."""
    if tool != "write":
        return Addition(size=_size(*map(str, request.values())), path=_PROFILE)
    target = str(request["target"])
    path = ALIASES.get(target, unicodedata.normalize("NFC", target))
    old, new = request.get("old_string"), request.get("new_string")
    if old is not None:
        return Addition(size=_size(new or "") - _size(old), path=path)
    return Addition(size=_size(request["content"]), path=path, replaces=not request["append"])


def transcript(messages: Sequence[Mapping[str, Any]]) -> Addition:
    """Return what recording *messages* may add."""
    return Addition(size=sum(_size(m["content"], m["name"] or "") for m in messages))


def _size(*texts: str) -> int:
    return sum(len(text.encode(errors="surrogatepass")) for text in texts)
