"""Markdown as texts: one file, or a folder's regular files, no link followed."""

import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.portability.foresight import MAX_DOCUMENT_BYTES
from ironclaw_memory.portability.members import is_document_path
from ironclaw_memory.portability.plans import Text
from ironclaw_memory.portability.report import NOT_TEXT, TOO_LARGE, Problem


SUFFIXES: Final = (".md", ".markdown")
MAX_FILES: Final = 20_000  # design.md section 5: documents of a scope
LINK: Final = "link"
ILLEGAL: Final = "path-invalid"  # contract/sentences.py
BLANK: Final = "content-blank"  # contract/sentences.py
UNREADABLE: Final = "unreadable"
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Found(NamedTuple):
    """The texts of a folder, what is none, and how much in it was passed over."""

    texts: list[Text]
    problems: list[Problem]
    skipped: int


@dataclass
class _Passed:
    """What a walk did not yield."""

    problems: list[Problem] = field(default_factory=list)
    skipped: int = 0


def texts_of(source: Path, *, into: str) -> Found:
    """Return the Markdown files of a folder, or the one file *source*, as documents below *into*.

    Hidden files and folders and other files are counted alone, links are named as problems. Raises
    `InvalidArguments` for a folder of more than `MAX_FILES` Markdown files.
    """
    texts: list[Text] = []
    passed = _Passed()
    problems = passed.problems
    folder = source if source.is_dir() else source.parent
    files = _files(folder, passed) if source.is_dir() else iter([source.name])
    base = f"{into.strip('/')}/" if into.strip("/") else ""
    for relative in files:
        if len(texts) + len(problems) >= MAX_FILES:
            raise InvalidArguments(
                f"The folder has more than {MAX_FILES} Markdown files.",
                field="folder",
                hint="Import it in parts, or into several scopes.",
            )
        shown = relative.encode(errors="replace").decode()
        path = base + unicodedata.normalize("NFC", shown)
        content = _content(folder / relative) if is_document_path(path) else ILLEGAL
        if isinstance(content, bytes):
            texts.append(Text(path=path, content=content.decode()))
        else:
            problems.append(Problem(path=path, code=content))
    return Found(texts, problems, passed.skipped)


def _files(folder: Path, passed: _Passed) -> Iterator[str]:
    """Yield the Markdown files below *folder* by relative path, sorted within a directory."""
    for directory, folders, files in os.walk(folder, followlinks=False):
        inside = Path(directory).relative_to(folder)
        everything = len(folders) + len(files)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        links = (name for name in folders if (Path(directory) / name).is_symlink())
        passed.problems += [Problem(path=_shown(inside / name), code=LINK) for name in links]
        taken = sorted(name for name in files if _is_markdown(name))
        passed.skipped += everything - len(folders) - len(taken)
        for name in taken:
            yield (inside / name).as_posix()


def _is_markdown(name: str) -> bool:
    return not name.startswith(".") and name.lower().endswith(SUFFIXES)


def _content(file: Path) -> bytes | str:
    """Return the bytes of a text, or the code of what is wrong with it."""
    try:
        descriptor = os.open(file, _READ)
    except OSError:
        return LINK if file.is_symlink() else UNREADABLE
    with os.fdopen(descriptor, "rb") as opened:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return UNREADABLE
        content = opened.read(MAX_DOCUMENT_BYTES + 1)
    if len(content) > MAX_DOCUMENT_BYTES:
        return TOO_LARGE
    try:
        return content if content.decode().strip() else BLANK
    except UnicodeDecodeError:
        return NOT_TEXT


def _shown(path: Path) -> str:
    return path.as_posix().encode(errors="replace").decode()
