"""Archives for tests, honest and hostile."""

import io
import json
import tarfile
from collections.abc import Iterable
from pathlib import Path


MANIFEST = ("manifest.json", json.dumps({"format": 1}).encode())


def entry(name: str, body: bytes = b"", **fields: object) -> tuple[tarfile.TarInfo, bytes]:
    """Return a member with any field of its header set to any value."""
    header = tarfile.TarInfo(name)
    header.size = len(body)
    for field, value in fields.items():
        setattr(header, field, value)
    return header, body


def archive(
    path: Path, entries: Iterable[tuple[tarfile.TarInfo, bytes]], *, manifest: bool = True
) -> Path:
    """Write a tar of *entries*, a sound manifest first unless there is to be none."""
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        for header, body in [*([entry(*MANIFEST)] if manifest else []), *entries]:
            tar.addfile(header, io.BytesIO(body) if body else None)
    return path
