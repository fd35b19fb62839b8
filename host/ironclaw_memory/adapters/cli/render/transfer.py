"""What became of documents that moved, in words."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ironclaw_memory.adapters.cli.render.table import counted, size
from ironclaw_memory.adapters.cli.terminal import one_line
from ironclaw_memory.contract.sentences import SENTENCES
from ironclaw_memory.portability.foresight import MAX_DOCUMENT_BYTES
from ironclaw_memory.portability.hostile import MAX_MEMBER_BYTES
from ironclaw_memory.portability.plans import Duplicate
from ironclaw_memory.portability.report import (
    METADATA_LEFT_OUT,
    OVERSIZED,
    TOO_LARGE,
    ExportReport,
    ImportReport,
    Problem,
)


_OURS: Final[Mapping[str, str]] = {
    "directory-unreadable": "is a directory that cannot be entered",
    "path-repeated": "has the name of another file, spelt with other characters; rename one",
    "differs": "another text stands there, which was left alone",
    "name-not-utf8": "has a name that is not UTF-8; rename it",
    "depth": "lies too deep to be served",
    "pipe": "is a pipe, which is not opened",
    "socket": "is a socket, which is not opened",
    "device": "is a device, which is not opened",
    "link": "is a link, which is not followed",
    "unreadable": "cannot be read",
    "secret-detected": "looks like it contains a secret",
    "not-understood": "is neither an entity nor a relation",
    TOO_LARGE: f"is too large to be imported: no more than {MAX_DOCUMENT_BYTES >> 20} MiB is stored",
    OVERSIZED: f"is larger than the {MAX_MEMBER_BYTES >> 20} MiB that an import takes; left out",
    METADATA_LEFT_OUT: "came in without its metadata, since no write may store such a document",
}
_SHOWN: Final = 20  # paths of one kind; --json has them all


def exported(report: ExportReport) -> str:
    """Return what an archive holds."""
    documents, versions = counted(report.documents, "document"), counted(report.versions, "version")
    head = f"Exported {documents}, {size(report.bytes)}, with {versions}{_deleted(report.deleted)}."
    return "".join(f"{line}\n" for line in [head, *problems(report.problems)])


def _deleted(count: int) -> str:
    return f", and of {counted(count, 'deleted document')} the history" if count else ""


def imported(report: ImportReport, duplicates: Iterable[Duplicate], *, dry_run: bool) -> str:
    """Return what came in, or would."""
    done = "Would import" if dry_run else "Imported"
    head = f"{done} {counted(len(report.written), 'document')}"
    head += f" with {counted(report.versions, 'version')}" if report.versions else ""
    head += f"{_deleted(len(report.deleted))}."
    lines = [head, *_some(report.written if dry_run else ())]
    if dry_run and report.written:
        lines.append("Each text is checked again as it comes in, and may be refused then.")
    if report.identical:
        lines.append(f"Already there: {counted(len(report.identical), 'document')}.")
    if report.skipped:
        lines.append(f"Passed over, as hidden or no Markdown: {report.skipped}.")
    lines += _some(f"{d.path} has the text of {d.same_as} too" for d in duplicates)
    return "".join(f"{line}\n" for line in [*lines, *problems(report.problems)])


def problems(found: Iterable[Problem]) -> Iterator[str]:
    """Yield a line for each document that could not move, up to a bound."""
    return _some(f"{problem.path}: {_reason(problem.code)}" for problem in found)


def _reason(code: str) -> str:
    return _OURS.get(code) or SENTENCES.get(code, (code, ""))[0]


def _some(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number == _SHOWN:
            yield "  … and more; --json names them all"
            return
        yield f"  {one_line(line)}"
