"""``component new`` and ``component build``: from an empty folder to a component."""

from pathlib import Path

import click

from ironclaw_memory import assets
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.terminal import announce, visible
from ironclaw_memory.adapters.cli.verb import verb


@verb("new", examples=("ironclaw-memory component new my_memory",))
@click.argument("name")
def new(invocation: Invocation, name: str) -> Answer:
    """Write the smallest honest provider to a new directory NAME, ready to build."""
    from ironclaw_memory.skeleton import write_skeleton  # noqa: PLC0415 - rarely wanted

    written = write_skeleton(Path(name))
    text = f"Wrote {len(written)} files. Next: ironclaw-memory component build {name}"
    return Answer(data={"written": [str(path) for path in written]}, text=text)


@verb("build", examples=("ironclaw-memory component build my_memory",))
@click.option("--out", type=click.Path(path_type=Path), help="The component; default DIR.wasm.")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
def build(invocation: Invocation, out: Path | None, directory: Path) -> Answer:
    """Build the provider in DIR, about 20 s, and write its package section.

    Needs componentize-py. Errors of the provider's own Python are shown as they are.
    """
    from ironclaw_memory.build import BuildFailed, Sources  # noqa: PLC0415 - loads pydantic
    from ironclaw_memory.build import build as build_component  # noqa: PLC0415 - likewise

    target = out or directory.with_name(f"{directory.resolve().name}.wasm")
    root = assets.data_root()
    sources = Sources(provider=directory, wit=root / "wit", asset_roots=(directory, root))
    try:
        package = build_component(sources, target, say=announce)
    except BuildFailed as failed:
        if failed.output:
            announce(visible(failed.output))
        raise
    data = {"file": str(target), "id": package.manifest.id, "size": target.stat().st_size}
    return Answer(data=data, text=f"Built {target}.")
