"""What somebody wants to import, and from where."""

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, ClassVar, Final

from ironclaw_memory.adapters.cli.failures import INTERRUPTED
from ironclaw_memory.adapters.cli.reading import STDIN
from ironclaw_memory.adapters.cli.terminal import one_line
from ironclaw_memory.errors import InvalidArguments, IronclawMemoryError
from ironclaw_memory.portability.hostile import check_file
from ironclaw_memory.private import CREATE, FILE_MODE, clear_unfinished, unfinished


_MARKDOWN: Final = frozenset({".md", ".markdown"})
_LINES: Final = frozenset({".jsonl", ".ndjson", ".json"})
_PIECE: Final = 1 << 20
_NAME_BYTES: Final = 64  # of the name of an unfinished file; systems take 143 and more in all
_DIGITS: Final = 16


class Interrupted(IronclawMemoryError):
    """A person, or whoever read standard output, ended a command before its end."""

    code = "interrupted"
    exit_code: ClassVar[int] = INTERRUPTED


class Kind(Enum):
    """What a source holds."""

    ARCHIVE = "archive"
    MARKDOWN = "markdown"
    SERVER_MEMORY = "server-memory"


def kind_of(source: str, said: str | None) -> Kind:
    """Return what *source* holds: what was *said*, else what its name shows.

    Raises `InvalidArguments` if it is not there, or cannot be what was said.
    """
    if source != STDIN and not Path(source).exists():
        raise InvalidArguments(
            f"{one_line(source)} does not exist.", field="source", hint="Name a file or a folder."
        )
    if said is not None:
        return _said(source, Kind(said))
    if source == STDIN:
        return Kind.ARCHIVE
    suffix = Path(source).suffix.lower()
    if suffix in _MARKDOWN or Path(source).is_dir():
        return Kind.MARKDOWN
    return Kind.SERVER_MEMORY if suffix in _LINES else Kind.ARCHIVE


def _said(source: str, kind: Kind) -> Kind:
    if source == STDIN and kind is Kind.MARKDOWN:
        raise InvalidArguments(
            "Markdown on standard input has no name to become a document's.",
            field="source",
            hint="Name a file or a folder, or pipe it into `ironclaw-memory write`.",
        )
    if source != STDIN and kind is not Kind.MARKDOWN and Path(source).is_dir():
        raise InvalidArguments(
            f"{one_line(source)} is a folder, and {kind.value} is a file.", field="source"
        )
    return kind


@contextmanager
def as_file(source: str) -> Iterator[Path]:
    """Yield a file with what *source* holds; standard input is kept in a private one for the block.

    An archive is looked through before it is read, which a pipe cannot do. Raises
    `ArchiveRefused` once a pipe gives more than an archive may have.
    """
    if source != STDIN:
        yield Path(source)
        return
    with tempfile.NamedTemporaryFile(prefix="ironclaw-memory-") as kept:
        while piece := sys.stdin.buffer.read(_PIECE):
            kept.write(piece)
            check_file(kept.tell())
        kept.flush()
        yield Path(kept.name)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that becomes *path*, which did not exist, if the block ends well.

    Until then it has a name beside it; what a killed command left there is removed. Raises
    `InvalidArguments` if *path* exists or cannot be made.
    """
    _refuse_taken(path)
    short = _shortened(path)
    fresh = unfinished(short)
    try:
        clear_unfinished(short)
        descriptor = os.open(fresh, CREATE, FILE_MODE)
    except FileNotFoundError:
        raise InvalidArguments(
            f"The folder {one_line(str(path.parent))} does not exist.",
            field="file",
            hint="Make it first, or name another.",
        ) from None
    except OSError as problem:
        raise _not_made(problem.errno or 0) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        _give_name(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def _give_name(fresh: Path, path: Path) -> None:
    """Make *fresh* the file at *path*, and overwrite nothing; raises `InvalidArguments`."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        raise _not_made(errno.EEXIST) from None
    except OSError:  # a file system without links
        _refuse_taken(path)
        fresh.replace(path)


def _refuse_taken(path: Path) -> None:
    """Raise `InvalidArguments` if something is at *path*, or no file can have its name."""
    try:
        path.lstat()
    except FileNotFoundError:
        return
    except OSError as problem:
        raise _not_made(problem.errno or 0) from None
    raise _not_made(errno.EEXIST)


def _shortened(path: Path) -> Path:
    """Return *path*, or one beside it that stands for it alone and leaves room in its name."""
    name = os.fsencode(path.name)
    if len(name) <= _NAME_BYTES:
        return path
    kept = name[:_NAME_BYTES].decode(errors="ignore")
    return path.with_name(f"{kept}.{sha256(name).hexdigest()[:_DIGITS]}")


def _not_made(number: int) -> InvalidArguments:
    taken = number == errno.EEXIST
    return InvalidArguments(
        f"The file cannot be made: {os.strerror(number)}.",
        field="file",
        hint="Name a file that does not exist yet; nothing is overwritten." if taken else "",
    )
