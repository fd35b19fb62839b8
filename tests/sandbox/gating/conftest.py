"""The bundled component behind a host whose clock a test sets."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ironclaw_memory import MemoryHost, opening


@dataclass
class Clock:
    """Unix milliseconds, as a test sets them."""

    now: int = 1_780_000_000_000

    def __call__(self) -> int:
        """Return the time."""
        return self.now


@pytest.fixture(scope="module")
def clock() -> Iterator[Clock]:
    """The clock of every host that a module's tests open here; other processes have their own."""
    set_by_tests = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "unix_ms", set_by_tests)
        yield set_by_tests


@pytest.fixture(scope="module")
def host(clock: Clock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryHost]:
    """One host for a module; each test has a scope of its own."""
    with MemoryHost.open(root=tmp_path_factory.mktemp("gating")) as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data directory of its own."""
    return tmp_path / "root"
