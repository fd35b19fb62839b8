"""The nested listing."""

import json
import os
import pathlib

import pytest

from memory_native import store, tree
from memory_native.documents import Documents, WriteRequest


def _write(documents: Documents, path: str, content: str = "text", **metadata: object) -> None:
    overlay = json.dumps(metadata) if metadata else None
    documents.write(WriteRequest(target=path, content=content, append=False, metadata=overlay))


def _tree(documents: Documents, path: str = "", depth: int = 10) -> object:
    return json.loads(tree.listing(documents.root, documents.names, path, depth))


def test_the_tree_nests_directories_before_files(documents: Documents) -> None:
    """Sorted at each level; the last level only names directories."""
    for path in ("b.md", "a.md", "z/y/x.md", "z/a.md", "c/d.md"):
        _write(documents, path)

    assert _tree(documents, depth=1) == ["c/", "z/", "a.md", "b.md"]
    assert _tree(documents, depth=2) == [
        {"c/": ["d.md"]},
        {"z/": ["y/", "a.md"]},
        "a.md",
        "b.md",
    ]
    assert _tree(documents, "z", depth=5) == [{"y/": ["x.md"]}, "a.md"]
    assert _tree(documents, "z/", depth=0) == ["y/", "a.md"]


@pytest.mark.parametrize("path", ["absent", "a.md", "a.md/x", "link"])
def test_a_path_that_matches_no_directory_lists_nothing(
    documents: Documents, disk: pathlib.Path, path: str
) -> None:
    """It is no error, and a link is not followed."""
    _write(documents, "a.md")
    (disk / "link").symlink_to(disk.parent)

    assert _tree(documents, path) == []


def test_only_documents_and_directories_are_listed(
    documents: Documents, disk: pathlib.Path
) -> None:
    """The store, sidecar names, links and FIFOs are not there; a decomposed name is composed."""
    _write(documents, "a.md")
    (disk / "old.meta").write_text("x")
    (disk / "link.md").symlink_to("a.md")
    os.mkfifo(disk / "pipe")
    (disk / "cafe\u0301").mkdir()
    (disk / "cafe\u0301" / "b.md").write_text("x")
    with open(os.fsencode(disk) + b"/\xff.md", "wb") as file:  # noqa: PTH123 - a name in bytes
        file.write(b"x")

    assert _tree(documents) == [{"caf\u00e9/": ["b.md"]}, "a.md"]
    assert _tree(documents, "caf\u00e9") == ["b.md"]
    assert _tree(documents, "cafe\u0301") == ["b.md"]


@pytest.mark.parametrize("where", ["", "deep/"])
def test_a_long_listing_is_cut_and_says_so(
    documents: Documents, disk: pathlib.Path, where: str
) -> None:
    """Two thousand entries and a mark, at whatever level it was cut."""
    (disk / where).mkdir(exist_ok=True)
    for number in range(2001):
        (disk / f"{where}{number:04}.md").touch()
    listed = _tree(documents)

    assert isinstance(listed, list)
    assert listed[-1] == tree.CUT
    assert len(json.dumps(listed).split(", ")) in {2001, 2002}


def test_exactly_two_thousand_entries_are_not_cut(documents: Documents, disk: pathlib.Path) -> None:
    """The limit is inclusive."""
    for number in range(2000):
        (disk / f"{number:04}.md").touch()

    assert tree.CUT not in str(_tree(documents))


def test_the_key_of_a_path_is_injective_and_case_safe() -> None:
    """Twins have different keys of one case."""
    keys = {store.key(path) for path in ("a.md", "A.md", "a/md", "\u00e4.md")}

    assert len(keys) == 4
    assert all(key == key.lower() for key in keys)
