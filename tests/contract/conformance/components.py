"""Components for the suite's own tests, with their package section, built once and kept."""

import fcntl
from pathlib import Path

import platformdirs

from ironclaw_memory.build import Sources, build


REPOSITORY = Path(__file__).parents[3]


def built_provider(folder: Path, *imports: Path) -> Path:
    """Return the component of the provider in *folder*; a build is skipped while nothing changed.

    *imports* are further folders that it may import from.
    """
    shelf = Path(platformdirs.user_cache_path("ironclaw-memory-tests"))
    shelf.mkdir(parents=True, exist_ok=True)
    target = shelf / f"{folder.name}.wasm"
    sources = Sources(
        provider=folder,
        wit=REPOSITORY / "wit",
        asset_roots=(folder, REPOSITORY),
        imports=imports,
    )
    with (shelf / f"{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        build(sources, target, say=lambda line: None)
    return target
