"""What ranks above what, one feature at a time."""

import pytest
from tests.unit.search.scope import IndexedScope

from memory_native.search.postings import LEVELS, decode, records_of, within, without
from memory_native.search.query import parse
from memory_native.search.scoring import idf, units_with


FILLER = {f"z/{number}.md": f"remark number {number} on nothing much\n" for number in range(40)}


def first(scope: IndexedScope, query: str) -> tuple[str, int]:
    """Return where the best hit is."""
    return scope.lines(query)[0]


def test_a_rare_word_counts_more_than_a_common_one(scope: IndexedScope) -> None:
    """One telling word beats a word of every line."""
    scope.put_all(FILLER | {"a.md": "remark on the walrus\n"})

    assert first(scope, "walrus remark number") == ("a.md", 1)


def test_more_of_the_query_beats_more_of_one_word(scope: IndexedScope) -> None:
    """Coordination: two words once rather than one word twice."""
    scope.put_all(FILLER | {"a.md": "walrus walrus walrus\n", "b.md": "walrus harbour\n"})

    assert first(scope, "walrus harbour") == ("b.md", 1)


def test_the_answer_follows_its_question(scope: IndexedScope) -> None:
    """A line that shares no word is found behind the question that does."""
    scope.put_all(
        FILLER | {"a.md": "**Ann**: Where did you adopt the walrus?\n**Bob**: In Bergen.\n"}
    )

    assert ("a.md", 2) in scope.lines("where was the walrus adopted")[:2]


def test_a_named_speaker_is_preferred(scope: IndexedScope) -> None:
    """Of two equal lines, the one that is said by who was named."""
    scope.put_all(
        FILLER
        | {"a.md": "**Ann**: the walrus sleeps\n", "b.md": "**Bob**: the walrus sleeps now\n"}
    )

    assert first(scope, "what did Bob say on the walrus") == ("b.md", 1)
    assert first(scope, "what did Ann say on the walrus") == ("a.md", 1)


def test_when_prefers_a_line_with_a_time(scope: IndexedScope) -> None:
    """A question for a time is answered by a time."""
    scope.put_all(FILLER | {"a.md": "the walrus came in\n", "b.md": "the walrus came yesterday\n"})

    assert first(scope, "when did the walrus come?") == ("b.md", 1)


def test_a_date_in_the_path_leads_to_its_day(scope: IndexedScope) -> None:
    """Daily logs are found by a date in words, in either language."""
    days = {f"daily/2026-{month:02}-11.md": "- walked the dog\n- rain\n" for month in range(1, 13)}
    scope.put_all(days)

    assert first(scope, "dog in November")[0] == "daily/2026-11-11.md"
    assert first(scope, "3月11日 dog")[0] == "daily/2026-03-11.md"


def test_a_line_beats_the_heading_above_it(scope: IndexedScope) -> None:
    """The heading is context; the line is the memory."""
    scope.put_all(FILLER | {"a.md": "# Walrus\n\n- the walrus is called Otto\n"})

    assert first(scope, "walrus called") == ("a.md", 3)


@pytest.mark.parametrize("query", ["when did we", "在什么时候", "How long is it", "what year"])
def test_questions_for_a_time_are_recognised(query: str) -> None:
    """By how they begin in English, by their words in Chinese."""
    assert parse(query).asks_time


def test_a_query_repeats_a_word_for_emphasis() -> None:
    """Twice asked is twice the weight."""
    assert parse("walrus walrus harbour").weights == {"walrus": 2.0, "harbour": 1.0}


def test_records_survive_their_encoding_and_can_be_cut() -> None:
    """Sixteen bits: slot and level; cutting a range leaves the rest as it was."""
    stored = b"".join(encode_one(slot) for slot in (3, 7, 8, 500, 2_047))

    assert [record >> 5 for record in decode(stored)] == [3, 7, 8, 500, 2_047]
    assert [record >> 5 for record in decode(without({"tea": stored}, 7, 501)["tea"])] == [3, 2_047]
    assert [record >> 5 for record in within(decode(stored), 7, 501)] == [7, 8, 500]


def test_a_term_said_more_often_has_more_impact_and_a_longer_line_less() -> None:
    """Saturation, in the levels that are stored."""
    levels = [level_of_a(["a"] * times + ["b"] * (20 - times)) for times in (1, 2, 3)]
    lengths = [level_of_a(["a"] + ["b"] * length) for length in (1, 20, 200)]

    assert 0 < levels[0] < levels[1] < levels[2] < LEVELS
    assert lengths[0] > lengths[1] > lengths[2] > 0


def test_idf_falls_with_frequency_and_never_below_zero() -> None:
    """A word that is everywhere says nothing, and never counts against."""
    assert idf(100, 1) > idf(100, 50) > idf(100, 100) >= 0
    assert units_with(10**6, 50) == pytest.approx(50)


def encode_one(slot: int) -> bytes:
    """Return the stored record of one term in the passage at *slot*."""
    return records_of(["a"], slot)["a"]


def level_of_a(terms: list[str]) -> int:
    """Return the level of the term ``a`` among *terms*, in the first passage of a block."""
    return int.from_bytes(records_of(terms, 0)["a"], "little")
