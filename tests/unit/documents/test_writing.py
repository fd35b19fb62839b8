"""Append, replace, patch and clear."""

import pathlib

import pytest
from tests.unit.documents.acts import patch, write
from tests.unit.documents.fakes import NOON, World

from memory_native.documents import Documents, WriteRequest, WriteStatus
from memory_native.failures import MemoryFailure


def test_two_appends_stay_two_lines(documents: Documents) -> None:
    """Entries end in a line break, so they never fuse."""
    write(documents, "notes.md", "one  \n\n")

    assert write(documents, "notes.md", "two") == "one\ntwo\n"


def test_an_append_to_a_line_without_an_end_starts_a_new_line(
    documents: Documents, disk: pathlib.Path
) -> None:
    """A person's editor may leave the last line open."""
    (disk / "notes.md").write_bytes(b"typed by hand")

    assert write(documents, "notes.md", "one") == "typed by hand\none\n"


def test_an_append_counts_the_bytes_of_its_entry(documents: Documents) -> None:
    """The reply says what was added, not how large the document is."""
    write(documents, "notes.md", "before")
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
    write(documents, "BOOTSTRAP.md", "first steps")
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
    write(documents, "notes.md", "tea tea tea")
    assert patch(documents, "notes.md", "tea", "milk") == "milk tea tea\n"

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
    patch(documents, "notes.md", old, new)

    assert (disk / "notes.md").read_bytes() == after


def test_an_entry_takes_the_line_ends_of_its_document(
    documents: Documents, disk: pathlib.Path
) -> None:
    """A CRLF document stays one."""
    (disk / "notes.md").write_bytes(b"one\r\n")
    write(documents, "notes.md", "two\nthree")

    assert (disk / "notes.md").read_bytes() == b"one\r\ntwo\r\nthree\r\n"


def test_the_combined_text_is_screened(world: World) -> None:
    """A phrase split over two writes is seen, and nothing is stored."""
    documents = world.documents()
    world.safety.forbidden = "one\ntwo"
    write(documents, "notes.md", "one")

    with pytest.raises(MemoryFailure, match="high_risk_prompt_injection"):
        write(documents, "notes.md", "two")
    assert documents.read("notes.md").content == "one\n"
    assert world.index.texts() == {"notes.md": "one\n"}


def test_time_comes_from_the_host(world: World) -> None:
    """The version carries the time of the call."""
    documents = world.documents()
    write(documents, "notes.md", "one")
    world.host.unix_ms = NOON + 5
    change = documents.replace_bytes("notes.md", lambda _: b"two")

    assert change.kept_as == 1
