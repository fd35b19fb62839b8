"""The stable name of a snippet, by which a model and a log refer to it (reference.md section 6).

FNV-1a with 64 bits. It identifies, it does not authenticate: anyone can
compute it, and nothing is ever allowed because of it.
"""

from typing import Final

from ironclaw_memory.recall.lanes import RawSnippet


_OFFSET_BASIS: Final = 0xCBF29CE484222325
_PRIME: Final = 0x100000001B3
_MASK: Final = (1 << 64) - 1
_SEPARATOR: Final = b"\xff"  # no UTF-8 text contains it, so no two lists of parts collide


def snippet_reference(snippet: RawSnippet) -> str:
    """Return ``memory-snippet:`` and 16 hexadecimal digits for scope and path."""
    parts = (*snippet.axes(), snippet.path)
    return f"memory-snippet:{_fnv1a(parts):016x}"


def _fnv1a(parts: tuple[str, ...]) -> int:
    digest = _OFFSET_BASIS
    for part in parts:
        for byte in part.encode("utf-8", "surrogatepass") + _SEPARATOR:
            digest = ((digest ^ byte) * _PRIME) & _MASK
    return digest
