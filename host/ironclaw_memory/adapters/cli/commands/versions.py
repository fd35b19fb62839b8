"""``history``, ``diff`` and ``restore``: earlier versions of a document."""

from typing import TYPE_CHECKING

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.numbering import NUMBER_OR_LATEST, numbered
from ironclaw_memory.adapters.cli.render.dates import ago
from ironclaw_memory.adapters.cli.render.owners import owner
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.render.table import columns, size
from ironclaw_memory.adapters.cli.terminal import one_line
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.errors import IronclawMemoryError


if TYPE_CHECKING:
    from ironclaw_memory.host import MemoryHost
    from ironclaw_memory.reports import Change


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
        by, digest = one_line(owner(row.changed_by)), one_line(row.hash[:19])
        rows.append((str(row.number), ago(row.unix_ms, now_ms=now_ms), body, by, digest))
    return Answer(
        data=plain(found), text=columns(rows) if found else "No earlier versions are kept."
    )


@verb(
    "diff",
    examples=(
        "ironclaw-memory diff MEMORY.md",
        "ironclaw-memory diff MEMORY.md 1 LATEST",
    ),
)
@click.argument("path")
@click.argument("a", type=NUMBER_OR_LATEST, required=False)
@click.argument("b", type=NUMBER_OR_LATEST, required=False)
def diff(invocation: Invocation, path: str, a: int | None, b: int | None) -> Answer:
    """Show what changed from version A to version B, as a unified diff.

    Without B the document as it is stands in for it, and nothing if it was deleted; without
    A its last kept version. LATEST is that version too.
    """
    with invocation.host() as host:
        a, b = (
            wanted if wanted is None else numbered(host, invocation.scope, path, wanted)
            for wanted in (a, b)
        )
        text = host.diff(invocation.scope, path, a, b)
    data = {"path": path, "a": a, "b": b, "diff": text}
    return Answer(data=data, text=_coloured(text, invocation) or "No difference.")


@verb("restore", examples=("ironclaw-memory restore MEMORY.md LATEST",))
@click.argument("path")
@click.argument("version", type=NUMBER_OR_LATEST)
def restore(invocation: Invocation, path: str, version: int) -> Answer:
    """Make VERSION the document again; what it replaces is kept as a version.

    LATEST is the version that was kept last. Of a document whose metadata say
    skip_versioning nothing is kept: what stands there is gone, and the answer says so.
    """
    with invocation.host() as host:
        version = numbered(host, invocation.scope, path, version)
        before = host.documents(invocation.scope)
        change = host.restore(invocation.scope, path, version)
        kept = _kept(change)
        stood = (was := before.get(change.path)) is not None and was.size > 0
        if not kept and stood and _skips_versions(host, invocation, change.path):
            kept = "; no version is kept of what stood there, as its metadata say skip_versioning"
    shown = invocation.terminal.safe(change.path)
    return Answer(data=plain(change), text=f"Restored version {version} of {shown}{kept}.")


def _kept(change: "Change") -> str:
    return f"; what it replaced is version {change.kept_as}" if change.kept_as is not None else ""


def _skips_versions(host: "MemoryHost", invocation: Invocation, path: str) -> bool:
    try:
        resolved = host.describe(invocation.scope, path).get("resolved")
    except IronclawMemoryError:  # the document is restored, whatever is known of it
        return False
    return isinstance(resolved, dict) and resolved.get("skip_versioning") is True


def _coloured(text: str, invocation: Invocation) -> str:
    terminal = invocation.terminal
    if not terminal.colour:
        return terminal.safe(text)
    colours = {"+": "green", "-": "red", "@": "cyan"}
    lines = terminal.safe(text).splitlines(keepends=True)
    return "".join(click.style(line, fg=colours.get(line[:1])) for line in lines)


COMMANDS = {"history": history, "diff": diff, "restore": restore}
