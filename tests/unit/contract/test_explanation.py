"""What a provider explains has the kinds of its declaration, or is refused."""

from typing import Any

import pytest

from ironclaw_memory.contract.explanation import is_explanation


HIT = {"path": "a.md", "line": 1, "score": 1.0, "matched": ["tea"], "parts": {"bm25": 1.0}}


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"terms": [{"term": "tea", "idf": 1.0}], "hits": [HIT], "path": None},
        {"terms": ["tea"], "hits": [], "path": {"path": "b.md", "absence": "not-indexed"}},
        {"path": {"path": "a.md", "hits": [HIT]}, "more": 7},
    ],
)
def test_what_is_named_in_the_contract_may_lack_and_more_may_be_said(value: dict[str, Any]) -> None:
    """Whoever shows it copes with both."""
    assert is_explanation(value)


@pytest.mark.parametrize(
    "value",
    [
        *({"terms": 7}, {"terms": [7]}, {"terms": None}, {"hits": {}}, {"hits": [1]}),
        *({"path": "a.md"}, {"path": []}, {"path": {"hits": 1}}, {"path": {"hits": [None]}}),
        *({"hits": [HIT | {name: "x"}]} for name in ("score", "matched", "parts")),
    ],
)
def test_another_kind_is_no_explanation(value: dict[str, Any]) -> None:
    """At every place that is gone through."""
    assert not is_explanation(value)
