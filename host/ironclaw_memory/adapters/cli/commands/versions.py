"""``history``, ``diff`` and ``restore``: earlier versions of a document."""

from typing import TYPE_CHECKING, Any, Final

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.render.dates import ago
from ironclaw_memory.adapters.cli.render.owners import owner
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.render.table import columns, size
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.errors import RequestError
from ironclaw_memory.model import LATEST


if TYPE_CHECKING:
    from ironclaw_memory.reports import VersionRow


NUMBER = click.IntRange(1)
_NO_NUMBER: Final = 0  # below every version's


class _NumberOrLatest(click.IntRange):
    """A version's number, or ``LATEST``."""

    name = "number or LATEST"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        return _NO_NUMBER if value == LATEST else super().convert(value, param, ctx)


NUMBER_OR_LATEST = _NumberOrLatest(1)


@verb("history")
@click.argument("path")
def history(invocation: Invocation, path: str) -> Answer:
    """List the kept versions of a document, oldest first; a deleted document has them too."""
    with invocation.host() as host:
        found = host.history(invocation.scope, path)
    now_ms = invocation.now_ms()
    rows = [("version", "replaced", "size", "by", "hash")]
    for row in found:
        body = "erased" if row.erased else size(row.size)
        by = invocation.terminal.safe(owner(row.changed_by))
        rows.append((str(row.number), ago(row.unix_ms, now_ms=now_ms), body, by, row.hash[:19]))
    return Answer(
        data=plain(found), text=columns(rows) if found else "No earlier versions are kept."
    )


@verb("diff")
@click.argument("path")
@click.argument("a", type=NUMBER, required=False)
@click.argument("b", type=NUMBER, required=False)
def diff(invocation: Invocation, path: str, a: int | None, b: int | None) -> Answer:
    """Show what changed from version A to version B, as a unified diff.

    Without B the document as it is stands in for it; without A its last kept version.
    """
    with invocation.host() as host:
        text = host.diff(invocation.scope, path, a, b)
    data = {"path": path, "a": a, "b": b, "diff": text}
    return Answer(data=data, text=_coloured(text, invocation) or "No difference.")


@verb("restore", examples=("ironclaw-memory restore MEMORY.md LATEST",))
@click.argument("path")
@click.argument("version", type=NUMBER_OR_LATEST)
def restore(invocation: Invocation, path: str, version: int) -> Answer:
    """Make VERSION the document again; what it replaces is kept as a version.

    LATEST is the version that was kept last.
    """
    with invocation.host() as host:
        version = version or _latest(host.history(invocation.scope, path))
        change = host.restore(invocation.scope, path, version)
    kept = f"; what it replaced is version {change.kept_as}" if change.kept_as is not None else ""
    shown = invocation.terminal.safe(change.path)
    return Answer(data=plain(change), text=f"Restored version {version} of {shown}{kept}.")


def _latest(found: "tuple[VersionRow, ...]") -> int:
    """Return the number of the newest version that still has its text."""
    number = next((row.number for row in reversed(found) if not row.erased), None)
    if number is None:
        raise RequestError("No earlier version is kept.", code="version-missing")
    return number


def _coloured(text: str, invocation: Invocation) -> str:
    terminal = invocation.terminal
    if not terminal.colour:
        return terminal.safe(text)
    colours = {"+": "green", "-": "red", "@": "cyan"}
    lines = terminal.safe(text).splitlines(keepends=True)
    return "".join(click.style(line, fg=colours.get(line[:1])) for line in lines)


COMMANDS = {"history": history, "diff": diff, "restore": restore}
