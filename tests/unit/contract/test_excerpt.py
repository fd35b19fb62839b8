"""The bound on one search hit: reference.md sections 2.4 and 10.2 (statements 10 to 30)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ironclaw_memory.contract.excerpt import (
    AFTER_BYTES,
    BEFORE_BYTES,
    HIT_BYTES,
    SEPARATOR,
    bounded,
)


NEEDLE = "needle"
GAP = "." * 2000
DOTS = SEPARATOR.decode()


@pytest.mark.parametrize("text", ["", "short", "x" * HIT_BYTES, "é" * (HIT_BYTES // 2)])
def test_a_text_within_the_bound_is_returned_unchanged(text: str) -> None:
    """The bound is inclusive and the short text is byte-identical."""
    assert bounded(text, NEEDLE) == text


def test_one_byte_over_the_bound_is_cut_to_exactly_the_bound() -> None:
    """Without an occurrence the head remains."""
    assert bounded("x" * (HIT_BYTES + 1), NEEDLE) == "x" * HIT_BYTES


@pytest.mark.parametrize("query", ["", "absent", "NEEDLE", "q" * (HIT_BYTES + 1)])
def test_no_usable_occurrence_gives_the_head(query: str) -> None:
    """Empty, absent, differently cased and over-long queries all fall back to the head."""
    text = NEEDLE + "x" * HIT_BYTES * 2
    assert bounded(text, query) == text[:HIT_BYTES]


@pytest.mark.parametrize("before", [0, 10, 9000, 500_000])
def test_an_occurrence_is_shown_wherever_it_stands(before: int) -> None:
    """A hit near the start and a hit deep inside both survive."""
    assert NEEDLE in bounded("." * before + NEEDLE + "." * 20_000, NEEDLE)


def test_a_window_has_128_bytes_before_and_256_after() -> None:
    """The figures are those of the contract."""
    out = bounded("a" * 9000 + NEEDLE + "b" * 9000, NEEDLE)
    assert out == "a" * BEFORE_BYTES + NEEDLE + "b" * AFTER_BYTES


def test_separate_windows_are_joined_by_an_ellipsis_line() -> None:
    """Each hit of a 1 MiB text has its own window."""
    out = bounded((GAP + NEEDLE) * 3 + GAP * 500, NEEDLE)
    assert out.count(NEEDLE) == 3
    assert out.count(DOTS) == 2


def test_overlapping_windows_read_as_one_stretch() -> None:
    """Two hits 100 bytes apart need no separator and repeat nothing."""
    text = GAP + NEEDLE + "-" * 100 + NEEDLE + GAP * 5
    out = bounded(text, NEEDLE)
    assert out in text
    assert out.count(NEEDLE) == 2


def test_a_hit_inside_the_previous_window_adds_nothing() -> None:
    """The second hit is already shown whole."""
    text = GAP + NEEDLE + "-" + NEEDLE + GAP * 5
    assert bounded(text, NEEDLE).endswith("." * 10)
    assert bounded(text, NEEDLE).count(NEEDLE) == 2


def test_many_hits_end_at_a_complete_window() -> None:
    """The output stops before a hit that would not fit whole."""
    out = bounded((NEEDLE + GAP) * 100, NEEDLE)
    assert len(out.encode()) <= HIT_BYTES
    assert out.split(DOTS)[-1].count(NEEDLE) == 1


def test_a_query_nearly_as_long_as_the_bound_is_shown_whole() -> None:
    """What stands before it shrinks first."""
    query = "q" * (HIT_BYTES - 10)
    out = bounded("." * 9000 + query + "." * 9000, query)
    assert query in out
    assert len(out) <= HIT_BYTES


@pytest.mark.parametrize("character", ["é", "記", "🙂"])
def test_windows_never_split_a_character(character: str) -> None:
    """Starts round up, ends round down."""
    for shift in range(4):
        text = "." * shift + character * 5000 + NEEDLE + character * 5000
        assert NEEDLE in bounded(text, NEEDLE)


@given(
    st.text(alphabet="ab\n é記", max_size=60),
    st.text(alphabet="ab é記", max_size=4),
    st.integers(8, 40),
)
def test_the_excerpt_is_bounded_deterministic_and_invents_nothing(
    text: str, query: str, limit: int
) -> None:
    """Every piece between separators stands in the text, whatever the input."""
    out = bounded(text, query, limit=limit)
    assert out == bounded(text, query, limit=limit)
    assert out == text or len(out.encode()) <= limit
    assert all(piece in text for piece in out.split(DOTS))


@given(st.text(alphabet="ab ", max_size=80), st.text(alphabet="ab", min_size=1, max_size=3))
def test_a_query_that_occurs_is_in_the_excerpt(text: str, query: str) -> None:
    """As long as it fits into the bound."""
    if query in text:
        assert query in bounded(text, query, limit=8)
