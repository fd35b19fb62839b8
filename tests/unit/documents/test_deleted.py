"""The documents that are gone and have a history, in parts."""

import pathlib

import pytest
from tests.unit.documents.acts import append, replace

from memory_native.documents import Documents
from memory_native.upkeep import Upkeep, service


def _all(upkeep: Upkeep) -> list[str]:
    found: list[str] = []
    more = True
    while more:
        part = upkeep.deleted(found[-1] if found else None)
        found += part.paths
        more = part.more
    return found


def test_every_deleted_document_is_listed_once(
    documents: Documents,
    upkeep: Upkeep,
    disk: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However small the parts are, and whoever deleted it."""
    names = [f"notes/{name}.md" for name in ("a", "z", "\u00e9", "\u4e2d", "\U0001f600")]
    for name in (*names, "there.md"):
        replace(documents, "one", path=name)
        replace(documents, "two", path=name)
    for name in names[:2]:
        upkeep.delete(name)
    for name in names[2:]:
        (disk / name).unlink()

    for size in (1, 20, 1 << 20):
        monkeypatch.setattr(service, "_PART_BYTES", size)
        assert _all(upkeep) == names
    assert upkeep.deleted("zzz") == upkeep.deleted(names[-1])


def test_what_has_no_history_is_not_listed(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """A document that a person removed before its first change left nothing to list."""
    append(documents, "one", path="new.md")
    (disk / "new.md").unlink()
    replace(documents, "one", path="back.md")
    upkeep.delete("back.md")
    upkeep.restore("back.md", 1)
    replace(documents, "one", path="moved.md")
    replace(documents, "two", path="moved.md")
    upkeep.rename("moved.md", "here.md")

    assert _all(upkeep) == []
    assert Upkeep(documents).deleted(None).paths == ()


def test_a_document_of_a_decomposed_name_is_there(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Other programs store such names; the document is found under its composed one."""
    replace(documents, "one", path="caf\u00e9.md")
    replace(documents, "two", path="caf\u00e9.md")
    (disk / "caf\u00e9.md").rename(disk / "cafe\u0301.md")

    assert _all(upkeep) == []
