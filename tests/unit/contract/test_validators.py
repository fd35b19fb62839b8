"""Our prepared validators decide as the library's own do."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ironclaw_memory import assets
from ironclaw_memory.contract.validators import validator


_DIRECTIONS: tuple[assets.Direction, ...] = ("input", "output")
_NAMES = st.sampled_from(
    ["query", "results", "content", "score", "path", "status", "fields", "limit", "depth", "x"]
)
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(0, 2) | st.text(max_size=5)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=12,
)


def told(errors: Any) -> list[tuple[list[str | int], str, str]]:
    """Return where each error is, which keyword found it, and its words."""
    found = ((list(error.absolute_path), error.validator, error.message) for error in errors)
    return sorted(found, key=repr)


@pytest.mark.parametrize("tool", assets.TOOL_NAMES)
@pytest.mark.parametrize("direction", _DIRECTIONS)
@given(value=_VALUES)
def test_the_same_errors_at_the_same_places(
    tool: str, direction: assets.Direction, value: Any
) -> None:
    """Whatever a model sends or a provider answers."""
    plain = Draft202012Validator(assets.schema(tool, direction))
    prepared = validator(tool, direction)
    assert repr(told(prepared.iter_errors(value))) == repr(told(plain.iter_errors(value)))


def test_an_error_deep_in_a_result_names_its_place() -> None:
    """The fifth result's score."""
    hit: dict[str, object] = {"content": "a", "score": 0.5, "path": "a", "is_hybrid_match": False}
    value: Any = {
        "query": "q",
        "results": [*[dict(hit, path=str(n)) for n in range(4)], {**hit, "score": "much"}],
        "result_count": 5,
        "search_scope": "reborn_internal_persistent_memory",
        "external_services_searched": False,
    }
    (error,) = validator("search", "output").iter_errors(value)
    assert list(error.absolute_path) == ["results", 4, "score"]
