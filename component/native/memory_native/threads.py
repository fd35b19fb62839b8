"""Where transcripts live: ``threads/<thread>/<run>.md``.

An id becomes a directory or file name by an injective encoding that survives
file systems which fold case or decompose accents. Lower-case letters, digits,
``-``, ``_`` and inner dots stand for themselves; every other byte of the id's
UTF-8 is written ``=xx``. A name longer than 200 bytes is its first 120, ``~`` and
the SHA-256 of the id. ``~`` occurs nowhere else, so no two ids share a name.
"""

from hashlib import sha256
from typing import Final

from memory_native.paths import RESERVED_SUFFIXES, THREADS, in_threads


_PLAIN: Final = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_.")
_LONGEST: Final = 200  # bytes; with the suffix well below NAME_MAX of 255
_KEPT: Final = 120
_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
)


def transcript_path(thread_id: str, run_id: str) -> str:
    """Return the path of the transcript of one run."""
    return f"{THREADS}/{segment(thread_id)}/{segment(run_id)}.md"


def is_of_thread(path: str, thread_id: str) -> bool:
    """Tell whether *path* is a transcript of *thread_id*.

    The root is compared without regard to ASCII case, the thread is not
    (reference.md section 1).
    """
    return in_threads(path) and path.split("/", 1)[1].startswith(f"{segment(thread_id)}/")


def shelf_of(path: str) -> str:
    """Return what a document is searched with: the transcripts of its thread, or ``""``.

    Every document that `is_of_thread` accepts is on the shelf of ``segment(thread_id)``.
    """
    return path.split("/")[:2][-1] if in_threads(path) else ""


def segment(identifier: str) -> str:
    """Return the name that stands for *identifier*."""
    raw = identifier.encode("utf-8", "surrogatepass")
    name = "".join(chr(byte) if byte in _PLAIN else f"={byte:02x}" for byte in raw)
    if len(name) > _LONGEST:
        return f"{name[:_KEPT]}~{sha256(raw).hexdigest()}"
    return _inner_dots_only(name)


def _inner_dots_only(name: str) -> str:
    """Escape a dot that would hide the name, end it or make a reserved suffix, and device names."""
    if name.startswith(".") or name.split(".", 1)[0] in _DEVICES:
        name = f"={ord(name[0]):02x}{name[1:]}"
    if name.endswith((".", *RESERVED_SUFFIXES)):
        head, _, last = name.rpartition(".")
        name = f"{head}=2e{last}"
    return name
