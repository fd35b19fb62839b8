"""One hash for one call: the same tool, the same scope, the same arguments."""

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.model import Scope


_JSON: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical(arguments: Mapping[str, object]) -> str:
    """Return *arguments* as JSON text that two equal requests share.

    Keys are sorted, nothing is rounded, and everything beyond ASCII is escaped, so
    that two texts that look alike stay apart. Raises `InvalidArguments` for what is
    not JSON: a key that is not text, a number that is not finite, another type.
    """
    _refuse_other_keys(arguments)
    try:
        return _JSON.encode(arguments)
    except (TypeError, ValueError, RecursionError):
        raise InvalidArguments("The arguments are not plain JSON.") from None


def fingerprint(tool: str, scope: Scope, arguments: Mapping[str, object]) -> str:
    """Return ``sha256:`` and 64 hexadecimal digits over tool, scope axes and arguments."""
    return fingerprint_of(tool, scope, canonical(arguments))


def fingerprint_of(tool: str, scope: Scope, canonical_arguments: str) -> str:
    """Return the fingerprint where the canonical text is already at hand."""
    # A JSON list of texts is injective: no two calls share the bytes that are hashed.
    text = json.dumps(["call/1", tool, scope.axes(), canonical_arguments])
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _refuse_other_keys(value: object) -> None:
    # json.dumps would turn the key 1 into "1", and two calls into one.
    waiting = [value]
    while waiting:
        match waiting.pop():
            case Mapping() as mapping:
                if not all(isinstance(key, str) for key in mapping):
                    raise InvalidArguments("The arguments have a key that is not text.")
                waiting.extend(mapping.values())
            case list() | tuple() as items:
                waiting.extend(items)
            case _:
                pass
