"""Text as the tool shows and changes it, and the paths that it is given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ironclaw_memory.adapters.anthropic_memory.paths import path_of, target_of
from ironclaw_memory.adapters.anthropic_memory.refusal import Refusal
from ironclaw_memory.adapters.anthropic_memory.texts import (
    changed_view,
    inserted,
    listing,
    numbered_view,
    readable,
    replaced,
)


SIZES = {
    "MEMORY.md": 1536,
    "notes/a.md": 10,
    "notes/deep/b.md": 20,
    "notes/deep/er/c.md": 30,
    ".hidden/d.md": 5,
    "notes/.e": 5,
}


def test_a_listing_shows_two_levels_and_nothing_hidden() -> None:
    """Size, a tab, the whole path; directories end in a slash and count what they hold."""
    assert listing("/memories", "", SIZES).split("\n")[1:] == [
        "1.6K\t/memories",
        "1.5K\t/memories/MEMORY.md",
        "60B\t/memories/notes/",
        "10B\t/memories/notes/a.md",
        "50B\t/memories/notes/deep/",
    ]


def test_a_listing_of_a_directory_starts_there() -> None:
    """A slash at the end of what was asked for changes nothing."""
    shown = listing("/memories/notes/", "notes", SIZES)
    assert shown == listing("/memories/notes", "notes", SIZES)
    assert "30B\t/memories/notes/deep/er/" in shown
    assert "c.md" not in shown


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0B"),
        (1023, "1023B"),
        (1024, "1.0K"),
        (1536, "1.5K"),
        (1 << 20, "1.0M"),
        (3 << 30, "3.0G"),
    ],
)
def test_sizes_are_written_as_people_read_them(size: int, words: str) -> None:
    """As `du -h` has them."""
    assert readable(size) == words


def test_a_view_numbers_lines_from_one() -> None:
    """Six places, right-aligned, then a tab."""
    shown = numbered_view("/memories/a.md", "one\ntwo\n", None)
    assert shown.split("\n")[1:] == ["     1\tone", "     2\ttwo", "     3\t"]


@pytest.mark.parametrize(
    ("view_range", "lines"),
    [([1, 1], ["     1\ta"]), ([2, -1], ["     2\tb", "     3\tc"]), ([3, 99], ["     3\tc"])],
)
def test_a_range_shows_its_lines(view_range: list[int], lines: list[str]) -> None:
    """Its end may be -1, or beyond the document."""
    assert numbered_view("/memories/a.md", "a\nb\nc", view_range).split("\n")[1:] == lines


@pytest.mark.parametrize("view_range", [[], [1], [0, 2], [-1, -1], [4, 5], [2, 1], [1, 2, 3]])
def test_a_range_of_no_lines_is_refused(view_range: list[int]) -> None:
    """Rather than shown as an empty document."""
    with pytest.raises(Refusal, match="view_range"):
        numbered_view("/memories/a.md", "a\nb\nc", view_range)


def test_a_document_with_too_many_lines_is_refused() -> None:
    """The number of a line has six places."""
    with pytest.raises(Refusal, match="maximum line limit"):
        numbered_view("/memories/a.md", "\n" * 999_999, None)


@pytest.mark.parametrize("old", ["c", ""])
def test_a_passage_that_is_not_there_is_refused(old: str) -> None:
    """An empty one is nowhere, not everywhere."""
    with pytest.raises(Refusal, match=r"did not appear verbatim in /memories/a\.md"):
        replaced("/memories/a.md", "a\nb", old, "x")


def test_a_passage_that_stands_twice_is_refused_with_its_lines() -> None:
    """Overlaps count."""
    with pytest.raises(Refusal, match="in lines: 1, 1, 3"):
        replaced("/memories/a.md", "aaa\nb\naa", "aa", "x")


def test_a_replacement_shows_the_lines_around_it() -> None:
    """Two before and two after."""
    before = "1\n2\n3\n4\n5\n6\n7"
    after = replaced("/memories/a.md", before, "4", "four")
    assert changed_view(before, after).split("\n")[1:] == [
        "     2\t2",
        "     3\t3",
        "     4\tfour",
        "     5\t5",
        "     6\t6",
    ]


@pytest.mark.parametrize(
    ("line", "text", "after"),
    [
        (0, "x", "x\na\nb\n"),
        (1, "x\n", "a\nx\nb\n"),
        (2, "x\ny\n\n", "a\nb\nx\ny\n"),
    ],
)
def test_lines_are_inserted_after_the_one_that_is_named(line: int, text: str, after: str) -> None:
    """0 is before the first."""
    assert inserted("a\nb\n", line, text) == after


@pytest.mark.parametrize("line", [-1, 3])
def test_a_line_that_is_not_there_is_refused(line: int) -> None:
    """With the range that holds."""
    with pytest.raises(Refusal, match=r"within the range \[0, 2\]"):
        inserted("a\nb\n", line, "x")


@given(content=st.text(), line=st.integers(0, 5), text=st.text())
def test_an_insertion_takes_nothing_away(content: str, line: int, text: str) -> None:
    """What was there is there in its order; a carriage return is no line break."""
    before = content.removesuffix("\n").split("\n") if content else []
    if line > len(before):
        return
    after = inserted(content, line, text).removesuffix("\n").split("\n")
    added = len(after) - len(before)
    assert after[:line] + after[line + added :] == before


@pytest.mark.parametrize(
    ("shown", "path"),
    [
        ("/memories", ""),
        ("/memories/", ""),
        ("/memories/a.md", "a.md"),
        ("/memories/notes/", "notes"),
        ("/memories/../x", "../x"),
    ],
)
def test_a_path_is_what_stands_behind_the_root(shown: str, path: str) -> None:
    """The host judges what stands there, dots included."""
    assert path_of(shown) == path


@pytest.mark.parametrize("shown", ["", "/", "a.md", "/etc/passwd", "/memoriesx", "memories/a"])
def test_a_path_outside_the_root_is_refused(shown: str) -> None:
    """It would name another file system."""
    with pytest.raises(Refusal, match="must start with /memories"):
        path_of(shown)


@pytest.mark.parametrize(
    "shown",
    ["/memories", "/memories/memory", "/memories/Daily_Log", "/memories/.x", "/memories/a/.b/c"],
)
def test_what_cannot_be_written_is_said(shown: str) -> None:
    """The root, words that mean another document, and hidden files."""
    with pytest.raises(Refusal):
        target_of(shown)


@pytest.mark.parametrize(
    ("name", "instead"),
    [("memory", "/memories/MEMORY.md"), ("Heartbeat", "/memories/HEARTBEAT.md")],
)
def test_a_word_for_a_document_names_the_document(name: str, instead: str) -> None:
    """Another spelling beside it would keep it from being written."""
    with pytest.raises(Refusal, match=instead):
        target_of(f"/memories/{name}")
