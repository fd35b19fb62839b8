"""Metadata: overlay, inheritance, what they switch, and schemas."""

import json
import pathlib

import pytest
from tests.unit.documents.fakes import World

from memory_native.documents import Documents, WriteRequest
from memory_native.documents.indexing import AT_ONCE
from memory_native.failures import MemoryFailure
from memory_native.metadata import Hygiene, policy
from memory_native.upkeep import Upkeep


def _write(documents: Documents, path: str, content: str = "text", **metadata: object) -> None:
    overlay = json.dumps(metadata) if metadata else None
    documents.write(WriteRequest(target=path, content=content, append=False, metadata=overlay))


def _described(documents: Documents, path: str) -> tuple[object, object]:
    described = json.loads(Upkeep(documents).describe(path))
    return described["metadata"], described["resolved"]


def test_an_overlay_merges_and_unknown_keys_stay(documents: Documents) -> None:
    """Later keys win, others are kept, whatever they mean."""
    _write(documents, "notes.md", tag="a", colour="red")
    _write(documents, "notes.md", tag="b")

    assert _described(documents, "notes.md")[0] == {"tag": "b", "colour": "red"}


def test_an_overlay_counts_without_a_change_of_text(documents: Documents) -> None:
    """The same content with other metadata stores the metadata."""
    _write(documents, "notes.md")
    _write(documents, "notes.md", tag="a")

    assert _described(documents, "notes.md")[0] == {"tag": "a"}


def test_the_nearest_config_counts_alone(documents: Documents) -> None:
    """Own directory first; a farther one is not merged in; the document wins."""
    _write(documents, ".config", far=1, shared="far")
    _write(documents, "a/.config", near=1, shared="near")
    _write(documents, "a/b/notes.md", shared="own")
    _write(documents, "notes.md")

    assert _described(documents, "a/b/notes.md")[1] == {"near": 1, "shared": "own"}
    assert _described(documents, "notes.md")[1] == {"far": 1, "shared": "far"}


def test_a_config_counts_only_while_it_exists(documents: Documents, disk: pathlib.Path) -> None:
    """Metadata of a document that is gone hand nothing down."""
    _write(documents, "a/.config", near=1)
    _write(documents, "a/notes.md")
    (disk / "a/.config").unlink()

    assert _described(documents, "a/notes.md")[1] == {}


def test_a_config_can_be_written_in_an_editor(documents: Documents, disk: pathlib.Path) -> None:
    """Its text may be the object itself; metadata laid over it win."""
    _write(documents, "a/.config", shared="laid over")
    (disk / "a/.config").write_text('\ufeff{"near": 1, "shared": "typed"}')
    _write(documents, "a/notes.md")

    assert _described(documents, "a/notes.md")[1] == {"near": 1, "shared": "laid over"}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"metadata": []}', b"[" * 9999])
def test_corrupt_metadata_never_block_reading(
    documents: Documents, disk: pathlib.Path, content: bytes
) -> None:
    """A damaged sidecar is as none, and the next overlay mends it."""
    _write(documents, "notes.md", tag="a")
    (sidecar,) = (disk / ".store/meta").iterdir()
    sidecar.write_bytes(content)

    assert documents.read("notes.md").content == "text"
    assert _described(documents, "notes.md")[0] == {}
    _write(documents, "notes.md", tag="b")
    assert _described(documents, "notes.md")[0] == {"tag": "b"}


@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        ({"enabled": True}, Hygiene(enabled=True, retention_days=30)),
        ({"enabled": True, "retention_days": 7}, Hygiene(enabled=True, retention_days=7)),
        ({"enabled": "yes"}, Hygiene()),
        ({"enabled": True, "retention_days": 0}, Hygiene(enabled=True)),
        ({"enabled": True, "retention_days": True}, Hygiene(enabled=True)),
        ({"enabled": True, "retention_days": "7"}, Hygiene(enabled=True)),
        (None, Hygiene()),
        ([], Hygiene()),
    ],
)
def test_ill_typed_hygiene_has_its_defaults(value: object, meaning: Hygiene) -> None:
    """Only what is certain switches retention on."""
    assert policy({"hygiene": value}).hygiene == meaning


@pytest.mark.parametrize("value", [None, 1, "true", [], {}])
def test_ill_typed_switches_are_off(value: object) -> None:
    """Only true is true."""
    resolved = policy({"skip_indexing": value, "skip_versioning": value})

    assert not resolved.skip_indexing
    assert not resolved.skip_versioning


def test_skip_indexing_hides_at_once_and_unskipping_shows_at_once(
    world: World, documents: Documents
) -> None:
    """Neither waits for the document to be rewritten."""
    _write(documents, "notes.md")
    _write(documents, "notes.md", skip_indexing=True)
    assert world.index.texts() == {}

    _write(documents, "notes.md", skip_indexing=False)
    assert world.index.texts() == {"notes.md": "text"}


def test_a_config_hides_and_shows_what_is_below_it(world: World, documents: Documents) -> None:
    """The cascade stays in its subtree, and an explicit false survives it."""
    for path in ("a/one.md", "a/b/two.md", "ab/three.md", "four.md"):
        _write(documents, path)
    _write(documents, "a/open.md", skip_indexing=False)

    _write(documents, "a/.config", "{}", skip_indexing=True)
    assert set(world.index.texts()) == {"a/open.md", "ab/three.md", "four.md"}

    _write(documents, "a/.config", "{}", skip_indexing=False)
    assert {"a/one.md", "a/b/two.md"} < set(world.index.texts())


def test_metadata_of_an_absent_config_hide_nothing(
    world: World, documents: Documents, disk: pathlib.Path
) -> None:
    """A phantom rule wipes nothing."""
    _write(documents, "notes.md")
    _write(documents, ".config", skip_indexing=True)
    (disk / ".config").unlink()
    Upkeep(documents).refresh([".config"], everything=False, budget_ms=1000)

    assert set(world.index.texts()) == {"notes.md"}


def test_a_large_cascade_waits_for_a_refresh(world: World, documents: Documents) -> None:
    """A write takes in so many documents at most; readers are told about the rest."""
    for number in range(AT_ONCE + 5):
        _write(documents, f"a/{number}.md")
    _write(documents, "a/.config", "{}", skip_indexing=True)

    assert world.index.state == "rebuilding"
    Upkeep(documents).refresh([], everything=False, budget_ms=10_000)
    assert world.index.texts() == {}
    assert world.index.state == "clean"


def test_a_schema_holds_for_the_result_of_every_write(documents: Documents) -> None:
    """Inherited or own, it sees the whole text, and nothing is stored that breaks it."""
    _write(documents, "a/.config", "rules", schema={"type": "array", "maxItems": 2})
    _write(documents, "a/list.json", "[1]")

    with pytest.raises(MemoryFailure, match="schema-mismatch"):
        documents.write(WriteRequest(target="a/list.json", content="[2]"))
    with pytest.raises(MemoryFailure, match="schema-mismatch"):
        documents.write(WriteRequest(target="a/list.json", old_string="1", new_string="1, 2, 3"))
    documents.write(WriteRequest(target="a/list.json", old_string="1", new_string="1, 2"))
    assert documents.read("a/list.json").content == "[1, 2]"


def test_a_null_schema_of_its_own_lifts_an_inherited_one(documents: Documents) -> None:
    """The document wins."""
    _write(documents, "a/.config", "rules", schema={"type": "array"})
    _write(documents, "a/notes.md", "plain text", schema=None)

    assert documents.read("a/notes.md").content == "plain text"


def test_a_refused_write_leaves_metadata_as_they_were(documents: Documents) -> None:
    """The overlay is stored with the document or not at all."""
    _write(documents, "notes.json", "{}", tag="a")

    with pytest.raises(MemoryFailure, match="schema-mismatch"):
        _write(documents, "notes.json", "[]", tag="b", schema={"type": "object"})
    assert _described(documents, "notes.json")[0] == {"tag": "a"}


def test_metadata_cannot_grow_without_bound(documents: Documents) -> None:
    """Many small overlays are refused where one large one would be."""
    _write(documents, "notes.md", first="x" * 40_000)

    with pytest.raises(MemoryFailure, match="metadata-invalid"):
        _write(documents, "notes.md", "other", second="x" * 40_000)
    assert documents.read("notes.md").content == "text"


def test_a_schema_may_refer_to_itself(documents: Documents) -> None:
    """References inside the schema work, recursive ones too."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
        "$ref": "#/$defs/tree",
    }
    _write(documents, "tree.json", "[[], [[]]]", schema=schema)

    with pytest.raises(MemoryFailure, match="schema-mismatch"):
        _write(documents, "tree.json", "[[1]]")
