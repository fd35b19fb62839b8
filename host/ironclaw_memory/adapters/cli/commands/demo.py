"""``demo``: two minutes with a memory, on a store that is thrown away."""

import tempfile
from dataclasses import asdict, replace
from pathlib import Path

import click

from ironclaw_memory.adapters.cli.demonstration import Line, scenes
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.render.table import columns
from ironclaw_memory.adapters.cli.terminal import Progress
from ironclaw_memory.adapters.cli.verb import verb


@verb("demo")
def demo(invocation: Invocation) -> Answer:
    """Save, recall, patch and search a fact, and watch what is refused.

    Runs on a temporary store; needs no key and no network. Every line is checked: if
    something that must be refused were not, the demo would fail.
    """
    with tempfile.TemporaryDirectory(prefix="ironclaw-memory-demo-") as directory:
        root = Path(directory).resolve()
        settings = replace(invocation.config, root=root, provider=None, secrets="reject")
        with (
            Progress("Indexing") as progress,
            invocation.open_host(settings, progress.step) as host,
        ):
            lines = list(scenes(host, root))
    return Answer(data={"steps": [asdict(line) for line in lines]}, text=_text(invocation, lines))


def _text(invocation: Invocation, lines: list[Line]) -> str:
    table = columns((line.verdict, line.who, line.what, line.evidence) for line in lines)
    if not invocation.terminal.colour:
        return table
    rows = table.splitlines(keepends=True)
    return "".join(
        click.style(row[:7], fg="green" if line.verdict == "allowed" else "red") + row[7:]
        for line, row in zip(lines, rows, strict=True)
    )


COMMANDS = {"demo": demo}
