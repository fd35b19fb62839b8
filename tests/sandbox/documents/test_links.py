"""A link where a directory was: never followed, always named, wherever it leads."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ironclaw_memory import MemoryHost, Scope
from ironclaw_memory.errors import OperationFailed
from ironclaw_memory.scopes import directory_of


pytestmark = pytest.mark.sandbox

SCOPE = Scope(tenant="acme", user="alice", thread="t1")
TURN = [{"role": "user", "content": "Hi"}]


@pytest.fixture(name="host", scope="module")
def _host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryHost]:
    with MemoryHost.open(root=tmp_path_factory.mktemp("root")) as opened:
        yield opened


def _write(host: MemoryHost, **fields: object) -> object:
    return host.call_as_operator("ironclaw.memory.write", fields, scope=SCOPE)


ACTS: dict[str, Callable[[MemoryHost], object]] = {
    "append": lambda host: _write(host, target="notes/a.md", content="x"),
    "append-deep": lambda host: _write(host, target="notes/b/a.md", content="x"),
    "replace": lambda host: _write(host, target="notes/a.md", content="x", append=False),
    "patch": lambda host: _write(host, target="notes/a.md", old_string="x", new_string="y"),
    "log": lambda host: _write(host, content="x"),
    "read": lambda host: host.current(SCOPE, "notes/a.md"),
    "record": lambda host: host.record_interaction(SCOPE, TURN, "r1"),
    "delete": lambda host: host.delete(SCOPE, "notes/a.md"),
    "rename-to": lambda host: host.rename(SCOPE, "there.md", "notes/b.md"),
    "rename-from": lambda host: host.rename(SCOPE, "notes/a.md", "b.md"),
    "restore": lambda host: host.restore(SCOPE, "notes/a.md", 1),
    "erase": lambda host: host.erase(SCOPE, "notes/a.md"),
    "describe": lambda host: host.describe(SCOPE, "notes/a.md"),
}


@pytest.mark.parametrize("where", ["outside", "/", "..", "there.md", "nowhere"])
@pytest.mark.parametrize("name", ACTS)
def test_nothing_is_done_behind_a_link(
    host: MemoryHost, tmp_path: Path, where: str, name: str
) -> None:
    """Each act says that no document stands there, and what is outside stays as it was."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.md").write_text("x")
    home = host._opened.root.joinpath(*directory_of(SCOPE))
    home.mkdir(parents=True, exist_ok=True)
    (home / "there.md").write_text("x")
    links = [home / folder for folder in ("notes", "daily", "threads")]
    for link in links:
        link.symlink_to(tmp_path / "outside" if where == "outside" else where)
    try:
        with pytest.raises(OperationFailed) as refused:
            ACTS[name](host)
    finally:
        for link in links:
            link.unlink()

    assert refused.value.code == "not-a-document"
    assert [entry.name for entry in (tmp_path / "outside").iterdir()] == ["a.md"]
    assert (tmp_path / "outside" / "a.md").read_text() == "x"
    assert (home / "there.md").read_text() == "x"
