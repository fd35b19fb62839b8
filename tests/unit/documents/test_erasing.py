"""What is erased is gone from disk, and nothing else is."""

import os
import pathlib
import signal
import subprocess
import sys
import zlib

import pytest
from tests.unit.documents.acts import append, bodies, replace
from tests.unit.documents.fakes import World
from tests.unit.documents.kills import REPOSITORY

from memory_native.documents import Documents
from memory_native.documents.indexing import AT_ONCE_BYTES
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


@pytest.mark.parametrize("known", ["metadata", "index"])
def test_a_document_that_a_person_removed_is_erased_with_what_is_known_of_it(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path, known: str
) -> None:
    """It never had a version: its metadata or its place in the index are all there is."""
    replace(documents, "secret", **{"metadata": '{"a": 1}'} if known == "metadata" else {})
    (disk / "notes.md").unlink()
    if known == "metadata":
        documents.indexing.forget("notes.md")
    erasure = upkeep.erase("notes.md")

    assert (erasure.document, erasure.versions) == (False, 0)
    assert not [path for path in disk.rglob("*") if path.is_file() and path.name != "format"]
    assert world.index.entries == {}
    with pytest.raises(MemoryFailure, match="document-missing"):
        upkeep.erase("notes.md")


@pytest.mark.parametrize("by", ["hand", "large write"])
def test_what_only_an_erased_version_had_leaves_an_index_that_had_not_seen_it_go(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path, by: str
) -> None:
    """The document is taken in before traces are cleared: the index held the old text as living."""
    replace(documents, "secret")
    replace(documents, "secret too")
    if by == "hand":
        (disk / "notes.md").write_text("nothing of note")
    else:
        replace(documents, "word " * AT_ONCE_BYTES)
    assert "secret" in world.index.texts()["notes.md"]
    upkeep.erase("notes.md", 1)

    assert "secret" not in world.index.texts()["notes.md"]


def test_an_index_that_nobody_can_look_into_loses_its_traces_too(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """A kill left it unusable, and the document's name in it unknown."""
    replace(documents, "secret")
    (disk / "notes.md").unlink()
    world.index.state = "rebuilding"

    with pytest.raises(MemoryFailure, match="document-missing"):
        upkeep.erase("notes.md")
    assert world.index.entries == {}


PROFILE_SET = """
import os, signal, sys
from memory_native.provider import Provider
from memory_native.requests import ProfileFields
from tests.unit.documents.fakes import FakeHost

provider = Provider(sys.argv[1], FakeHost())
provider.profile_set(ProfileFields(timezone=None, locale="fr", location=None))
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
provider.profile_set(ProfileFields(timezone=None, locale=None, location="secret"))
"""


@pytest.mark.parametrize("by", ["erase", "check"])
def test_what_a_killed_profile_set_staged_is_removed(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path, by: str
) -> None:
    """It lies in a store of its own, which no write to a document looks into."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path])}
    command = [sys.executable, "-c", PROFILE_SET, str(disk)]
    killed = subprocess.run(command, check=False, env=environment, cwd=REPOSITORY)
    assert killed.returncode == -signal.SIGKILL
    staging = disk / "context/.store/staging"
    assert [b"secret" in path.read_bytes() for path in staging.iterdir()] == [True]

    if by == "erase":
        upkeep.erase("context/profile.json")
    else:
        assert '"code":"litter"' in upkeep.check(repair=True)
        assert '"code":"litter"' not in upkeep.check(repair=False)
    assert list(staging.iterdir()) == []


def test_a_link_in_place_of_the_profiles_store_is_not_emptied(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Documents may lie where it leads."""
    replace(documents, "kept")
    (disk / "notes").mkdir()
    (disk / "notes/other.md").write_text("kept")
    (disk / "context/.store").mkdir(parents=True)
    (disk / "context/.store/staging").symlink_to(disk / "notes")
    upkeep.erase("notes.md")

    assert (disk / "notes/other.md").read_text() == "kept"


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
