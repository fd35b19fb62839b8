"""Documents cut into passages and sections."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_native.search.passages import (
    LONGEST_DENSE_PASSAGE,
    LONGEST_PASSAGE,
    LONGEST_WORD,
    SECTION_MAXIMUM,
    fingerprint,
    sections,
    split,
)


TEXTS = st.lists(st.text(max_size=60), max_size=60).map("\n".join)


def test_each_line_is_a_passage_with_its_number() -> None:
    """Blank lines are counted but are nothing."""
    assert [(p.line, p.text) for p in split("one\n\n  \ntwo\r\n")] == [(1, "one"), (4, "two")]


def test_speakers_are_read_from_labels() -> None:
    """A bold label names the speaker, with or without list mark and time."""
    text = "**Ann**: hi\n- [10:02] **Bob:** yo\n* **李雪**：你好\nplain"  # noqa: RUF001

    assert [p.speaker for p in split(text)] == ["Ann", "Bob", "李雪", ""]


def test_a_recorded_turn_belongs_to_the_name_in_its_heading() -> None:
    """The transcript's own form: a heading with role and name, then what was said."""
    text = "## user (Ann)\nfirst\nsecond\n## assistant\nthird\n"

    assert [p.speaker for p in split(text)] == ["", "Ann", "Ann", "", ""]


def test_a_role_alone_is_in_no_section_of_what_was_said() -> None:
    """It says nothing to be found by; what it ends is ended all the same."""
    text = "## user\nfirst\n## Plan\nsecond\n## tool\nthird\n## user (Ann)\nfourth\n"
    (section,) = sections(split(text, said=True))
    (written,) = sections(split(text))

    assert [p.text for p in section.passages] == [
        *("first", "## Plan", "second", "third", "## user (Ann)", "fourth")
    ]
    assert len(written.passages) == len(text.splitlines())


def test_a_role_alone_ends_the_headings_before_it() -> None:
    """The headings of one message are not those of the next."""
    lines = [f"line {number}" for number in range(SECTION_MAXIMUM)]
    text = "\n".join(["## Plan", *lines, "## user", *lines])
    headings = [section.headings for section in sections(split(text, said=True))]

    assert headings[1] == ("## Plan",)
    assert headings[-1] == ()


def test_a_comment_in_code_is_not_a_heading() -> None:
    """Inside a fence ``#`` begins a comment."""
    levels = [p.level for p in split("# Title\n```\n# comment\n```\n## Part\n#hashtag")]

    assert levels == [1, 0, 0, 0, 2, 0]


def test_a_long_line_is_cut_at_sentence_ends_and_keeps_its_speaker() -> None:
    """No piece is much longer than the longest passage; nothing is lost."""
    sentence = "This is a sentence of middling length with the number 3.5 in it. "
    line = "**Ann**: " + sentence * 40
    pieces = list(split(line))

    assert "".join(p.text for p in pieces) == line
    assert {p.line for p in pieces} == {1}
    assert {p.speaker for p in pieces} == {"Ann"}
    assert all(p.text.endswith(". ") and len(p.text) <= LONGEST_PASSAGE for p in pieces)


def test_a_megabyte_without_a_break_is_cut_all_the_same() -> None:
    """Bounded pieces from unbounded lines, in letters and in Han."""
    assert max(len(p.text) for p in split("x" * 1_000_000)) <= LONGEST_WORD
    assert max(len(p.text) for p in split("茶" * 300_000)) <= LONGEST_DENSE_PASSAGE * 1.5


def test_headings_in_force_follow_their_levels() -> None:
    """A section knows the chain of headings above it, not the ones that ended before."""
    filler = "\n".join(f"- line {number} of text" for number in range(20))
    text = f"# A\n## B\n{filler}\n## C\n{filler}"

    assert [s.headings for s in sections(split(text))][-1] == ("# A", "## C")


@given(TEXTS)
def test_sections_hold_every_passage_once_and_in_order(text: str) -> None:
    """Cutting loses nothing."""
    passages = list(split(text))
    gathered = [p for section in sections(iter(passages)) for p in section.passages]

    assert gathered == passages


@given(TEXTS)
def test_sections_are_small(text: str) -> None:
    """No section has more passages than its maximum."""
    assert all(0 < len(s.passages) <= SECTION_MAXIMUM for s in sections(split(text)))


def test_an_edit_changes_few_sections() -> None:
    """A line inserted at the top leaves the digests of most sections as they were."""
    lines = [f"- fact number {number} about subject {number * 7}" for number in range(400)]
    before = {s.digest() for s in sections(split("\n".join(lines)))}
    after = {s.digest() for s in sections(split("\n".join(["- new fact", *lines])))}

    assert len(after - before) <= 4


def test_a_fingerprint_ignores_case_spacing_and_punctuation_only() -> None:
    """A negation is a different memory."""
    assert fingerprint("- I like tea!") == fingerprint("i  LIKE tea")
    assert fingerprint("I like tea") != fingerprint("I do not like tea")


@pytest.mark.parametrize("before", range(0, 480, 7))
def test_no_cut_goes_through_a_key(before: int) -> None:
    """Half a key is a key that nobody recognises, wherever in the line it stands."""
    key = "AKIA" + "0123456789abcdefghij/+" * 4
    line = "word " * (before // 5) + f"aws_secret = {key} and " + "more words " * 60

    pieces = [passage.text for passage in split(line)]
    assert "".join(pieces) == line
    assert [piece for piece in pieces if f"aws_secret = {key}" in piece]


def test_an_address_is_not_cut_at_its_question_mark() -> None:
    """Only a mark before a space ends a sentence."""
    line = "see https://example.org/a?token=abcdef now. " * 30

    assert all("a?token=abcdef" in passage.text for passage in split(line))
