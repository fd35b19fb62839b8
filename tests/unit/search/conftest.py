"""Fixtures of the search tests."""

from pathlib import Path

import pytest
from tests.unit.search.scope import IndexedScope


@pytest.fixture
def scope(tmp_path: Path) -> IndexedScope:
    """An empty scope."""
    return IndexedScope(tmp_path / "index")
