"""The hostile component, built once, and a host that it attacks."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.attacks.field import Field, field
from tests.contract.conformance.components import built_provider


@pytest.fixture(scope="session")
def hostile() -> Path:
    """Return the component with all attacks."""
    return built_provider(Path(__file__).parent / "provider")


@pytest.fixture(scope="module")
def where(hostile: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Field]:
    """One host for all attacks of a module, so that each finds it after the one before."""
    with field(hostile, tmp_path_factory.mktemp("attacks")) as opened:
        yield opened
