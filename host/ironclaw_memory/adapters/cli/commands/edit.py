"""``edit``: a document in the person's own editor."""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import click

from ironclaw_memory import config
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.operator_call import Stored, secrets_replaced
from ironclaw_memory.adapters.cli.terminal import announce, one_line
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.contract.for_models import hint_naming
from ironclaw_memory.contract.targets import word_meant
from ironclaw_memory.errors import InvalidArguments, IronclawMemoryError, OperationFailed


@verb("edit")
@click.argument("path")
def edit(invocation: Invocation, path: str) -> Answer:
    """Open a document in $VISUAL or $EDITOR and store the result; the old text is kept as a version."""
    from ironclaw_memory.owner import current_text  # noqa: PLC0415 - not for help

    if word_meant(path):  # a write would store the text as another document
        raise InvalidArguments(
            f"path {path!r} is a word for another document.",
            field="path",
            code="not-a-path",
            hint="Name the document itself, such as MEMORY.md; `ironclaw-memory tree` lists them.",
        )
    _demand_editor(path)
    with invocation.host() as host:
        before = current_text(host, invocation.scope, path)
    with _copy_of(before or "", PurePosixPath(path).name) as file:
        after = _edited(file, path)
        if after == (before or ""):
            return Answer(data={"status": "unchanged", "path": path}, text="Nothing changed.")
        with invocation.host() as host:
            if current_text(host, invocation.scope, path) != before:
                raise OperationFailed(
                    "The document was changed by somebody else while you edited it.",
                    code="conflict",
                )
            arguments = {"target": path, "content": after, "append": False}
            output = host.call_as_operator(host.tool_id("write"), arguments, scope=invocation.scope)
    done = Stored(output, secrets_replaced(invocation, "write", arguments))
    return done.answer(f"Wrote {invocation.terminal.safe(path)}.")


@contextmanager
def _copy_of(text: str, name: str) -> Iterator[Path]:
    """Yield a private file with *text*, which is gone after the block.

    It stays if the block raises and the person changed it; whatever raises says where it is.
    """
    directory = Path(tempfile.mkdtemp(prefix="ironclaw-memory-"))
    file = directory / name
    file.write_bytes(text.encode())
    try:
        yield file
    except BaseException as problem:
        if (changed := _changed(file, text)) is not None:
            _say_where(changed, problem)
        else:
            shutil.rmtree(directory)
        raise
    shutil.rmtree(directory)


def _changed(file: Path, text: str) -> Path | None:
    """Return where a text of the person may be: in *file*, or under a name beside it."""
    if file.is_file():
        return file if file.read_bytes() != text.encode() else None
    return next(file.parent.iterdir(), None)


def _say_where(file: Path, problem: BaseException) -> None:
    kept = f"Your text is kept in {one_line(str(file))}."
    if isinstance(problem, IronclawMemoryError):
        problem.hint = f"{problem.hint} {kept}".strip()
    else:  # interrupted, or a fault that has no hint of its own
        announce(kept)


def _demand_editor(path: str) -> None:
    """Raise `InvalidArguments` where no editor is set, and the usual ones have no terminal."""
    if config.chosen_editor() or (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    raise InvalidArguments(
        "No editor is set in $VISUAL or $EDITOR, and there is no terminal for a usual one.",
        code="no-editor",
        hint=hint_naming(
            "Set $EDITOR, or give the whole text to "
            "`ironclaw-memory write --replace --target PATH`.",
            "PATH",
            path,
        ),
    )


def _editor_failed() -> InvalidArguments:
    chosen = config.chosen_editor()
    tried = (
        f"The editor {one_line(chosen[1])}, which ${chosen[0]} names,"
        if chosen
        else "No editor is set in $VISUAL or $EDITOR, and a usual one, such as vim, nano or vi,"
    )
    return InvalidArguments(
        f"{tried} could not be run, or it failed.",
        code="editor-failed",
        hint="Set $EDITOR to an editor that is installed; nothing was stored.",
    )


def _edited(file: Path, path: str) -> str:
    """Return what the person made of *file*, the copy of the document at *path*."""
    try:
        click.edit(filename=str(file))
    except (click.ClickException, ValueError):  # the second from quotes that do not close
        raise _editor_failed() from None
    try:
        return file.read_bytes().decode()
    except OSError:
        raise InvalidArguments(
            "The editor left no file that can be read; nothing was changed.",
            code="editor-failed",
            hint=hint_naming(
                "Save the text under the name that the editor was given. "
                "`ironclaw-memory delete PATH` takes a document away.",
                "PATH",
                path,
            ),
        ) from None
    except UnicodeDecodeError:
        raise InvalidArguments(
            "The edited text is not UTF-8.",
            code="not-utf-8",
            hint=hint_naming(
                "Save it as UTF-8, then `ironclaw-memory write --replace --target PATH` takes it.",
                "PATH",
                path,
            ),
        ) from None


COMMANDS = {"edit": edit}
