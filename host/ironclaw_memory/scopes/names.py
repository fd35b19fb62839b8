"""Directory names for ids: injective, readable when plain, safe on any file system.

Two different ids never share a directory, also where the file system folds case or
normalises to NFC or NFD (design.md section 6). A name is one of

    plain              the id itself: ``a``-``z``, digits, ``.``, ``_``, ``-``, not leading ``.`` or ``_``
    ``+`` escaped      every other byte as ``=`` and two lower-case hex digits
    ``#`` digest       SHA-256 of ids whose escaped form would be longer than `MAX_NAME_BYTES`

so every name is lower-case ASCII and its first character tells the form. The
long form cannot be decoded; only a check of everything there is would want to.
"""

import hashlib
import re
from typing import Final

from ironclaw_memory.model import ABSENT


MAX_NAME_BYTES: Final = 200
"""Below the 255 of every common file system, with room for a suffix of ours."""

_PLAIN: Final = re.compile(r"[a-z0-9][a-z0-9._-]*")
_KEPT: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789._-")
_ESCAPED: Final = re.compile(r"=([0-9a-f]{2})")
_READABLE: Final = 40  # characters of a long id that are kept in front of its digest


def encode(value: str | None) -> str:
    """Return the directory name of an id, or ``_none`` for an absent one."""
    if value is None:
        return ABSENT
    if len(value) <= MAX_NAME_BYTES and _PLAIN.fullmatch(value):
        return value
    escaped = "".join(chr(b) if b in _KEPT else f"={b:02x}" for b in value.encode())
    if len(escaped) < MAX_NAME_BYTES:
        return f"+{escaped}"
    digest = hashlib.sha256(value.encode()).hexdigest()
    return f"#{digest}-{''.join(c for c in escaped if c.isalnum())[:_READABLE]}"


class Undecodable(ValueError):
    """A directory name that does not tell which id it stands for, or stands for none."""


def decode(name: str) -> str | None:
    """Return the id that `encode` gave *name* to, or ``None`` for an absent one.

    Raises `Undecodable` for the long form and for what is no name of ours.
    """
    if name == ABSENT:
        return None
    value = name
    if name.startswith("+"):
        try:
            parts = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), name[1:])
            value = parts.encode("latin-1").decode()
        except UnicodeError:
            raise Undecodable(name) from None
    if encode(value) != name:
        raise Undecodable(name)
    return value
