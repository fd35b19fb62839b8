"""``edit``: a document in the person's own editor."""

import shutil
import tempfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.errors import InvalidArguments, OperationFailed, RequestError


if TYPE_CHECKING:
    from ironclaw_memory.host import MemoryHost

ABSENT = "document-missing"  # contract/sentences.py


@verb("edit")
@click.argument("path")
def edit(invocation: Invocation, path: str) -> Answer:
    """Open a document in $VISUAL or $EDITOR and store the result; the old text is kept as a version."""
    with invocation.host() as host:
        before = _current(host, invocation, path)
    after, kept = _edited(before or "", PurePosixPath(path).name)
    if after == (before or ""):
        shutil.rmtree(kept.parent)
        return Answer(data={"status": "unchanged", "path": path}, text="Nothing changed.")
    with invocation.host() as host:
        if _current(host, invocation, path) != before:
            raise _changed_meanwhile(kept)
        output = host.call_as_operator(
            host.tool_id("write"),
            {"target": path, "content": after, "append": False},
            scope=invocation.scope,
        )
    shutil.rmtree(kept.parent)
    return Answer(data=output, text=f"Wrote {invocation.terminal.safe(path)}.")


def _current(host: "MemoryHost", invocation: Invocation, path: str) -> str | None:
    """Return the document, or ``None`` where there is none yet."""
    try:
        return host.current(invocation.scope, path)
    except RequestError as problem:
        if problem.code == ABSENT:
            return None
        raise


def _edited(text: str, name: str) -> tuple[str, Path]:
    """Return what the person made of *text*, and the private file it is in."""
    directory = Path(tempfile.mkdtemp(prefix="ironclaw-memory-"))
    file = directory / name
    file.write_bytes(text.encode())
    try:
        click.edit(filename=str(file))
    except click.ClickException:
        raise _no_editor(file, text) from None
    try:
        return file.read_bytes().decode(), file
    except UnicodeDecodeError:
        raise InvalidArguments(
            "The edited text is not UTF-8.",
            code="not-utf-8",
            hint=f"It is kept in {file}; save it as UTF-8 and `write --replace` it.",
        ) from None


def _no_editor(file: Path, text: str) -> InvalidArguments:
    """Say that the editor failed; what a person may have typed before is kept."""
    kept = f" Your text is kept in {file}."
    if file.read_bytes() == text.encode():
        shutil.rmtree(file.parent)
        kept = ""
    return InvalidArguments(
        "The editor that $VISUAL or $EDITOR names could not be run, or it failed.",
        code="editor-failed",
        hint=f"Set $EDITOR to an editor that is installed; nothing was stored.{kept}",
    )


def _changed_meanwhile(kept: Path) -> OperationFailed:
    return OperationFailed(
        "The document was changed by somebody else while you edited it.",
        code="conflict",
        hint=f"Your text is kept in {kept}.",
    )


COMMANDS = {"edit": edit}
