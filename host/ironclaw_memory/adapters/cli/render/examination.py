"""What a doctor found, for eyes."""

from collections.abc import Iterator
from dataclasses import replace

from ironclaw_memory.adapters.cli.render.table import columns, counted, size
from ironclaw_memory.adapters.cli.terminal import Terminal, one_line
from ironclaw_memory.doctor.examination import Examination
from ironclaw_memory.doctor.findings import AT_THE_NEXT_SEARCH, OUT_OF_STEP, Finding, Severity


_SHOWN = 50  # findings of one place; --json has them all


def drawn(found: Examination, terminal: Terminal) -> str:
    """Return the examination as text: the installation, then each scope with what it takes."""
    return "".join(_parts(found, terminal))


def _parts(found: Examination, terminal: Terminal) -> Iterator[str]:
    yield from _lines(found.installation, named=True)
    for scope in found.scopes:
        taken = f"{counted(scope.documents, 'file')} on {size(scope.bytes)} of disk"
        store = f"versions and index on {size(scope.store_bytes)}"
        yield f"{terminal.strong(one_line(scope.place))}  {taken}, {store}\n"
        yield from _lines(scope.findings, named=False)
    if all(finding.code in AT_THE_NEXT_SEARCH for finding in found.findings()):
        yield "Everything is in order.\n"
    elif not found.trouble():
        yield "Nothing has to be done.\n"


def _lines(findings: tuple[Finding, ...], *, named: bool) -> Iterator[str]:
    rows = []
    findings = tuple(_calmly(findings))
    for finding in findings[:_SHOWN]:
        where = ": ".join(filter(None, (finding.place if named else "", finding.path)))
        rows.append((f"  {_word(finding)}", one_line(where) or "-", finding.sentence))
    yield columns(rows)
    if len(findings) > _SHOWN:
        yield f"  … and {len(findings) - _SHOWN} more; --json names them all\n"


def _calmly(findings: tuple[Finding, ...]) -> Iterator[Finding]:
    """Yield what was found, but all documents that the next search takes in as one finding."""
    changed = [finding for finding in findings if finding.code == OUT_OF_STEP]
    yield from (finding for finding in findings if finding.code != OUT_OF_STEP)
    for repaired in (False, True):
        alike = [finding for finding in changed if finding.repaired is repaired]
        if len(alike) > 1:
            alike = [replace(alike[0], path=counted(len(alike), "document"))]
        yield from alike


def _word(finding: Finding) -> str:
    if finding.repaired:
        return "mended"
    return "trouble" if finding.severity is Severity.TROUBLE else "notice"
