"""Looking at a scope from outside."""

import os
import socket
from pathlib import Path

import pytest

from ironclaw_memory.model import Access
from ironclaw_memory.scopes import Mount, Odd, Stamp, scan, usage
from ironclaw_memory.scopes.walk import MAX_DEPTH


def _mount(root: Path) -> Mount:
    return Mount(root=root, parts=(), guest_path="/memory", access=Access.READ)


def test_documents_are_listed_with_what_changes(tmp_path: Path) -> None:
    """Each document comes with its size and its time of change, to the nanosecond."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.md").write_text("abc")
    os.utime(tmp_path / "notes/a.md", ns=(0, 1_234_567_891))

    assert scan(_mount(tmp_path)).documents == {"notes/a.md": Stamp(3, 1_234_567_891)}


def test_the_providers_own_directory_is_left_out_at_the_top_only(tmp_path: Path) -> None:
    """``.store`` and the profile's are the provider's, ``notes/.store`` is a folder like any other."""
    for place in (".store", "context/.store", "notes/.store"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "x").write_text("")

    assert list(scan(_mount(tmp_path)).documents) == ["notes/.store/x"]


def test_what_is_no_document_is_listed_apart(tmp_path: Path) -> None:
    """Links, pipes, sockets and names that are not text never count as documents."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("s")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to("../outside/secret")
    (root / "folder").symlink_to("../outside")
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(str(root / "socket"))
    Path(os.fsdecode(os.fsencode(root) + b"/\xff")).write_text("")

    found = scan(_mount(root))

    assert found.documents == {}
    assert set(found.odd) == {
        Odd("folder", "link"),
        Odd("link", "link"),
        Odd("pipe", "pipe"),
        Odd("socket", "socket"),
        Odd("\N{REPLACEMENT CHARACTER}", "name"),
    }


def test_a_bottomless_directory_ends(tmp_path: Path) -> None:
    """Nesting beyond any document's is reported instead of walked."""
    deep = tmp_path.joinpath(*["d"] * (MAX_DEPTH + 5))
    deep.mkdir(parents=True)
    (deep / "x").write_text("")

    found = scan(_mount(tmp_path))

    assert found.documents == {}
    assert [odd.kind for odd in found.odd] == ["depth"]


def test_usage_counts_documents_and_store_apart(tmp_path: Path) -> None:
    """What the provider keeps for itself has a quota of its own."""
    (tmp_path / ".store").mkdir()
    (tmp_path / ".store/index").write_bytes(b"x" * 10_000)
    (tmp_path / "a.md").write_bytes(b"x" * 5_000)

    found = usage(_mount(tmp_path))

    assert (found.files, found.store_files) == (1, 1)
    assert found.bytes >= 5_000
    assert found.store_bytes >= found.largest >= 10_000


@pytest.mark.parametrize("size", [1 << 20, 1 << 30])
def test_a_hole_counts_as_large_as_it_looks(tmp_path: Path, size: int) -> None:
    """A sparse file does not hide behind the blocks it does not use."""
    with (tmp_path / "hole").open("wb") as file:
        file.truncate(size)

    assert usage(_mount(tmp_path)).largest == size
