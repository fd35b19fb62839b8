"""Which versions are past retention, as a pure rule.

The newest `VERSIONS_KEPT` stay whatever their age. Older ones stay for
`VERSION_DAYS`, as long as there are not more than `VERSIONS_MAX` and the stored
bodies of the document, counted from the newest, stay below `VERSION_BYTES`: a
document that is rewritten all day must not fill the disk.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from memory_native.limits import (
    HISTORY_BYTES,
    TRIM_EVERY,
    VERSION_BYTES,
    VERSION_DAYS,
    VERSIONS_KEPT,
    VERSIONS_MAX,
)
from memory_native.versions.rows import Row


_DAY_MS: Final = 86_400_000
_HASH_BYTES: Final = len("sha256:") + 64


def has_room(rows: Sequence[Row]) -> bool:
    """Tell whether *rows* are no more than a history grows to by itself, and fit into one reply."""
    owners = "".join([row.changed_by for row in rows])
    listed = _HASH_BYTES * len(rows) + len(owners.encode())
    return len(rows) <= VERSIONS_MAX + TRIM_EVERY and listed <= HISTORY_BYTES


def expired(rows: Sequence[Row], *, stored: Mapping[int, int], now_ms: int) -> tuple[Row, ...]:
    """Return the rows to drop, always the oldest ones of *rows*.

    *stored* maps a version number to the bytes its body takes on disk.
    """
    total = 0
    for position, row in enumerate(reversed(rows)):
        total += stored.get(row.number, 0)
        old = now_ms - row.unix_ms > VERSION_DAYS * _DAY_MS
        surplus = position >= VERSIONS_MAX or total > VERSION_BYTES
        if position >= VERSIONS_KEPT and (old or surplus):
            return tuple(rows[: len(rows) - position])
    return ()
