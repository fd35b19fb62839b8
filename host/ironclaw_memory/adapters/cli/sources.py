"""What somebody wants to import, and from where."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Final

from ironclaw_memory.adapters.cli.reading import STDIN
from ironclaw_memory.adapters.cli.terminal import one_line
from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.portability.hostile import check_file


_MARKDOWN: Final = frozenset({".md", ".markdown"})
_LINES: Final = frozenset({".jsonl", ".ndjson", ".json"})
_PIECE: Final = 1 << 20


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
def new_file(path: Path) -> Iterator[int]:
    """Yield a descriptor of a file that did not exist; it is gone again if the block raises.

    Raises `InvalidArguments` if it exists or cannot be made.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileNotFoundError:
        raise InvalidArguments(
            f"The folder {one_line(str(path.parent))} does not exist.",
            field="file",
            hint="Make it first, or name another.",
        ) from None
    except OSError as problem:
        raise InvalidArguments(
            f"The file cannot be made: {os.strerror(problem.errno or 0)}.",
            field="file",
            hint="Name a file that does not exist yet; nothing is overwritten.",
        ) from None
    try:
        yield descriptor
    except BaseException:
        path.unlink(missing_ok=True)
        raise
