"""What became of documents that moved."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from ironclaw_memory.errors import IronclawMemoryError


DIFFERS: Final = "differs"  # another text stands at that path, and is left alone
NOT_TEXT: Final = "not-text"  # contract/sentences.py
BODY_MISSING: Final = "version-missing"  # contract/sentences.py
PATH_ILLEGAL: Final = "path-invalid"  # contract/sentences.py
METADATA_ILLEGAL: Final = "metadata-invalid"  # contract/sentences.py
VERSION_ILLEGAL: Final = "version-invalid"  # contract/sentences.py
TOO_LARGE: Final = "document-too-large"  # contract/sentences.py
KEPT: Final = "path-kept"  # contract/sentences.py
OCCUPIED: Final = "path-occupied"  # contract/sentences.py
TWINS: Final = "path-twin"  # contract/sentences.py
RECORDED: Final = "threads-reserved"  # contract/sentences.py
OVERSIZED: Final = "larger-than-an-import-takes"
METADATA_LEFT_OUT: Final = "metadata-left-out"  # the document came in without them
_ABOUT_ONE: Final = frozenset({2, 4})
"""Exit codes of errors that may concern one document alone; 3 and 5 end everything."""

Progress = Callable[[int, int], None]
"""Told how many documents are done and how many there are."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What could not move: a document or a version of it, and the code of the reason."""

    path: str
    code: str


@dataclass(kw_only=True)
class ExportReport:
    """What an archive holds, and what it lacks; *bytes* of documents without versions.

    ``deleted`` counts the documents of which there is only a history, ``versions`` the
    texts: an erased version goes along as a trace and is not counted.
    """

    documents: int = 0
    deleted: int = 0
    versions: int = 0
    bytes: int = 0
    problems: list[Problem] = field(default_factory=list)


@dataclass(kw_only=True)
class ImportReport:
    """What came in, what was there already, and what could not come.

    The first three are paths; ``deleted`` those of documents of which only a history came,
    and ``identical`` has those of which all of it was there.
    ``versions`` counts as in `ExportReport`, ``skipped`` files and folders that were not
    looked at.
    """

    written: list[str] = field(default_factory=list)
    identical: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    versions: int = 0
    skipped: int = 0
    problems: list[Problem] = field(default_factory=list)


def problem_of(error: IronclawMemoryError, path: str) -> Problem:
    """Return *error* as a problem of *path* alone, or raise it again if it ends everything."""
    if error.exit_code not in _ABOUT_ONE:
        raise error
    return Problem(path=path, code=error.code)
