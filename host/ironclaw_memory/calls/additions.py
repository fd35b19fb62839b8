"""How much a request may add to a scope, as far as the host can tell before it runs."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ironclaw_memory.quota import Addition


# reference.md section 2.2; the document of the daily log depends on the user's day
_TARGETS: Final[Mapping[str, str | None]] = {
    "memory": "MEMORY.md",
    "heartbeat": "HEARTBEAT.md",
    "bootstrap": "BOOTSTRAP.md",
    "daily_log": None,
}
_PROFILE: Final = "context/profile.json"  # design.md section 6


def addition(tool: str, request: Mapping[str, Any]) -> Addition:
    """Return what a canonical *request* of a writing tool may add."""
    if tool != "write":
        return Addition(size=_size(*map(str, request.values())), path=_PROFILE)
    target = str(request["target"])
    path = _TARGETS.get(target, unicodedata.normalize("NFC", target))
    old, new = request.get("old_string"), request.get("new_string")
    if old is not None:
        return Addition(size=_size(new or "") - _size(old), path=path)
    return Addition(size=_size(request["content"]), path=path, replaces=not request["append"])


def transcript(messages: Sequence[Mapping[str, Any]]) -> Addition:
    """Return what recording *messages* may add."""
    return Addition(size=sum(_size(m["content"], m["name"] or "") for m in messages))


def _size(*texts: str) -> int:
    return sum(len(text.encode(errors="surrogatepass")) for text in texts)
