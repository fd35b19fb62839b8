"""What a version from elsewhere must be to be kept: within bounds, and one with its body.

An archive may come from an enemy. A row that is let in is listed with every history of its
document, so one that is out of bounds would keep all of them from being listed.
"""

import re
from hashlib import sha256
from typing import Final

from memory_native.failures import MemoryFailure
from memory_native.limits import OWNER_BYTES, READ_BYTES, UNIX_MS_MAX, VERSION_NUMBER_MAX
from memory_native.upkeep.reports import VersionRow
from memory_native.versions.rows import Row, State


HASH: Final = "sha256:"
_HASH_TEXT: Final = re.compile(f"{HASH}[0-9a-f]{{64}}")


def adoptable(row: VersionRow, content: str | None) -> tuple[Row, bytes | None]:
    """Return *row* as one of ours, stored in full, and the body, None for an erased one.

    Raises ``version-invalid`` naming the field that is out of bounds, and
    ``version-mismatch`` where row and *content* contradict each other.
    """
    for field, holds in _bounds(row):
        if not holds:
            raise MemoryFailure("version-invalid", field=field)
    body = None if content is None else content.encode(errors="surrogatepass")
    if not _agree(row, body):
        raise MemoryFailure("version-mismatch", field="content")
    own = Row(
        number=row.number,
        hash=row.hash.removeprefix(HASH),
        size=row.size,
        unix_ms=row.unix_ms,
        changed_by=row.changed_by,
        base=0 if body is None else row.size,
        state=State.ERASED if body is None else State.PUBLISHED,
    )
    return own, body


def _bounds(row: VersionRow) -> tuple[tuple[str, bool], ...]:
    """Return each field with whether it can be one of a version."""
    return (
        ("number", 1 <= row.number <= VERSION_NUMBER_MAX),
        ("hash", _HASH_TEXT.fullmatch(row.hash) is not None),
        ("size", 0 <= row.size <= READ_BYTES),  # a larger body could not be given back
        ("unix_ms", 0 <= row.unix_ms <= UNIX_MS_MAX),
        ("changed_by", len(row.changed_by.encode(errors="surrogatepass")) <= OWNER_BYTES),
    )


def _agree(row: VersionRow, body: bytes | None) -> bool:
    if row.erased or body is None:
        return row.erased and body is None
    return row.hash == HASH + sha256(body).hexdigest() and row.size == len(body)
