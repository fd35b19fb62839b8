"""Append, replace, patch and clear."""

import errno
import os
import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.documents.fakes import NOON, World

from memory_native.documents import Change, Documents, WriteRequest, WriteStatus
from memory_native.documents.indexing import AT_ONCE_BYTES
from memory_native.failures import MemoryFailure
from memory_native.upkeep import Upkeep


def _write(documents: Documents, target: str, content: str, **fields: object) -> str:
    documents.write(WriteRequest(target=target, content=content, **fields))  # type: ignore[arg-type]
    return documents.read(target).content


def _patch(documents: Documents, path: str, old: str, new: str, *, every: bool = False) -> str:
    documents.write(WriteRequest(target=path, old_string=old, new_string=new, replace_all=every))
    return documents.read(path).content


def test_two_appends_stay_two_lines(documents: Documents) -> None:
    """Entries end in a line break, so they never fuse."""
    _write(documents, "notes.md", "one  \n\n")

    assert _write(documents, "notes.md", "two") == "one\ntwo\n"


def test_an_append_to_a_line_without_an_end_starts_a_new_line(
    documents: Documents, disk: pathlib.Path
) -> None:
    """A person's editor may leave the last line open."""
    (disk / "notes.md").write_bytes(b"typed by hand")

    assert _write(documents, "notes.md", "one") == "typed by hand\none\n"


def test_an_append_counts_the_bytes_of_its_entry(documents: Documents) -> None:
    """The reply says what was added, not how large the document is."""
    _write(documents, "notes.md", "before")
    reply = documents.write(WriteRequest(target="notes.md", content="grün "))

    assert (reply.status, reply.append, reply.content_length) == (WriteStatus.WRITTEN, True, 6)


def test_a_replacement_is_stored_byte_for_byte(documents: Documents, disk: pathlib.Path) -> None:
    """Nothing is trimmed and no line end is added."""
    text = "\ufeff  spaces \r\nand\ttabs"
    reply = documents.write(WriteRequest(target="notes.md", content=text, append=False))

    assert (disk / "notes.md").read_bytes() == text.encode()
    assert (reply.append, reply.content_length) == (False, len(text.encode()))


@pytest.mark.parametrize(
    ("alias", "path"),
    [
        ("memory", "MEMORY.md"),
        ("heartbeat", "HEARTBEAT.md"),
        ("daily_log", "daily/2026-11-29.md"),
        ("notes/topic.md", "notes/topic.md"),
    ],
)
def test_aliases_name_documents(documents: Documents, alias: str, path: str) -> None:
    """The alias words stand for fixed paths; anything else is a path."""
    assert documents.write(WriteRequest(target=alias, content="x")).path == path


@pytest.mark.parametrize(
    ("explicit", "profile", "day"),
    [
        (None, "UTC", "2026-11-29"),
        (None, "Pacific/Kiritimati", "2026-11-30"),
        ("Pacific/Kiritimati", "UTC", "2026-11-30"),
        ("UTC", "Pacific/Kiritimati", "2026-11-29"),
    ],
)
def test_the_daily_log_has_the_date_of_the_zone(
    world: World, explicit: str | None, profile: str, day: str
) -> None:
    """An explicit zone counts, else the user's own."""
    world.host.zone = profile
    request = WriteRequest(target="daily_log", content="x", timezone=explicit)

    assert world.documents().write(request).path == f"daily/{day}.md"


def test_the_daily_log_is_only_ever_added_to(documents: Documents) -> None:
    """A request to replace it appends."""
    documents.write(WriteRequest(target="daily_log", content="one"))
    reply = documents.write(WriteRequest(target="daily_log", content="two", append=False))

    assert reply.append
    assert documents.read(reply.path).content == "one\ntwo\n"


def test_bootstrap_is_cleared_whatever_the_content(documents: Documents) -> None:
    """The alias empties the document; its text stays in the history."""
    _write(documents, "BOOTSTRAP.md", "first steps")
    reply = documents.write(WriteRequest(target="bootstrap", content="ignored"))

    assert (reply.status, reply.path, reply.content_length) == (
        WriteStatus.CLEARED,
        "BOOTSTRAP.md",
        0,
    )
    assert reply.message
    assert documents.read("BOOTSTRAP.md").content == ""


def test_bootstrap_is_cleared_even_if_it_is_not_text(
    documents: Documents, disk: pathlib.Path
) -> None:
    """Clearing and replacing need not understand what was there."""
    (disk / "BOOTSTRAP.md").write_bytes(b"\xff\xfe")
    documents.write(WriteRequest(target="bootstrap"))

    assert (disk / "BOOTSTRAP.md").read_bytes() == b""


def test_a_patch_replaces_the_first_or_every_occurrence(documents: Documents) -> None:
    """`replace_all` decides, and the reply counts."""
    _write(documents, "notes.md", "tea tea tea")
    assert _patch(documents, "notes.md", "tea", "milk") == "milk tea tea\n"

    reply = documents.write(
        WriteRequest(target="notes.md", old_string="tea", new_string="water", replace_all=True)
    )
    assert (reply.status, reply.replacements) == (WriteStatus.PATCHED, 2)
    assert reply.content_length == len("milk water water\n")


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\r\nb\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\n"),
        (b"a\r\nb\r\n", "a\r\nb", "x\r\ny", b"x\r\ny\r\n"),
        (b"a\r\nb\nc\n", "b\nc", "x\ny", b"a\r\nx\ny\n"),
        (b"a\nb\n", "a\nb", "x\ny", b"x\ny\n"),
        (b"\xef\xbb\xbffirst\r\nsecond\r\n", "first\nsecond", "x\ny", b"\xef\xbb\xbfx\r\ny\r\n"),
        (b"\xef\xbb\xbffirst\n", "first", "x", b"\xef\xbb\xbfx\n"),
        (b"a.c abc\r\n", "a.c", r"\1", b"\\1 abc\r\n"),
    ],
)
def test_a_patch_keeps_line_ends_and_mark(
    documents: Documents, disk: pathlib.Path, before: bytes, old: str, new: str, after: bytes
) -> None:
    """LF in a patch means whatever ends lines in the document; a BOM stays and hides nothing."""
    (disk / "notes.md").write_bytes(before)
    _patch(documents, "notes.md", old, new)

    assert (disk / "notes.md").read_bytes() == after


def test_an_entry_takes_the_line_ends_of_its_document(
    documents: Documents, disk: pathlib.Path
) -> None:
    """A CRLF document stays one."""
    (disk / "notes.md").write_bytes(b"one\r\n")
    _write(documents, "notes.md", "two\nthree")

    assert (disk / "notes.md").read_bytes() == b"one\r\ntwo\r\nthree\r\n"


@pytest.mark.parametrize("path", ["with space.md", "会议/记录.md", "🚀/launch 🎉.md", "no-suffix"])
def test_names_are_as_people_have_them(documents: Documents, path: str) -> None:
    """Spaces, CJK and emoji are fine, and a suffix is not needed."""
    assert _write(documents, path, "x") == "x\n"


def test_a_decomposed_file_is_reached_by_its_composed_path(
    documents: Documents, disk: pathlib.Path
) -> None:
    """Other systems store decomposed names; no second file appears."""
    (disk / "cafe\u0301").mkdir()
    (disk / "cafe\u0301" / "re\u0301sume\u0301.md").write_text("one\n")

    assert _write(documents, "caf\u00e9/r\u00e9sum\u00e9.md", "two") == "one\ntwo\n"
    assert [entry.name for entry in disk.iterdir() if entry.name != ".store"] == ["cafe\u0301"]


def test_a_decomposed_request_is_stored_composed(documents: Documents, disk: pathlib.Path) -> None:
    """Names are kept in form C."""
    documents.write(WriteRequest(target="cafe\u0301.md", content="x"))

    assert (disk / "caf\u00e9.md").exists()


def test_a_twin_is_refused_after_a_person_added_one(
    documents: Documents, disk: pathlib.Path
) -> None:
    """The names a directory had are looked up again once it changed."""
    _write(documents, "one.md", "x")
    (disk / "Two.md").write_text("x")

    with pytest.raises(MemoryFailure, match="path-twin"):
        _write(documents, "two.md", "x")
    with pytest.raises(MemoryFailure, match="path-twin"):
        _write(documents, "ONE.md", "x")


def test_exactly_one_mebibyte_is_accepted(documents: Documents) -> None:
    """The limit is inclusive."""
    assert len(_write(documents, "notes.md", "a" * (1 << 20), append=False)) == 1 << 20


def test_a_document_over_the_limit_can_be_made_smaller(
    documents: Documents, disk: pathlib.Path
) -> None:
    """A large file from elsewhere can be read and replaced."""
    (disk / "notes.md").write_bytes(b"a" * (2 << 20))

    assert len(documents.read("notes.md").content) == 2 << 20
    assert _write(documents, "notes.md", "short", append=False) == "short"


@pytest.mark.parametrize(
    ("name", "points_to", "target"),
    [
        ("x.md", "real.md", "x.md"),
        ("x.md", "../secret.md", "x.md"),
        ("x.md", None, "x.md"),
        ("d", "..", "d/secret.md"),
        ("d", "threads", "d/x.md"),
        ("d", ".store", "d/format"),
    ],
)
def test_what_is_no_document_is_never_followed(
    documents: Documents, disk: pathlib.Path, name: str, points_to: str | None, target: str
) -> None:
    """Links, and FIFOs (without a destination here), are refused for reading and writing."""
    (disk.parent / "secret.md").write_text("secret")
    (disk / "threads").mkdir()
    _write(documents, "real.md", "real")
    if points_to is None:
        os.mkfifo(disk / name)
    else:
        (disk / name).symlink_to(points_to)
    before = _folder(disk.parent)

    with pytest.raises(MemoryFailure, match="not-a-document"):
        documents.read(target)
    with pytest.raises(MemoryFailure, match="not-a-document"):
        _write(documents, target, "x")
    assert before == _folder(disk.parent)


def test_the_combined_text_is_screened(world: World) -> None:
    """A phrase split over two writes is seen, and nothing is stored."""
    documents = world.documents()
    world.safety.forbidden = "one\ntwo"
    _write(documents, "notes.md", "one")

    with pytest.raises(MemoryFailure, match="high_risk_prompt_injection"):
        _write(documents, "notes.md", "two")
    assert documents.read("notes.md").content == "one\n"
    assert world.index.texts() == {"notes.md": "one\n"}


def test_an_edit_during_a_write_is_not_lost(world: World, disk: pathlib.Path) -> None:
    """The write starts again from what the editor left."""
    documents = world.documents()
    _write(documents, "notes.md", "one")
    edits = iter(["one\nby hand 1\n", "one\nby hand 2\n"])

    def edit() -> None:
        if text := next(edits, ""):
            (disk / "notes.md").write_text(text)

    world.safety.on_screen = edit
    assert _write(documents, "notes.md", "two") == "one\nby hand 2\ntwo\n"


def test_a_document_that_keeps_changing_is_a_conflict(world: World, disk: pathlib.Path) -> None:
    """After eight tries the write gives up with nothing changed by it."""
    documents = world.documents()
    _write(documents, "notes.md", "one")

    def edit() -> None:
        with (disk / "notes.md").open("a") as file:
            file.write("by hand\n")

    world.safety.screened.clear()
    world.safety.on_screen = edit
    with pytest.raises(MemoryFailure, match="conflict"):
        _write(documents, "notes.md", "two")
    assert (disk / "notes.md").read_text() == "one\n" + "by hand\n" * 8
    assert len(world.safety.screened) == 8


@pytest.mark.parametrize("target", ["old.md", "new/deep/x.md"])
@pytest.mark.parametrize("call", ["write", "fsync", "replace", "mkdir", "ftruncate"])
@pytest.mark.parametrize("nth", range(1, 7))
def test_a_full_disk_leaves_everything_as_before(
    world: World,
    disk: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    target: str,
    call: str,
    nth: int,
) -> None:
    """Whichever step fails before the replacement, documents and folders are what they were."""
    documents = world.documents()
    _write(documents, "old.md", "one")
    _write(documents, "old.md", "two")
    before = _folder(disk)

    with monkeypatch.context() as patched:
        patched.setattr(os, call, _fails_at(getattr(os, call), nth))
        refused = _refused(documents, target)

    replaced = (disk / target).exists() and (disk / target).read_text() == "three"
    assert replaced or refused
    if not replaced:
        assert before == _folder(disk)
    assert _write(world.documents(), "old.md", "four").endswith("four\n")
    assert Upkeep(documents).version("old.md", 1).content == "one\n"


def _folder(disk: pathlib.Path) -> dict[str, bytes | None]:
    return {
        str(path): path.read_bytes() if path.is_file() else None
        for path in disk.rglob("*")
        if ".store" not in path.parts
    }


def _fails_at(real: object, nth: int) -> object:
    calls = iter(range(1, 1_000_000))

    def call(*arguments: object, **named: object) -> object:
        if next(calls) == nth:
            raise OSError(errno.ENOSPC, "full")
        return real(*arguments, **named)  # type: ignore[operator]

    return call


def _refused(documents: Documents, target: str) -> bool:
    try:
        documents.write(WriteRequest(target=target, content="three", append=False))
    except MemoryFailure as failure:
        return failure.code == "storage-failed"
    return False


def test_events_name_the_document_by_its_hash_alone(world: World) -> None:
    """A write is reported with its size, an append with what it added, then the indexing."""
    documents = world.documents()
    _write(documents, "notes.md", "one")
    world.host.events.clear()
    _write(documents, "notes.md", "two")

    written, indexed = world.host.events
    assert (written.kind, written.size) == ("document-written", 4)
    assert (indexed.kind, indexed.size) == ("document-indexed", 8)
    assert written.path_hash == indexed.path_hash
    assert written.path_hash is not None
    assert written.path_hash.startswith("sha256:")


def test_a_fault_of_the_index_does_not_fail_the_write(world: World) -> None:
    """The document is stored; searching asks for a refresh."""
    documents = world.documents()
    _write(documents, "notes.md", "one")
    world.index.broken = True

    assert _write(documents, "notes.md", "two") == "one\ntwo\n"
    assert world.index.state == "dirty"


def test_a_write_does_not_rebuild_the_index(world: World, disk: pathlib.Path) -> None:
    """Files that were there before wait for a refresh, and readers are told."""
    for number in range(3):
        (disk / f"{number}.md").write_text("x")
    _write(world.documents(), "notes.md", "one")

    assert list(world.index.entries) == ["notes.md"]
    assert world.index.state == "rebuilding"


def test_the_first_write_creates_the_index(world: World) -> None:
    """In an empty scope nothing can be missing from it."""
    _write(world.documents(), "notes.md", "one")

    assert world.index.state == "clean"


def test_time_comes_from_the_host(world: World) -> None:
    """The version carries the time of the call."""
    documents = world.documents()
    _write(documents, "notes.md", "one")
    world.host.unix_ms = NOON + 5
    change = documents.replace_bytes("notes.md", lambda _: b"two")

    assert change.kept_as == 1


def test_a_large_new_text_waits_for_a_refresh(world: World) -> None:
    """Taking it in could outlast the deadline of a write; readers are told to ask again."""
    documents = world.documents()
    _write(documents, "notes.md", "one")
    _write(documents, "large.md", "word " * AT_ONCE_BYTES, append=False)
    _write(documents, "large.md", "one more")
    assert (world.index.state, list(world.index.entries)) == ("rebuilding", ["notes.md"])

    Upkeep(documents).refresh([], everything=False, budget_ms=1000)
    assert world.index.state == "clean"
    _write(documents, "large.md", "still one more")
    _patch(documents, "large.md", "word word", "other")
    assert world.index.state == "clean"
    assert world.index.texts()["large.md"] == documents.read("large.md").content


@given(old=st.binary(max_size=30), new=st.binary(max_size=30))
def test_new_bytes_are_what_is_between_the_common_ends(old: bytes, new: bytes) -> None:
    """What both begin and end with is not counted, and is never counted twice."""
    count = Change.between("x", "x", old, new).new_bytes

    assert 0 <= count <= len(new)
    assert any(
        old.startswith(new[:begin]) and old.endswith(new[begin + count :])
        for begin in range(len(new) - count + 1)
    )
    assert (count == 0) <= (len(new) <= len(old))
