"""A scope with more documents than one listing shows, through the host."""

from pathlib import Path

import pytest

from ironclaw_memory import MemoryHost, Scope
from ironclaw_memory.scopes import directory_of


pytestmark = pytest.mark.sandbox

SCOPE = Scope(tenant="acme", user="alice")
CUT = "\u2026"


@pytest.mark.parametrize("depth", [1, 2, 3, 10])
def test_a_large_directory_is_listed_up_to_the_mark(tmp_path: Path, depth: int) -> None:
    """However deep it lies, the listing is cut and marked, never refused."""
    folder = tmp_path.joinpath(*directory_of(SCOPE), "threads", "t1")
    folder.mkdir(parents=True)
    for number in range(2_100):
        (folder / f"{number:04}.md").touch()
    with MemoryHost.open(root=tmp_path) as host:
        for path in ("", "threads", "threads/t1"):
            listed = host.call_as_operator(
                "ironclaw.memory.tree", {"path": path, "depth": depth}, scope=SCOPE
            )
            is_cut = depth + path.count("/") + bool(path) > len(("threads", "t1"))
            assert (CUT in list(listed)[-1:]) == is_cut
