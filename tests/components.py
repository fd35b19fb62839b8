"""Build test components once and keep them: ``built(name, source)`` returns the file.

A build takes about 20 CPU seconds, so the result is kept in the user's cache
directory under a digest of everything that goes into it. Parallel test runs wait
for one another.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import platformdirs


REPOSITORY = Path(__file__).resolve().parent.parent
WIT = REPOSITORY / "wit"
WORLD = "memory-provider"
COMPONENTIZE = "import sys; sys.argv[0] = 'componentize-py'; from componentize_py import script; sys.exit(script())"


def built(name: str, source: Path, *more: Path, wit: Path = WIT, world: str = WORLD) -> Path:
    """Return the component of *source*, whose module *name* is the app; build it if need be.

    *more* are further directories that the guest may import from.
    """
    parts = (source, *more, wit)
    shelf = Path(platformdirs.user_cache_path("ironclaw-memory-tests"))
    shelf.mkdir(parents=True, exist_ok=True)
    target = shelf / f"{name}-{_digest(parts, world)}.wasm"
    with (shelf / f"{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            _build(name, (source, *more), wit, world, target)
    return target


def _digest(directories: tuple[Path, ...], world: str) -> str:
    state = hashlib.sha256(f"{version('componentize-py')} {world}".encode())
    for directory in directories:
        for file in sorted(p for p in directory.rglob("*") if p.suffix in {".py", ".wit", ".toml"}):
            state.update(f"\0{file.relative_to(directory)}\0".encode())
            state.update(file.read_bytes())
    return state.hexdigest()[:20]


def _build(name: str, sources: tuple[Path, ...], wit: Path, world: str, target: Path) -> None:
    """Run componentize-py on copies, since it leaves byte code beside what it reads."""
    with tempfile.TemporaryDirectory() as scratch:
        guests = [Path(scratch) / str(number) for number, _ in enumerate(sources)]
        for source, guest in zip(sources, guests, strict=True):
            shutil.copytree(source, guest, ignore=shutil.ignore_patterns("__pycache__"))
        result = Path(scratch) / "out.wasm"
        paths = [word for guest in guests for word in ("-p", str(guest))]
        command = ["-d", str(wit), "-w", world, "componentize", *paths, name, "-o", str(result)]
        environment = {k: v for k, v in os.environ.items() if k != "VIRTUAL_ENV"}
        subprocess.run(
            [sys.executable, "-c", COMPONENTIZE, *command],
            check=True,
            env=environment,
            capture_output=True,
        )
        shutil.move(result, target)
