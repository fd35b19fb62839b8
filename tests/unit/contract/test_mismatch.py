"""The words for what breaks a schema."""

from typing import Any

import pytest

from ironclaw_memory.contract.mismatch import Mismatch, mismatch_of
from ironclaw_memory.contract.validators import Validator


@pytest.mark.parametrize(
    ("part", "value", "problem"),
    [
        ({"maximum": 7}, 8, "must be 7 or less"),
        ({"minimum": 7}, 6, "must be 7 or more"),
        ({"minLength": 2}, "a", "is shorter than 2 characters"),
        ({"minLength": 2}, "", "is empty"),
        ({"maxLength": 2}, "abc", "is longer than 2 characters"),
        ({"enum": ["on", "off"]}, "of", "must be one of on, off"),
        ({"pattern": "^a"}, "b", "is not of the required form"),
        ({"type": ["array", "null"]}, "b", "must be a list or null"),
        ({"multipleOf": 2}, 3, "does not hold (multipleOf)"),
    ],
)
def test_a_bound_is_named_and_the_value_is_not(
    part: dict[str, object], value: object, problem: str
) -> None:
    """The bound is our schema's."""
    check = Validator({"properties": {"a": {"properties": {"b": part}}}})
    assert mismatch_of(check, {"a": {"b": value}}) == Mismatch("a.b", problem)


@pytest.mark.parametrize(("request_", "field"), [({"a": {}}, "a.b"), ({}, "a")])
def test_what_is_missing_is_named_with_its_place(request_: dict[str, Any], field: str) -> None:
    """As a caller would write it."""
    inner = {"required": ["b"]}
    check = Validator({"required": ["a"], "properties": {"a": inner}})
    assert mismatch_of(check, request_) == Mismatch(field, "is required")


def test_what_holds_has_no_mismatch() -> None:
    """Nothing to say."""
    assert mismatch_of(Validator({"minimum": 1}), 1) is None
