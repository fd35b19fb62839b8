"""What the tool did and a person undid by hand before any look is not found any more."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox.documents.subject import SCOPE, documents_of

from ironclaw_memory import MemoryHost, Message, Origin, Role, Scope
from ironclaw_memory.calls.guest import change_of


pytestmark = pytest.mark.sandbox

THREAD = Scope(tenant=SCOPE.tenant, user=SCOPE.user, project=SCOPE.project, thread="t")
Act = Callable[[MemoryHost, Path], None]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data directory whose scope was looked at when it held `kept.md` and `old.md`."""
    with MemoryHost.open(root=tmp_path) as host:
        write(host, "kept.md", "zebra")
        write(host, "old.md", "an ocelot")
        assert found(host, "zebra") == ["kept.md"]
    return tmp_path


def write(host: MemoryHost, path: str, content: str, **more: object) -> None:
    """Make *content* the document."""
    fields = {"target": path, "content": content, "append": False, **more}
    host.call_as_operator("ironclaw.memory.write", fields, scope=SCOPE)


def found(host: MemoryHost, query: str) -> list[str]:
    """Return the paths of a search."""
    output: Any = host.call(
        "ironclaw.memory.search", {"query": query}, scope=SCOPE, origin=Origin.LOOP_RUN
    )
    return sorted({result["path"] for result in output["results"]})


def delete_what_was_written(host: MemoryHost, place: Path) -> None:
    """A new document."""
    write(host, "s/new.md", "walrus")
    (place / "s" / "new.md").unlink()


def move_its_directory(host: MemoryHost, place: Path) -> None:
    """Away from where a search would look."""
    write(host, "s/new.md", "walrus")
    (place / "s").rename(place.parent / "elsewhere")


def put_the_older_back(host: MemoryHost, place: Path) -> None:
    """With its time, as `cp -p` does."""
    shutil.copy2(place / "old.md", place.parent / "old.md")
    write(host, "old.md", "walrus")
    shutil.copy2(place.parent / "old.md", place / "old.md")


def delete_a_transcript(host: MemoryHost, place: Path) -> None:
    """Of a run that was recorded."""
    host.record_interaction(THREAD, [Message(role=Role.USER, content="walrus")], run_id="2")
    (place / "threads" / "t" / "2.md").unlink()


def delete_what_was_restored(host: MemoryHost, place: Path) -> None:
    """From its history; the look before saw it deleted."""
    write(host, "gone.md", "walrus")
    host.delete(SCOPE, "gone.md")
    assert found(host, "walrus") == []
    host.restore(SCOPE, "gone.md", 1)
    (place / "gone.md").unlink()


def delete_what_was_renamed(host: MemoryHost, place: Path) -> None:
    """Under its new name."""
    write(host, "first.md", "walrus")
    assert found(host, "walrus") == ["first.md"]
    host.rename(SCOPE, "first.md", "second.md")
    (place / "second.md").unlink()


def delete_what_a_repair_took_in(host: MemoryHost, place: Path) -> None:
    """A file of theirs that `doctor --fix` indexed before any look."""
    (place / "theirs.md").write_text("walrus")
    host.check(SCOPE, repair=True)
    (place / "theirs.md").unlink()


@pytest.mark.parametrize(
    "act",
    [
        delete_what_was_written,
        move_its_directory,
        put_the_older_back,
        delete_a_transcript,
        delete_what_was_restored,
        delete_what_was_renamed,
        delete_what_a_repair_took_in,
    ],
    ids=lambda act: act.__name__,
)
@pytest.mark.parametrize("by", ["search", "refresh"])
def test_what_a_person_took_away_is_not_found(root: Path, act: Act, by: str) -> None:
    """By the next command, be it a search or a refresh; what else there is stays found."""
    with MemoryHost.open(root=root) as host:
        act(host, documents_of(root))
    with MemoryHost.open(root=root) as host:
        if by == "refresh":
            host.refresh(SCOPE)
            assert host.check(SCOPE)["findings"] == []
        assert found(host, "walrus") == []
        assert found(host, "zebra") == ["kept.md"]
        assert found(host, "ocelot") == ["old.md"]


def test_what_a_settings_document_hid_is_found_without_it(root: Path) -> None:
    """The tool wrote it, and a person removed it."""
    place = documents_of(root)
    with MemoryHost.open(root=root) as host:
        write(host, "m/new.md", "walrus")
        write(host, "m/.config", '{"skip_indexing": true}')
        (place / "m" / ".config").unlink()
    with MemoryHost.open(root=root) as host:
        assert found(host, "walrus") == ["m/new.md"]
        assert found(host, "zebra") == ["kept.md"]


def test_who_undoes_nothing_costs_no_look_at_everything(root: Path) -> None:
    """Written, renamed, deleted and erased by the tool: the provider's own index is in step."""
    with MemoryHost.open(root=root) as host:
        write(host, "a.md", "walrus")
        write(host, "b.md", "walrus")
        host.rename(SCOPE, "a.md", "c.md")
        host.delete(SCOPE, "b.md")
        write(host, "d.md", "walrus")
        host.erase(SCOPE, "d.md")
        assert not change_of(host._wiring, SCOPE).everything
        report = host.refresh(SCOPE)
        assert (report.indexed, report.removed) == (0, 0)
        (notes,) = (root / "host" / "seen").glob("*.written")
        assert notes.read_bytes() == b""


def test_a_restored_snapshot_that_is_undone_by_hand_is_not_found(tmp_path: Path) -> None:
    """It brought an index back that knows other documents than a look has seen."""
    with MemoryHost.open(root=tmp_path) as host:
        write(host, "x.md", "zebra")
        assert found(host, "zebra") == ["x.md"]
        snapshot = host.take_snapshot(SCOPE)
        assert snapshot is not None
        host.delete(SCOPE, "x.md")
        assert found(host, "zebra") == []
        host.restore_snapshot(SCOPE, snapshot.id)
        (documents_of(tmp_path) / "x.md").unlink()
    with MemoryHost.open(root=tmp_path) as host:
        assert found(host, "zebra") == []


def test_a_scope_whose_memory_was_lost_is_not_taken_for_empty(tmp_path: Path) -> None:
    """Its index may know documents that are gone."""
    with MemoryHost.open(root=tmp_path) as host:
        write(host, "a.md", "zebra")
    shutil.rmtree(tmp_path / "host" / "seen")
    (documents_of(tmp_path) / "a.md").unlink()
    with MemoryHost.open(root=tmp_path) as host:
        write(host, "b.md", "walrus")
        assert found(host, "zebra") == []
