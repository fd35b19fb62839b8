"""Who else on the machine may read what a guest has made: nobody, whichever way it runs."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from tests.sandbox.documents.subject import SCOPE, documents_of

from ironclaw_memory import MemoryHost


pytestmark = pytest.mark.sandbox


@contextmanager
def _open_mask() -> Iterator[None]:
    """Let everybody read whatever is made without a mode."""
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def _written(root: Path, isolation: Literal["thread", "process"]) -> Path:
    with _open_mask(), MemoryHost.open(root=root, isolation=isolation) as host:
        for content in ("one", "two"):
            fields = {"target": "notes/a.md", "content": content, "append": False}
            host.call_as_operator("ironclaw.memory.write", fields, scope=SCOPE)
    return documents_of(root)


def _modes(home: Path, *, directories: bool) -> set[int]:
    return {
        stat.S_IMODE(path.stat().st_mode)
        for path in home.rglob("*")
        if path.is_dir() == directories
    }


def test_what_a_worker_process_makes_is_the_owners_alone(tmp_path: Path) -> None:
    """Documents, versions and index, although a guest cannot ask for it."""
    home = _written(tmp_path / "root", "process")

    assert (home / "notes" / "a.md").read_text() == "two"
    assert _modes(home, directories=False) == {0o600}
    assert _modes(home, directories=True) == {0o700}


def test_in_threads_the_directories_above_keep_others_out(tmp_path: Path) -> None:
    """The guest's own files have what the mask leaves; nobody else gets as far as them."""
    home = _written(tmp_path / "root", "thread")
    above = [home, *list(home.parents)[: len(home.relative_to(tmp_path / "root").parts)]]

    assert above[-1] == tmp_path / "root"
    assert {stat.S_IMODE(path.stat().st_mode) for path in above} == {0o700}
