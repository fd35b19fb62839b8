"""``component install``: approve exactly these bytes, after seeing what they ask for."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ironclaw_memory.adapters.cli.asking import ask
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.terminal import announce, visible
from ironclaw_memory.adapters.cli.verb import verb


if TYPE_CHECKING:
    from ironclaw_memory.installing import Inspection
    from ironclaw_memory.sandbox.limits import Limits


@verb("install", examples=("ironclaw-memory component install my_memory.wasm",))
@click.option("--yes", is_flag=True, help="Do not ask; needed where nobody can answer.")
@click.argument("file", type=click.Path(path_type=Path))
def install(invocation: Invocation, yes: bool, file: Path) -> Answer:  # noqa: FBT001 - click passes flags by name
    """Show a provider with every text of it that would reach a model, and approve it.

    The approval holds for these bytes alone: a changed file is refused until it is
    approved again. Use the provider with --provider FILE.
    """
    from ironclaw_memory import installing  # noqa: PLC0415 - loads pydantic
    from ironclaw_memory.adapters.cli import inspection  # noqa: PLC0415 - likewise
    from ironclaw_memory.configured import limits_of  # noqa: PLC0415 - likewise

    limits = limits_of(invocation.config)
    found = installing.inspect(file, limits=limits)
    texts = installing.texts_for_a_model(found)
    data = {**inspection.as_json(found, approved=True), "texts": texts}
    if found.bundled:
        return Answer(data=data, text="This is the bundled provider; it needs no approval.")

    def agreed(shown: "Inspection") -> bool:
        if not invocation.config.json:
            click.echo("".join(f"{line}\n" for line in _shown(shown, texts, limits)), err=True)
        if not yes:
            if not sys.stdin.isatty():
                return False
            ask("Approve this component?")
        return shown.sha256 == found.sha256  # what `data` and the texts were made of

    installing.install(
        file,
        invocation.config.root,
        cache=invocation.config.cache,
        agreed=agreed,
        now_ms=invocation.now_ms(),
        limits=limits,
        say=announce,
    )
    return Answer(data=data, text=f"Approved {found.sha256}.\nUse it with --provider {file}")


def _shown(found: "Inspection", texts: dict[str, str], limits: "Limits") -> Iterator[str]:
    """Yield what somebody has to see before they approve."""
    from ironclaw_memory.adapters.cli.render.inspection import drawn  # noqa: PLC0415 - loads pydantic

    yield visible(drawn(found))
    yield (
        f"Limits: {limits.memory_bytes >> 20} MiB of memory, {limits.deadline_ms / 1000:.0f} s a "
        f"call, {limits.long_deadline_ms / 1000:.0f} s for recording and upkeep, "
        f"{limits.scope_files} documents and {limits.scope_bytes >> 20} MiB a scope."
    )
    yield "Texts that would reach a model:"
    for name, text in texts.items():
        yield f"\n--- {visible(name)}"
        yield visible(text)
