"""Earlier bodies: kept, listed, restored, and never lost by a kill or by an editor."""

import pathlib
from hashlib import sha256
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.documents.acts import append, bodies, replace
from tests.unit.documents.fakes import NOON, World

from memory_native.documents import Documents, WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.upkeep import Upkeep


def test_each_overwrite_keeps_the_previous_content(
    world: World, documents: Documents, upkeep: Upkeep
) -> None:
    """A row says what the body was, when it went and whose write replaced it."""
    replace(documents, "one")
    world.host.unix_ms = NOON + 7
    replace(documents, "two")

    (row,) = upkeep.history("notes.md").versions
    assert (row.number, row.size, row.unix_ms, row.erased) == (1, 3, NOON + 7, False)
    assert row.changed_by == "tenant:acme:user:alice:project:_none"
    assert row.hash.startswith("sha256:")
    assert bodies(upkeep) == ["one"]


def test_nothing_is_kept_of_nothing(documents: Documents, upkeep: Upkeep) -> None:
    """Empty and identical contents leave no version."""
    documents.write(WriteRequest(target="bootstrap"))
    replace(documents, "x", path="BOOTSTRAP.md")
    replace(documents, "x", path="BOOTSTRAP.md")

    assert upkeep.history("BOOTSTRAP.md").versions == ()


def test_skip_versioning_keeps_nothing(documents: Documents, upkeep: Upkeep) -> None:
    """The document said so."""
    replace(documents, "one", metadata='{"skip_versioning": true}')
    replace(documents, "two")

    assert upkeep.history("notes.md").versions == ()


def test_every_body_of_many_appends_can_be_had(documents: Documents, upkeep: Upkeep) -> None:
    """A version is what was added to the one before, put together again when it is asked for."""
    texts, text = [], ""
    for number in range(120):
        append(documents, f"fact {number} {'x' * number}")
        texts.append(text)
        text = documents.read("notes.md").content

    assert bodies(upkeep) == texts[1:]


@pytest.mark.parametrize("entry", ["x" * 60_000, "\u4e2d" * 20_000, '"\\\x01' * 6000])
def test_a_large_entry_is_kept_as_well(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path, entry: str
) -> None:
    """Its row is longer than what is usually read of the file of rows, and may be torn too."""
    replace(documents, "y" * 600_000)
    for number in range(3):
        append(documents, f"{number}{entry}")
        append(documents, "short")
    (log,) = (disk / ".store/versions").rglob("rows")
    log.write_bytes(log.read_bytes() + b'?[7,"' + b"z" * 40_000)
    replace(documents, "other")

    sizes = [len(body.encode()) for body in bodies(upkeep)]
    grown = [len(entry.encode()) + 2, len("short\n")] * 3
    assert [b - a for a, b in pairwise(sizes[1:])] == grown[1:]
    assert [row.number for row in upkeep.history("notes.md").versions] == [1, 2, 3, 4, 5, 6, 7]


_WORDS = st.sampled_from(["tea", "caf\u00e9", "one\ntwo", "x" * 700])
_STEPS = st.lists(
    st.tuples(st.sampled_from(["append", "replace", "unkept", "edit", "grow", "remove"]), _WORDS),
    min_size=1,
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(steps=_STEPS, edits=st.sets(st.integers(0, 24)))
def test_no_edit_by_hand_loses_a_version(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[str, str]],
    edits: set[int],
) -> None:
    """Whenever an editor saves, between writes or within one, what a write replaced is kept.

    *edits* are the writes in whose middle a person saves the file.
    """
    root = tmp_path_factory.mktemp("scope")
    world = World(str(root))
    documents, kept = world.documents(), []
    file = root / "notes.md"
    for at, (kind, word) in enumerate(steps):
        before = _text(file)
        pending = [f"saved {at}"] if at in edits else []

        def save(pending: list[str] = pending) -> None:
            while pending:
                file.write_text(pending.pop())

        world.safety.on_screen = save
        _act(documents, file, kind, f"{word} {at}")
        replaced = f"saved {at}" if at in edits else before
        if replaced and kind in ("append", "replace"):
            kept.append(replaced)

    assert (bodies(Upkeep(documents)) if kept else []) == kept


def _text(file: pathlib.Path) -> str:
    return file.read_bytes().decode() if file.exists() else ""


def _act(documents: Documents, file: pathlib.Path, kind: str, text: str) -> None:
    match kind:
        case "append":
            append(documents, text)
        case "replace":
            replace(documents, text)
        case "unkept":
            documents.put("notes.md", text.encode())
        case "remove":
            file.unlink(missing_ok=True)
        case _:
            file.write_text((_text(file) if kind == "grow" else "") + text)


def test_a_restored_body_is_the_document_again(documents: Documents, upkeep: Upkeep) -> None:
    """What it replaces is itself kept."""
    replace(documents, "one")
    replace(documents, "two")
    change = upkeep.restore("notes.md", 1)

    assert (change.size, change.kept_as) == (3, 2)
    assert documents.read("notes.md").content == "one"
    assert bodies(upkeep) == ["one", "two"]


def test_a_restored_body_is_screened(world: World, documents: Documents, upkeep: Upkeep) -> None:
    """What a write may not store, a restoration may not store either."""
    replace(documents, "one")
    replace(documents, "two")
    world.safety.forbidden = "one"

    with pytest.raises(MemoryFailure, match="high_risk_prompt_injection"):
        upkeep.restore("notes.md", 1)


def test_a_deleted_document_can_be_restored(
    world: World, documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """Its last body is a version; empty folders go with it."""
    append(documents, "one", path="a/b/notes.md")
    append(documents, "two", path="a/b/notes.md")
    change = upkeep.delete("a/b/notes.md")

    assert (change.size, change.kept_as) == (0, 2)
    assert not (disk / "a").exists()
    assert "a/b/notes.md" not in world.index.entries
    assert bodies(upkeep, "a/b/notes.md") == ["one\n", "one\ntwo\n"]
    upkeep.restore("a/b/notes.md", 2)
    assert documents.read("a/b/notes.md").content == "one\ntwo\n"


def test_a_twin_of_a_document_of_the_memory_s_own_is_not_brought_back(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """A person may have made it by hand; it would keep the right one from being made."""
    (disk / "memory.md").write_text("by hand")
    upkeep.delete("memory.md")
    with pytest.raises(MemoryFailure, match="path-kept"):
        upkeep.restore("memory.md", 1)
    assert upkeep.version("memory.md", 1).content == "by hand"


def test_a_damaged_body_is_said_to_be_damaged(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """It is never served, whatever is in the file."""
    replace(documents, "one")
    replace(documents, "two")
    (body,) = (disk / ".store/versions").rglob("1")
    body.write_bytes(b"x")

    with pytest.raises(MemoryFailure, match="version-damaged"):
        upkeep.version("notes.md", 1)
    assert documents.read("notes.md").content == "two"


def test_a_row_with_a_damaged_hash_is_a_damaged_version(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """It keeps its number, what builds on its body is served, and nobody sees what stood there."""
    append(documents, "one")
    append(documents, "two")
    append(documents, "three")
    (log,) = (disk / ".store/versions").rglob("rows")
    digest = sha256(b"one\n").hexdigest().encode()
    assert digest in log.read_bytes()
    log.write_bytes(log.read_bytes().replace(digest, b"\\u001b]0;owned\\u0007"))

    first, second = upkeep.history("notes.md").versions
    assert (first.number, first.hash) == (1, "sha256:" + "0" * 64)
    with pytest.raises(MemoryFailure, match="version-damaged"):
        upkeep.version("notes.md", 1)
    assert upkeep.version("notes.md", second.number).content == "one\ntwo\n"


def test_a_torn_row_is_ignored_and_overwritten(
    documents: Documents, upkeep: Upkeep, disk: pathlib.Path
) -> None:
    """A power cut in the middle of a line loses nothing before it."""
    replace(documents, "one")
    replace(documents, "two")
    (log,) = (disk / ".store/versions").rglob("rows")
    log.write_bytes(log.read_bytes() + b'?[2,"abc')
    replace(documents, "three")

    assert bodies(upkeep) == ["one", "two"]
