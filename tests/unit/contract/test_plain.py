"""What plainly fits a schema satisfies it: the library agrees with every yes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ironclaw_memory import assets
from ironclaw_memory.contract.plain import plainly
from ironclaw_memory.contract.validators import validator


_HIT: dict[str, object] = {
    "content": "tea",
    "score": 1.0,
    "path": "MEMORY.md",
    "is_hybrid_match": False,
}
_EXAMPLES: dict[tuple[str, assets.Direction], Any] = {
    ("read", "input"): {"path": "MEMORY.md"},
    ("read", "output"): {"path": "MEMORY.md", "content": "tea", "word_count": 1},
    ("search", "input"): {"query": "tea", "limit": 5},
    ("search", "output"): {
        "query": "tea",
        "results": [_HIT, {**_HIT, "path": "b.md", "score": 0}],
        "result_count": 2,
        "search_scope": "reborn_internal_persistent_memory",
        "external_services_searched": False,
    },
    ("tree", "input"): {"path": "", "depth": 1},
    ("profile_set", "output"): {"status": "ok"},
}
_ODD: st.SearchStrategy[object] = st.sampled_from(
    [None, True, False, 0, 1, -1, 1.5, 21, 10**9, float("nan"), "", " ", "tea", [], {}, {"a": 1}]
)


def _changed(value: Any, place: Any, odd: object) -> Any:
    """Return *value* with one spot made *odd*, added or left out, as *place* draws it."""
    match value:
        case dict() if place(st.booleans()):
            name = place(st.sampled_from([*value, "q", "another"]))
            if place(st.booleans()):
                return {key: kept for key, kept in value.items() if key != name}
            return {**value, name: _changed(value.get(name), place, odd)}
        case list() if value and place(st.booleans()):
            return [_changed(value[0], place, odd), *value * place(st.integers(1, 11))]
    return odd


@pytest.mark.parametrize("case", _EXAMPLES, ids=".".join)
def test_what_is_usual_needs_no_library(case: tuple[str, assets.Direction]) -> None:
    """These are the values of nearly every call."""
    assert plainly(assets.schema(*case))(_EXAMPLES[case])


@pytest.mark.parametrize("case", _EXAMPLES, ids=".".join)
@given(drawn=st.data())
def test_the_library_agrees(case: tuple[str, assets.Direction], drawn: st.DataObject) -> None:
    """On values that are nearly right, one or two spots changed."""
    value = _changed(_EXAMPLES[case], drawn.draw, drawn.draw(_ODD))
    value = drawn.draw(st.sampled_from([value, _changed(value, drawn.draw, drawn.draw(_ODD))]))
    library = Draft202012Validator(assets.schema(*case))
    assert validator(*case).is_valid(value) == library.is_valid(value)


_SCHEMAS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(
            ["string", "integer", "number", "boolean", "array", "object", "null"]
        )
    },
    optional={
        "const": st.sampled_from(["tea", True, 1]),
        "minimum": st.integers(-1, 2),
        "maximum": st.integers(-1, 2),
        "minLength": st.integers(0, 2),
        "maxLength": st.integers(0, 2),
        "pattern": st.just("\\S"),
        "maxItems": st.integers(0, 1),
        "items": st.just({"type": "integer"}),
        "properties": st.just({"a": {"type": "integer"}, "b": {"type": "string"}}),
        "required": st.sampled_from([["a"], ["c"]]),
        "oneOf": st.sampled_from([[{"required": ["a"]}, {"required": ["b"]}], [{"type": "array"}]]),
        "additionalProperties": st.booleans(),
    },
)
_VALUES = _ODD | st.lists(_ODD, max_size=2) | st.dictionaries(st.sampled_from("abc"), _ODD)


@given(schema=_SCHEMAS, value=_VALUES)
def test_a_yes_is_right_for_any_schema(schema: dict[str, Any], value: object) -> None:
    """Whatever keywords stand together."""
    if plainly(schema)(value):
        assert Draft202012Validator(schema).is_valid(value)
