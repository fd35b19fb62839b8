"""The standing document: packing, budgets, what wins and what is marked (reference.md sections 0 and 3)."""

import os
import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_native import standing
from memory_native.standing import CHUNK_BYTES, CHUNKS, MARK, SEPARATOR, pack


LINES = st.lists(
    st.text(
        st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=600
    ),
    max_size=40,
)


def whole(lines: list[str], budget: int = CHUNKS) -> list[str]:
    """Pack *lines* as a whole document."""
    return pack(lines, budget=budget, is_whole=True)


def put(root: pathlib.Path, content: bytes) -> list[str]:
    """Store a standing document and return its chunks."""
    (root / "MEMORY.md").write_bytes(content)
    return standing.chunks(str(root), budget=CHUNKS)


def test_short_lines_share_a_chunk_in_their_order() -> None:
    """Joined with a semicolon and a space."""
    assert whole(["Likes tea.", "Lives in Turin.", "Works at night."]) == [
        "Likes tea.; Lives in Turin.; Works at night."
    ]


def test_the_newest_lines_win_in_their_order_and_the_last_chunk_is_marked() -> None:
    """A hundred lines of fifty bytes: the last ones are there, the first are not."""
    lines = [f"fact {number:03} " + "x" * 41 for number in range(100)]
    packed = whole(lines)
    kept = SEPARATOR.join(packed).removesuffix(MARK).split(SEPARATOR)

    assert len(packed) == CHUNKS
    assert packed[-1].endswith(MARK)
    assert kept == lines[-len(kept) :]
    assert len(kept) > 25


def test_a_document_that_fits_exactly_is_not_marked() -> None:
    """Four chunks of four hundred bytes are the budget, not above it."""
    lines = [letter * CHUNK_BYTES for letter in "abcd"]

    assert whole(lines) == lines


def test_one_line_more_than_fits_is_marked() -> None:
    """The oldest goes, the newest gives way to the mark."""
    packed = whole([letter * CHUNK_BYTES for letter in "abcde"])

    assert [chunk[0] for chunk in packed] == ["b", "c", "d", "e"]
    assert packed[-1] == "e" * (CHUNK_BYTES - len(MARK)) + MARK


def test_an_overlong_line_is_clipped_at_a_character_and_marked() -> None:
    """The mark is inside of the 400 bytes."""
    (chunk,) = whole(["字" * 400])

    assert chunk == "字" * ((CHUNK_BYTES - len(MARK)) // 3) + MARK
    assert len(chunk.encode()) <= CHUNK_BYTES


@given(LINES, st.integers(1, CHUNKS), st.booleans())
def test_no_budget_is_ever_exceeded(lines: list[str], budget: int, is_whole: bool) -> None:
    """At most *budget* chunks of at most 400 bytes, whatever the lines are."""
    packed = pack(lines, budget=budget, is_whole=is_whole)

    assert len(packed) <= budget
    assert all(0 < len(chunk.encode()) <= CHUNK_BYTES for chunk in packed)


@given(LINES, st.integers(1, CHUNKS))
def test_what_is_left_out_is_marked_and_nothing_else(lines: list[str], budget: int) -> None:
    """Unmarked means complete: every line is there, in order."""
    packed = whole(lines, budget)

    if not packed or not packed[-1].endswith(MARK):
        told = SEPARATOR.join(packed)
        assert told == SEPARATOR.join(lines) or any(MARK in chunk for chunk in packed)


@pytest.mark.parametrize("content", [b"", b"\n \n\t\n", b"\xff\xfe broken"])
def test_a_blank_or_broken_document_gives_no_prefix(tmp_path: pathlib.Path, content: bytes) -> None:
    """And no error."""
    assert put(tmp_path, content) == []


def test_an_absent_document_gives_no_prefix(tmp_path: pathlib.Path) -> None:
    """Nothing was ever saved: the lane is search alone."""
    assert standing.chunks(str(tmp_path), budget=CHUNKS) == []


def test_a_link_is_not_followed(tmp_path: pathlib.Path) -> None:
    """A planted link gives nothing, not the text it leads to."""
    (tmp_path / "secret").write_text("the secret")
    (tmp_path / "MEMORY.md").symlink_to("secret")

    assert standing.chunks(str(tmp_path), budget=CHUNKS) == []


def test_line_ends_and_byte_order_mark_do_not_show(tmp_path: pathlib.Path) -> None:
    """As an editor on another system may leave them."""
    assert put(tmp_path, b"\xef\xbb\xbfLikes tea.  \r\n\r\nLives in Turin.\r\n") == [
        "Likes tea.; Lives in Turin."
    ]


def test_of_a_huge_document_only_the_end_is_read(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three megabytes cost one read of 64 KiB; the newest line is there and the cut is marked."""
    sizes: list[int] = []
    real = os.read

    def counting(descriptor: int, size: int) -> bytes:
        sizes.append(size)
        return real(descriptor, size)

    monkeypatch.setattr(os, "read", counting)
    chunks = put(tmp_path, "老的事实一行。\n".encode() * 100_000 + b"Newest fact.\n")

    assert sizes == [64 << 10]
    assert len(chunks) == CHUNKS
    assert chunks[-1].endswith("Newest fact." + MARK)
    assert "\ufffd" not in "".join(chunks)


def test_a_single_endless_line_is_shown_in_part(tmp_path: pathlib.Path) -> None:
    """No line break in sight: a marked piece of it."""
    (chunk,) = put(tmp_path, ("很长" * 200_000).encode())

    assert chunk.endswith(MARK)
    assert set(chunk.removesuffix(MARK)) == {"很", "长"}
