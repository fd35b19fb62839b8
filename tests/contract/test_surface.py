"""What the component asks for and offers, as a committed text: any growth shows in review.

``surface.txt`` is rewritten by hand: run the test, look at the difference, paste it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from wasmtime import component as wit

from ironclaw_memory import config
from ironclaw_memory.installed import BUNDLED
from ironclaw_memory.package import surface
from ironclaw_memory.sandbox.artifact import measured
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.functions import interface, read_signature
from ironclaw_memory.sandbox.runner import ThreadRunner
from ironclaw_memory.scopes import LocalStore


SNAPSHOT = Path(__file__).with_name("surface.txt")


@pytest.mark.sandbox
def test_the_components_surface_is_the_committed_one(tmp_path: Path) -> None:
    """Every import, every export, and the type of every function of the contract."""
    assert "".join(f"{line}\n" for line in _lines(tmp_path)) == SNAPSHOT.read_text("utf-8")


def _lines(scratch: Path) -> Iterator[str]:
    found = surface(BUNDLED.read_bytes())
    yield from (f"import {name}" for name in found.imports)
    yield from (f"export {name}" for name in found.exports)
    runner = ThreadRunner(LocalStore(scratch), Cache(config.load().cache))
    try:
        program = runner.program(measured(BUNDLED))
        engine = program.engine.raw
        exports = program.component.type.exports(engine)
        for name in found.exports:
            if not name.startswith("ironclaw:memory/"):
                continue
            for function, item in sorted(interface(exports[name]).exports(engine).items()):
                if isinstance(item.ty, wit.FuncType):
                    yield f"{name}.{function}: {read_signature(item.ty).spelled}"
    finally:
        runner.close()
