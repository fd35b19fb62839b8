"""The provider's own directory as a guest that indexes gets it, and what may stand in its place."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ironclaw_memory.errors import RootUnusable
from ironclaw_memory.model import Access
from ironclaw_memory.sandbox import runner
from ironclaw_memory.sandbox.runner import _preopens
from ironclaw_memory.scopes import Mount


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[int]:
    """A descriptor of the directory of a scope."""
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def opened(root: Path, directory: int) -> list[bool]:
    """Open what a guest that indexes gets; return which of it can be written."""
    mount = Mount(root=root, parts=(), guest_path="/memory", access=Access.INDEX)
    with _preopens(directory, mount) as preopens:
        return [preopen.writable for preopen in preopens]


def test_the_store_is_made_where_it_is_missing(tmp_path: Path, directory: int) -> None:
    """It alone can be written."""
    assert opened(tmp_path, directory) == [False, True]
    assert (tmp_path / ".store").is_dir()


@pytest.mark.parametrize("kind", ["file", "link", "shut"])
def test_what_stands_in_place_of_the_store_is_named(
    tmp_path: Path, directory: int, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """It is no lack of memory or descriptors, and the message shows no path of the host."""
    store = tmp_path / ".store"
    if kind == "file":
        store.write_text("x")
    elif kind == "link":
        store.symlink_to("/")
    else:
        monkeypatch.setattr(runner, "open_beneath", _failing(errno.EACCES))
    with pytest.raises(RootUnusable, match=r"\.store of the scope cannot be opened") as refused:
        opened(tmp_path, directory)
    assert str(tmp_path) not in f"{refused.value}{refused.value.hint}"


def test_a_lack_of_descriptors_stays_one(
    tmp_path: Path, directory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing stands in the way of the directory then."""
    monkeypatch.setattr(runner, "open_beneath", _failing(errno.EMFILE))
    with pytest.raises(OSError, match="open files"):
        opened(tmp_path, directory)


def _failing(number: int) -> object:
    def act(descriptor: int, *_: object, **__: object) -> int:
        os.close(descriptor)
        raise OSError(number, os.strerror(number))

    return act
