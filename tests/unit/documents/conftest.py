"""A scope in a temporary directory."""

import pathlib

import pytest
from tests.unit.documents.fakes import World

from memory_native.documents import Documents
from memory_native.upkeep import Upkeep


@pytest.fixture
def world(tmp_path: pathlib.Path) -> World:
    """Return a fresh scope and the fakes around it."""
    root = tmp_path / "memory"
    root.mkdir()
    return World(str(root))


@pytest.fixture
def documents(world: World) -> Documents:
    """Return the documents of the scope."""
    return world.documents()


@pytest.fixture
def disk(world: World) -> pathlib.Path:
    """Return the scope's directory, as a person sees it."""
    return pathlib.Path(world.root)


@pytest.fixture
def upkeep(documents: Documents) -> Upkeep:
    """Return the upkeep of the scope."""
    return Upkeep(documents)
