"""A server with a scripted guest, and every era of the protocol."""

from pathlib import Path

import pytest
from tests.unit.mcp.bench import ERAS, Bench
from tests.unit.mcp.bench import bench as made


@pytest.fixture(name="bench")
def _bench(tmp_path: Path) -> Bench:
    return made(tmp_path)


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    """How the client talks."""
    return str(request.param)
