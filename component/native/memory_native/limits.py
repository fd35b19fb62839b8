"""Numbers that bound the provider, each with its source."""

from typing import Final


DOCUMENT_BYTES: Final = 1 << 20
"""The largest document a write may leave behind (design.md section 5)."""

READ_BYTES: Final = 4 << 20
"""The largest file that is read at all; a reply may be 8 MiB of JSON, where text can double."""

METADATA_BYTES: Final = 64 << 10
"""The largest metadata object; more is a document."""

JSON_DEPTH: Final = 64
"""Nesting of any JSON (design.md section 5): deeper input exhausts the wasm stack, which is a trap."""

SEGMENT_BYTES: Final = 255
"""NAME_MAX of every file system in use."""

PATH_BYTES: Final = 1024
"""PATH_MAX of macOS, the smallest of the supported systems."""

WRITE_TRIES: Final = 8
"""Attempts of a compare-and-replace before it is a conflict (reference.md section 2.2)."""

TREE_ENTRIES: Final = 2000
"""Entries of one listing (design.md section 5)."""

SCOPE_DOCUMENTS: Final = 20_000
"""Documents of one scope (design.md section 5); watched by the host, reported by `check`."""

SCOPE_BYTES: Final = 256 << 20
"""Bytes of all documents of one scope (design.md section 5); as above."""

VERSIONS_KEPT: Final = 50
"""The newest versions of a document are kept whatever their age (design.md section 6)."""

VERSIONS_MAX: Final = 2000
"""No document keeps more: a history crosses the boundary as one reply of at most 1 MiB."""

TRIM_EVERY: Final = 64
"""A history is trimmed every so many versions, and may be that much longer until then."""

HISTORY_BYTES: Final = 900 << 10
"""Hashes and owners in one such reply; the rest of the 1 MiB is for the versions until a trim."""

VERSION_NUMBER_MAX: Final = 1 << 31
"""The largest number from elsewhere: as many again are left for versions of our own in a u32."""

UNIX_MS_MAX: Final = 253_370_764_800_000
"""The year 9999: a calendar shows every earlier moment, in any zone."""

OWNER_BYTES: Final = 4 * 256 + 28
"""An owner's key: four ids of at most 256 bytes and their labels (reference.md section 1)."""

VERSION_DAYS: Final = 30
"""Older versions are kept this long (design.md section 6) ..."""

VERSION_BYTES: Final = 8 << 20
"""... while the stored bodies of the document stay below this: 32 such documents fill a scope."""

RETENTION_DAYS: Final = 30
"""`hygiene.retention_days` where it is not given (reference.md section 4)."""

LITTER_SECONDS: Final = 60
"""A staging file older than this belongs to a call that was killed: no call may last so long."""
