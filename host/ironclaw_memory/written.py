"""Which documents a provider changed since the host last looked, by the hashes of their paths.

A document that came and went between two looks is in neither, and the provider's index still
has it: only these notes tell. There is one file a scope with a line a change, appended when a
call ends and dropped by the look that read it. It is a hint like what was seen: nothing is
synced, and nothing that goes wrong with it fails a call.
"""

import fcntl
import hashlib
import os
import re
import time
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from ironclaw_memory.capability.audit import MAX_ASSERTIONS
from ironclaw_memory.capability.statefile import wait_for_lock
from ironclaw_memory.model import ProviderEvent
from ironclaw_memory.private import FILE_MODE, make_private


MOST_BYTES: Final = 256 << 10
"""Some 3,000 changes; of more it is only noted that there were some."""

_LOCK_WAIT_S: Final = 1.0  # it is held for a few system calls
_OPEN: Final = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_SIGNS: Final = {"document-written": "+", "document-indexed": "+", "document-deleted": "-"}
_ANYTHING: Final = "*"
_LINE: Final = re.compile(rb"([+-])([0-9a-f]{64}) [0-9]+")


@dataclass(frozen=True, kw_only=True)
class Noted:
    """What was read: for each path's hash whether the provider knows a document there.

    ``everything`` is set where more was changed than was noted. ``lines`` are what to drop.
    """

    known: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    everything: bool = False
    lines: frozenset[bytes] = frozenset()


NOTHING: Final = Noted()


def hash_of(path: str) -> str:
    """Return the hash of a path on disk as the provider's events give it (wit/audit.wit)."""
    return hashlib.sha256(unicodedata.normalize("NFC", path).encode()).hexdigest()


def note(file: Path, events: Iterable[ProviderEvent]) -> None:
    """Append what the *events* of one call say was changed."""
    _append(file, b"".join(_lines_of(list(events))))


def note_anything(file: Path) -> None:
    """Append that more may have changed than any events say."""
    _append(file, _line(_ANYTHING))


def read(file: Path) -> Noted:
    """Return what is noted; what cannot be understood may stand for anything."""
    try:
        lines = _split(file.read_bytes())
    except FileNotFoundError:
        return NOTHING
    except OSError:
        return Noted(everything=True)
    found = [_LINE.fullmatch(line) for line in lines]
    return Noted(
        known={match[2].decode(): match[1] == b"+" for match in found if match},
        everything=not all(found),
        lines=frozenset(lines),
    )


def drop(file: Path, lines: frozenset[bytes]) -> None:
    """Drop *lines*, which a look has dealt with; what was noted since then stays."""
    if lines:
        with suppress(OSError), _locked(file) as descriptor:
            _replace(descriptor, [line for line in _content(descriptor) if line not in lines])


def forget(file: Path, path: str) -> None:
    """Keep the hash of *path* no longer.

    If the provider did not come to say that the document is gone, anything may be.
    """
    name = hash_of(path).encode()
    with suppress(OSError), _locked(file) as descriptor:
        lines = _content(descriptor)
        own = [line for line in lines if line[1:].startswith(name)]
        kept = [line for line in lines if line not in own]
        if own and own[-1].startswith(b"+"):
            kept.append(_line(_ANYTHING).rstrip())
        _replace(descriptor, kept)


def _append(file: Path, block: bytes) -> None:
    if not block:
        return
    with suppress(OSError), _locked(file, make=True) as descriptor:
        size = os.fstat(descriptor).st_size
        if size + len(block) > MOST_BYTES:
            os.ftruncate(descriptor, 0)
            size, block = 0, _line(_ANYTHING)
        os.pwrite(descriptor, block, size)


def _lines_of(events: list[ProviderEvent]) -> Iterator[bytes]:
    """Yield a line for each path; one that has used up its events may have changed more."""
    last = {event.path_hash: _SIGNS[event.kind] for event in events if event.kind in _SIGNS}
    for path_hash, sign in last.items():
        if path_hash is not None:
            yield _line(sign + path_hash.removeprefix("sha256:"))
    if len(events) >= MAX_ASSERTIONS:
        yield _line(_ANYTHING)


def _line(what: str) -> bytes:
    """Return a line that no other is equal to, so that dropping it drops no later one."""
    return f"{what} {time.time_ns()}\n".encode()


def _split(content: bytes) -> list[bytes]:
    return content.split(b"\n")[:-1] + ([] if content.endswith(b"\n") or not content else [b"?"])


def _content(descriptor: int) -> list[bytes]:
    return _split(os.pread(descriptor, os.fstat(descriptor).st_size, 0))


def _replace(descriptor: int, lines: list[bytes]) -> None:
    """Make *lines* the content; cut off halfway, it holds a line that stands for anything."""
    content = b"".join(line + b"\n" for line in lines)
    os.pwrite(descriptor, content, 0)
    os.ftruncate(descriptor, len(content))


@contextmanager
def _locked(file: Path, *, make: bool = False) -> Iterator[int]:
    descriptor = _opened(file, make=make)
    try:
        wait_for_lock(descriptor, seconds=_LOCK_WAIT_S, busy=OSError("the notes are locked"))
        try:
            yield descriptor
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # as in capability/audit_files.py
    finally:
        os.close(descriptor)


def _opened(file: Path, *, make: bool) -> int:
    flags = _OPEN | (os.O_CREAT if make else 0)
    try:
        return os.open(file, flags, FILE_MODE)
    except FileNotFoundError:
        if not make:
            raise
        make_private(file.parent)
        return os.open(file, flags, FILE_MODE)
