"""``delete``, ``rename``, ``erase`` and ``sweep``: documents that go, or go elsewhere."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ironclaw_memory.adapters.cli.asking import ask
from ironclaw_memory.adapters.cli.commandlines import command_line
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.numbering import NUMBER
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.render.table import counted, size
from ironclaw_memory.adapters.cli.terminal import one_line
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.config import listed
from ironclaw_memory.errors import AccessRefused


if TYPE_CHECKING:
    from ironclaw_memory.reports import Erasure, SweepReport


@verb("delete")
@click.argument("path")
def delete(invocation: Invocation, path: str) -> Answer:
    """Take a document away and keep its versions; `restore` brings it back."""
    with invocation.host() as host:
        change = host.delete(invocation.scope, path)
    shown = one_line(change.path)
    text = f"Deleted {shown}."
    if change.kept_as:
        back = command_line(invocation.flags, "restore", shown, str(change.kept_as))
        text += f" {back} brings it back."
    return Answer(data=plain(change), text=text)


@verb("rename")
@click.argument("path")
@click.argument("to")
def rename(invocation: Invocation, path: str, to: str) -> Answer:
    """Give a document another name; versions and metadata go with it, nothing is overwritten."""
    with invocation.host() as host:
        change = host.rename(invocation.scope, path, to)
    return Answer(data=plain(change), text=f"Renamed to {one_line(change.path)}.")


@verb("erase")
@click.option("--version", "number", type=NUMBER, help="Only the content of this version.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.argument("path")
def erase(
    invocation: Invocation,
    number: int | None,
    yes: bool,  # noqa: FBT001 - click passes flags by name
    path: str,
) -> Answer:
    """Remove a document from disk for good, with its versions and its traces in the index.

    The snapshots of the scope hold what they held when they were taken, and go too.
    """
    if not yes and not sys.stdin.isatty():
        raise AccessRefused(
            "Nobody is there to say yes, and what is erased cannot be brought back.",
            code="not-confirmed",
            hint="Nothing was erased; repeat it with --yes.",
        )
    what = f"version {number} of {path}" if number else f"{path} and everything known of it"
    with invocation.host() as host:
        snapshots = len(host.snapshots(invocation.scope))
        if not yes:
            more = f", and {_snapshots(snapshots)}, which may hold it" if snapshots else ""
            ask(f"Erase {one_line(what)}{more}, for good?")
        erasure = host.erase(invocation.scope, path, number)
    return Answer(data=plain(erasure), text=_erased(erasure, number, snapshots))


def _erased(erasure: "Erasure", number: int | None, snapshots: int) -> str:
    """Say what an erasure took away; of a version alone nothing is left beside its text."""
    if number is None or erasure.versions:
        return f"Erased {listed(_gone(erasure, snapshots))}."
    more = f" Erased {_snapshots(snapshots)}." if snapshots else ""
    return f"Version {number} was erased already.{more}"


def _gone(erasure: "Erasure", snapshots: int) -> Iterator[str]:
    """Yield what an erasure took away, in words."""
    if erasure.document:
        yield "the document"
    if erasure.versions:
        yield counted(erasure.versions, "version")
    if not erasure.document and not erasure.versions:
        yield "what was left of it beside the text, such as metadata or traces in the index"
    if snapshots:
        yield _snapshots(snapshots)


def _snapshots(number: int) -> str:
    return f"{counted(number, 'snapshot')} of this scope"


@verb("sweep")
@click.option("--dry-run", is_flag=True, help="Say what would go, and leave it.")
def sweep(invocation: Invocation, dry_run: bool) -> Answer:  # noqa: FBT001 - click passes flags by name
    """Remove documents whose `hygiene` says so, and versions past retention.

    What cannot be removed, or has metadata that cannot be read, is left and named.
    The bundled provider keeps the newest 50 versions of a document, and older ones for 30 days.
    """
    with invocation.host() as host:
        report = host.sweep(invocation.scope, dry_run=dry_run)
    done, kept = ("Would remove", "Would leave") if dry_run else ("Removed", "Left")
    documents, versions = len(report.documents), report.versions
    what = f"{counted(documents, 'document')} and {counted(versions, 'version')}"
    lines = [f"{done} {what}, {size(report.bytes)}."]
    lines += [f"  {one_line(path)}" for path in report.documents]
    if report.left:
        doctor = command_line(invocation.flags, "doctor")
        lines.append(f"{kept} {_left(report)}; {doctor} may say why.")
        lines += [f"  {one_line(path)}" for path in report.left]
    return Answer(data=plain(report), text="\n".join(lines))


def _left(report: "SweepReport") -> str:
    """Say how much stays, and why that can be."""
    documents = f"{counted(len(report.left), 'document')}{' and more' if report.more_left else ''}"
    return f"{documents} that cannot be removed, or whose metadata cannot be read"


COMMANDS = {"delete": delete, "rename": rename, "erase": erase, "sweep": sweep}
