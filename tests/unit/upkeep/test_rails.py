"""What a rewrite may do, decided in code."""

import pytest

from ironclaw_memory.upkeep.rails import dropped_lines, refusal, rewrite_of, unified_diff
from ironclaw_memory.upkeep.report import ModelAccount


TEN = "".join(f"- fact {number}\n" for number in range(10))


def _account(*named: str) -> ModelAccount:
    return ModelAccount(merged=0, removed=0, conflicts=(), summary="", named=named)


def _without(*numbers: int) -> str:
    return "".join(f"- fact {number}\n" for number in range(10) if number not in numbers)


def test_a_replacing_write_of_the_standing_document_is_a_rewrite() -> None:
    """By alias and by name, with the fields that a model may add."""
    for target in ("memory", "MEMORY.md"):
        call = {"target": target, "append": False, "content": "x", "old_string": None}
        assert rewrite_of(call) == "x"


@pytest.mark.parametrize(
    "arguments",
    [
        {"target": "memory", "content": "x"},
        {"target": "memory", "content": "x", "append": True},
        {"target": "memory", "content": "x", "append": "false"},
        {"target": "memory", "content": "x", "append": 0},
        {"target": "notes/a.md", "content": "x", "append": False},
        {"content": "x", "append": False},
        {"target": "memory", "append": False},
        {"target": "memory", "content": " \n", "append": False},
        {"target": "memory", "content": ["x"], "append": False},
        {"target": "memory", "content": "x", "append": False, "old_string": "y"},
        {"target": "memory", "content": "x", "append": False, "metadata": {}},
    ],
)
def test_every_other_write_is_none(arguments: dict[str, object]) -> None:
    """A pass replaces one document whole, or nothing."""
    assert rewrite_of(arguments) is None


def test_bullets_and_spacing_do_not_make_a_line_new() -> None:
    """Tidying the form drops nothing."""
    assert dropped_lines("- likes  tea\n\n2. lives in Graz\n", "* likes tea\nlives in Graz") == ()


def test_dropped_lines_are_listed_once_in_order() -> None:
    """Duplicates of a lost line are one loss; duplicates of a kept line are none."""
    assert dropped_lines("- b\n- a\n- b\n- c\n- c\n", "- c\n") == ("- b", "- a")


def test_a_rewrite_may_lose_its_share_in_silence_and_no_more() -> None:
    """One of ten lines is the default share; the second needs a name."""
    assert refusal(TEN, _without(3), _account(), max_share=0.1) == ""
    assert "drops 2 of 10 lines" in refusal(TEN, _without(3, 4), _account(), max_share=0.1)
    assert refusal(TEN, _without(3, 4), _account("fact 4"), max_share=0.1) == ""


def test_naming_every_line_allows_any_rewrite() -> None:
    """The report is what a person reads; what stands there is no silent loss."""
    named = _account(*(f"fact {number}" for number in range(10)))

    assert refusal(TEN, "- one line\n", named, max_share=0.0) == ""


def test_a_share_of_zero_forgives_nothing() -> None:
    """The strictest setting means what it says."""
    assert "drops 1 of 10 lines" in refusal(TEN, _without(3), _account(), max_share=0.0)


def test_no_report_means_no_rewrite() -> None:
    """A rewrite that nobody accounts for is held back, a harmless one too."""
    assert refusal(TEN, TEN, None, max_share=1.0)


def test_the_diff_shows_both_sides() -> None:
    """As a person knows it from their tools."""
    diff = unified_diff("a\nb\n", "a\nc\n").splitlines()

    assert diff[:2] == ["--- MEMORY.md", "+++ MEMORY.md (curated)"]
    assert diff[-3:] == [" a", "-b", "+c"]
