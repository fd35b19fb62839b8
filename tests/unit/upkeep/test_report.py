"""The model's account of a pass, read with care."""

import json

import pytest

from ironclaw_memory.upkeep.report import ModelAccount, parse_account


FULL = {
    "changed": True,
    "summary": "Merged two lines.",
    "entries_merged": 2,
    "entries_removed": 1,
    "conflicts": ["Graz or Wien"],
    "removed": ["- lives in Graz\n- likes tea"],
}


def test_the_form_of_the_prompt_is_read() -> None:
    """Every field of prompts/memory_curation.md arrives."""
    assert parse_account(json.dumps(FULL)) == ModelAccount(
        merged=2,
        removed=1,
        conflicts=("Graz or Wien",),
        summary="Merged two lines.",
        named=("- lives in Graz", "- likes tea"),
    )


def test_words_and_fences_around_the_object_are_passed_over() -> None:
    """Models like to explain themselves."""
    account = parse_account(f"Done.\n```json\n{json.dumps(FULL)}\n```\n")

    assert account is not None
    assert account.merged == 2


@pytest.mark.parametrize(
    "text", ["", "I merged two lines.", "{broken", "}{", "[1]", "{" * 500 + "}" * 500]
)
def test_no_object_means_no_account(text: str) -> None:
    """Nothing is guessed from prose."""
    assert parse_account(text) is None


def test_an_endless_account_is_none() -> None:
    """What names more than a document can hold is not read."""
    assert parse_account(json.dumps({"removed": ["x" * 300_000]})) is None


def test_fields_are_bounded_and_wrong_types_are_not_given() -> None:
    """500 characters, 20 conflicts of 200, and counts that are counts."""
    account = parse_account(
        json.dumps(
            {
                "summary": "s" * 501,
                "conflicts": ["c" * 201] * 21,
                "entries_merged": "two",
                "entries_removed": -1,
                "removed": "everything",
            }
        )
    )

    assert account == ModelAccount(
        merged=0, removed=0, conflicts=("c" * 200,) * 20, summary="s" * 500, named=()
    )
