"""What tests of calls share."""

import pytest
from tests.unit.calls.bench_of_one import native_package

from ironclaw_memory.declared import Package


@pytest.fixture(scope="session")
def package() -> Package:
    """The bundled provider's package."""
    return native_package()
