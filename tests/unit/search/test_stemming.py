"""The stemmer and the irregular forms."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_native.search.irregular import IRREGULAR
from memory_native.search.stemming import stem


@pytest.mark.parametrize(
    "family",
    [
        ["plan", "plans", "planned", "planning"],
        ["story", "stories"],
        ["box", "boxes"],
        ["decide", "decides", "decided", "deciding"],
        ["happy", "happiness"],
        ["carry", "carried", "carries"],
        ["watch", "watches", "watched", "watching"],
        ["develop", "developer", "development", "developing"],
    ],
)
def test_inflections_share_a_stem(family: list[str]) -> None:
    """All forms of a word end at one stem."""
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("sing", "s"), ("bed", "b"), ("bus", "bu"), ("analysis", "analysi"), ("new", "news")],
)
def test_short_words_are_not_cut_to_the_bone(one: str, other: str) -> None:
    """An ending is only an ending when a word is left."""
    assert stem(one) != other


@given(st.text(alphabet=string.ascii_lowercase, min_size=1, max_size=20))
def test_a_stem_is_a_prefix_give_or_take_a_y(word: str) -> None:
    """Stemming shortens; it invents at most a final y."""
    shortened = stem(word)

    assert 0 < len(shortened) <= len(word)
    assert word.startswith(shortened.rstrip("y")) or shortened.rstrip("y") == ""


def test_irregular_forms_lead_to_words_that_are_not_forms_themselves() -> None:
    """One step is enough: no chain, no word that is its own form."""
    assert not [form for form, word in IRREGULAR.items() if IRREGULAR.get(word, word) != word]
