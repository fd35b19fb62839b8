"""What is erased is gone from disk, and nothing else is."""

import pathlib
import zlib

import pytest
from tests.unit.documents.acts import append, bodies, replace
from tests.unit.documents.fakes import World

from memory_native.documents import Documents
from memory_native.failures import MemoryFailure
from memory_native.upkeep import Upkeep


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_an_erased_version_is_gone_from_disk_and_keeps_its_row(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path, number: int
) -> None:
    """Other versions stay readable, even those that were put together from it."""
    for word in ("uno", "duo", "tre", "quattuor"):
        append(documents, word)
    replace(documents, "other")
    texts = bodies(upkeep)
    assert upkeep.erase("notes.md", number).versions == 1

    assert upkeep.history("notes.md").versions[number - 1].erased
    with pytest.raises(MemoryFailure, match="version-erased"):
        upkeep.version("notes.md", number)
    assert bodies(upkeep) == [text for text in texts if text != texts[number - 1]]
    assert upkeep.erase("notes.md", number).versions == 0
    assert upkeep.check(repair=False).endswith('"findings":[]}')


def test_what_only_an_erased_version_had_is_on_no_disk(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Whether it was stored in full or as what it added to the one before."""
    append(documents, "one")
    append(documents, "secret")
    replace(documents, "three")
    replace(documents, "secret too")
    replace(documents, "five")
    held = _texts_on_disk(disk)
    assert held.count(b"secret") == 2
    for number in (2, 4):
        upkeep.erase("notes.md", number)

    assert b"secret" not in _texts_on_disk(disk)
    assert bodies(upkeep) == ["one\n", "three"]


def _texts_on_disk(disk: pathlib.Path) -> bytes:
    files = [path for path in (disk / ".store/versions").rglob("*") if path.is_file()]
    return b"".join(
        zlib.decompress(path.read_bytes()) if path.name.isdecimal() else path.read_bytes()
        for path in files
    )


def test_an_erased_document_leaves_no_trace(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Document, versions, metadata and index entry are gone."""
    replace(documents, "secret one", metadata='{"tag": "secret"}')
    replace(documents, "secret two")
    erasure = upkeep.erase("notes.md")

    assert (erasure.document, erasure.versions) == (True, 1)
    assert not [path for path in disk.rglob("*") if path.is_file() and path.name != "format"]
    assert world.index.entries == {}
    with pytest.raises(MemoryFailure, match="document-missing"):
        upkeep.erase("notes.md")


@pytest.mark.parametrize("number", [0, 2, 4_000_000_000])
def test_an_unknown_version_is_an_input_failure(
    documents: Documents, upkeep: Upkeep, number: int
) -> None:
    """Reading, restoring and erasing say the same."""
    replace(documents, "one")
    replace(documents, "two")

    for call in (upkeep.version, upkeep.restore, upkeep.erase):
        with pytest.raises(MemoryFailure, match="version-missing"):
            call("notes.md", number)
