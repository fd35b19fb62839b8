"""The fallback for mistyped words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.search.scope import IndexedScope

from memory_native.search.fuzzy import one_edit_apart


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("coffee", "cofee", True),
        ("coffee", "coffeee", True),
        ("coffee", "coffae", True),
        ("coffee", "cofefe", True),
        ("coffee", "coffee", False),
        ("coffee", "cfofee", True),
        ("coffee", "coef", False),
        ("abcd", "badc", False),
    ],
)
def test_one_edit(one: str, other: str, apart: bool) -> None:
    """An insertion, deletion, substitution or swap; not none, not two."""
    assert one_edit_apart(one, other) is apart
    assert one_edit_apart(other, one) is apart


@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
def test_one_edit_agrees_with_the_definition(one: str, other: str) -> None:
    """Compared with every word that one edit can make."""
    assert one_edit_apart(one, other) is (other in _edits(one) and one != other)


def test_a_mistyped_word_finds_what_was_meant(scope: IndexedScope) -> None:
    """Only because nothing has the word as it was typed."""
    scope.put_all({"a.md": "the database password\n", "b.md": "the harbour\n"})

    assert scope.lines("databsae")[0] == ("a.md", 1)


def test_a_known_word_is_taken_at_its_word(scope: IndexedScope) -> None:
    """No relatives are offered for a word that is there."""
    scope.put_all({"a.md": "a horse in the field\n", "b.md": "a house in the field\n"})

    assert [path for path, _ in scope.lines("horse")] == ["a.md"]


def test_short_words_and_numbers_are_not_repaired(scope: IndexedScope) -> None:
    """Too many words are one edit from ``cat``; a number is never another number."""
    scope.put("a.md", "car 20261\n")

    assert scope.passages("cat") == []
    assert scope.passages("20262") == []


def _edits(word: str) -> set[str]:
    splits = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    letters = "abc"
    return (
        {a + b[1:] for a, b in splits if b}
        | {a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1}
        | {a + c + b[1:] for a, b in splits if b for c in letters}
        | {a + c + b for a, b in splits for c in letters}
    )
