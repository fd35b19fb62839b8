"""``export`` and ``import``: memory that moves."""

import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ironclaw_memory.adapters.cli.asking import ask
from ironclaw_memory.adapters.cli.envelope import silence_stdout
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.reading import STDIN
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.sources import Interrupted, Kind, as_file, kind_of, new_file
from ironclaw_memory.adapters.cli.terminal import Progress, announce
from ironclaw_memory.adapters.cli.trouble import incomplete
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.errors import InvalidArguments


if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

    from ironclaw_memory.portability.plans import Duplicate, Plan, Text
    from ironclaw_memory.portability.report import ExportReport, ImportReport, Problem

DEFAULT_FOLDER = {Kind.MARKDOWN: "", Kind.SERVER_MEMORY: "knowledge"}
"""Where texts from elsewhere go in the scope unless somebody says otherwise."""

LACKS = "could not be imported; everything else is there"
WOULD_LACK = "would not be imported; nothing was written"


@verb(
    "export",
    examples=(
        "ironclaw-memory export backup.tar",
        "ironclaw-memory export - | gzip > backup.tar.gz",
    ),
)
@click.argument("file", metavar="FILE|-")
def export(invocation: Invocation, file: str) -> Answer:
    """Write this scope to a tar of plain files: documents, metadata and kept versions.

    Deleted documents go too, as the versions that are kept of them: `erase` what must not
    leave this machine before you export. No file is overwritten. What is too large, or named
    so, that no import takes it in again, is in the archive and in the report.

    Exit code 2 with a report says that the archive is written and can be imported, all but what
    the report names. With --json the report is `data`, which is null where nothing was written.
    """
    from ironclaw_memory.adapters.cli.render.transfer import exported  # noqa: PLC0415 - not for help

    if file == STDIN and invocation.config.json:
        raise click.UsageError("--json and an archive cannot share standard output; name a file.")
    report = _exported(invocation, file)
    text = exported(report)
    if file == STDIN:
        announce(text.removesuffix("\n"))
        text = ""
    trouble = incomplete(
        len(report.problems),
        "will not come back from this archive, which is written and holds all the rest",
    )
    return Answer(data=plain(report), text=text, trouble=trouble)


@verb(
    "import",
    examples=(
        "ironclaw-memory import backup.tar --user bob",
        "ironclaw-memory import --dry-run ~/notes --into notes",
        "ironclaw-memory import memory.jsonl",
    ),
)
@click.option("--dry-run", is_flag=True, help="Say what would come in, and write nothing.")
@click.option("--into", metavar="PATH", help="Put Markdown files or entities below this directory.")
@click.option(
    "--from",
    "said",
    type=click.Choice([kind.value for kind in Kind]),
    help="What SOURCE is, if its name does not show it.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.argument("source", metavar="FILE|DIR|-")
def import_(
    invocation: Invocation,
    dry_run: bool,  # noqa: FBT001 - click passes flags by name
    into: str | None,
    said: str | None,
    yes: bool,  # noqa: FBT001 - see above
    source: str,
) -> Answer:
    """Bring in an archive, Markdown (a folder or a file), or the JSONL of MCP's server-memory.

    All of a folder comes in, each file under its own path, whatever else has its text. Nothing
    is overwritten: a document that is there already is left alone, and named if its text is
    another one. What was interrupted is finished by the same command.

    Exit code 2 with a report says that all came in but what the report names. With --json the
    report is `data`, which is null where nothing came in.
    """
    kind = kind_of(source, said)
    if kind is Kind.ARCHIVE:
        if into is not None:
            raise click.UsageError(
                "--into is for Markdown and server-memory; an archive has paths."
            )
        return _answer(
            invocation, kind, _archive(invocation, source, dry_run=dry_run), dry_run=dry_run
        )
    plan = _planned(invocation, kind, source, into)
    asks = not dry_run and not yes and bool(plan.new) and sys.stdin.isatty()
    if dry_run or asks:
        would = _answer(
            invocation, kind, _as_report(invocation, plan), plan.duplicates, dry_run=True
        )
        if dry_run:
            return would
        click.echo(would.text, err=True, nl=False)
        ask("Import them?")
    report = _carried_out(invocation, plan)
    return _answer(invocation, kind, report, plan.duplicates, dry_run=False)


def _exported(invocation: Invocation, file: str) -> "ExportReport":
    from ironclaw_memory.portability.exporting import export_scope  # noqa: PLC0415 - not for help

    opened = _standard_output() if file == STDIN else new_file(Path(file))
    with invocation.host() as host, Progress("Exporting") as bar, opened as out:
        return export_scope(
            host, invocation.scope, out, progress=bar.step, now_ms=invocation.now_ms()
        )


@contextmanager
def _standard_output() -> "Iterator[BinaryIO]":
    """Yield standard output; raises `Interrupted` where a part of an archive is all that was read."""
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        silence_stdout()
        raise Interrupted(
            "The archive is not whole: what read standard output ended before it.",
            hint="Repeat it with a reader that takes all of it.",
        ) from None


def _archive(invocation: Invocation, source: str, *, dry_run: bool) -> "ImportReport":
    from ironclaw_memory.portability.importing import import_archive  # noqa: PLC0415 - not for help
    from ironclaw_memory.portability.reading import opened  # noqa: PLC0415 - see above

    with (
        as_file(source) as file,
        opened(file) as archive,
        invocation.host() as host,
        Progress("Importing") as bar,
        nullcontext() if dry_run else _finished_by_a_repetition(),
    ):
        return import_archive(
            host,
            invocation.scope,
            archive,
            dry_run=dry_run,
            progress=bar.step,
            now_ms=invocation.now_ms(),
        )


def _planned(invocation: Invocation, kind: Kind, source: str, into: str | None) -> "Plan":
    from ironclaw_memory.portability.plans import planned  # noqa: PLC0415 - not for help

    folder = _folder(DEFAULT_FOLDER[kind] if into is None else into)
    texts, problems, skipped = _texts(kind, source, folder)
    with invocation.host() as host, Progress("Comparing") as bar:
        plan = planned(host, invocation.scope, texts, progress=bar.step)
    plan.problems[:0] = problems
    plan.skipped = skipped
    return plan


def _folder(into: str) -> str:
    from ironclaw_memory.portability.members import is_document_path  # noqa: PLC0415 - not for help

    folder = into.strip("/")
    if folder and not is_document_path(folder):
        raise InvalidArguments(
            "--into is not a folder of the memory.",
            field="into",
            hint="Use names joined by `/`, such as notes/2026, without `.` and `..`.",
        )
    return folder


def _texts(kind: Kind, source: str, into: str) -> "tuple[list[Text], list[Problem], int]":
    """Return the texts, what is none, and how many files were passed over."""
    from ironclaw_memory.portability import folders, server_memory  # noqa: PLC0415 - not for help

    with as_file(source) as file:
        if kind is Kind.MARKDOWN:
            return folders.texts_of(file, into=into)
        return *server_memory.texts_of(file, into=into), 0


def _carried_out(invocation: Invocation, plan: "Plan") -> "ImportReport":
    from ironclaw_memory.portability.plans import carried_out  # noqa: PLC0415 - not for help

    with (
        invocation.host() as host,
        Progress("Importing") as bar,
        _finished_by_a_repetition(),
    ):
        return carried_out(host, invocation.scope, plan, progress=bar.step)


@contextmanager
def _finished_by_a_repetition() -> "Iterator[None]":
    """Have an interruption of the block say that it can be taken up again."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(
            "Interrupted.", hint="What came in stays; the same command again brings in the rest."
        ) from None


def _as_report(invocation: Invocation, plan: "Plan") -> "ImportReport":
    """Return what would become of *plan*, with what will be refused of it."""
    from ironclaw_memory.calls.wiring import SecretPolicy  # noqa: PLC0415 - not for help
    from ironclaw_memory.portability.plans import foreseen  # noqa: PLC0415 - see above
    from ironclaw_memory.portability.report import ImportReport  # noqa: PLC0415 - not for help

    refused = foreseen(plan, SecretPolicy(invocation.config.secrets))
    paths = {problem.path for problem in refused}
    return ImportReport(
        written=[text.path for text in plan.new if text.path not in paths],
        identical=plan.identical,
        skipped=plan.skipped,
        problems=[*plan.problems, *refused],
    )


def _answer(
    invocation: Invocation,
    kind: Kind,
    report: "ImportReport",
    duplicates: "Sequence[Duplicate]" = (),
    *,
    dry_run: bool,
) -> Answer:
    from ironclaw_memory.adapters.cli.render.transfer import imported  # noqa: PLC0415 - not for help

    data = {
        "kind": kind.value,
        "dry_run": dry_run,
        **plain(report),
        "duplicates": plain(duplicates),
    }
    text = imported(report, duplicates, dry_run=dry_run)
    trouble = incomplete(len(report.problems), WOULD_LACK if dry_run else LACKS)
    return Answer(data=data, text=text, trouble=trouble)


COMMANDS = {"export": export, "import": import_}
