"""How deep JSON may nest, counted before it is parsed.

Parsing deeper input exhausts the stack of a guest or of this process instead of raising
(tech-notes.md section 5).
"""

import re
from typing import Final


MAX_NESTING: Final = 64  # design.md section 5
_JSON_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
# Possessive, and an open string ends with the input: else a row of `\"` takes hours.


def too_deep(payload: bytes) -> bool:
    """Say whether JSON in *payload* could nest deeper than `MAX_NESTING`.

    Brackets inside strings do not count, else a closing one would hide an opening one.
    """
    depth = deepest = 0
    for byte in _JSON_STRING.sub(b"", payload):
        if byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth -= 1
    return deepest > MAX_NESTING
