"""What models really send becomes a canonical request, or one error that names the field."""

from typing import Any

import pytest

from ironclaw_memory.contract.arguments import canonical
from ironclaw_memory.errors import InvalidArguments


@pytest.mark.parametrize("alias", ["query", "q", "text", "pattern"])
def test_each_query_alias_becomes_query(alias: str) -> None:
    """Models choose among four words (reference.md statement 193)."""
    assert canonical("search", {alias: "  tea "}) == {"query": "tea", "limit": 5}


def test_the_first_alias_that_holds_something_wins() -> None:
    """A blank first alias does not hide a filled second one."""
    assert canonical("search", {"query": " ", "q": "tea"})["query"] == "tea"


@pytest.mark.parametrize(("asked", "given"), [(-3, 1), (0, 1), (7, 7), (10**9, 20)])
def test_a_limit_is_clamped(asked: int, given: int) -> None:
    """1 to 20, whatever was asked."""
    assert canonical("search", {"query": "tea", "limit": asked})["limit"] == given


@pytest.mark.parametrize(("asked", "given"), [(0, 1), (3, 3), (99, 10)])
def test_a_depth_is_clamped(asked: int, given: int) -> None:
    """1 to 10, whatever was asked."""
    assert canonical("tree", {"depth": asked}) == {"path": "", "depth": given}


@pytest.mark.parametrize(("asked", "given"), [(5.0, 5), (-1.0, 1), (1e300, 20)])
def test_a_number_without_a_fraction_is_a_whole_one(asked: float, given: int) -> None:
    """JSON Schema knows no other; the request has it as an integer, as the provider takes it."""
    limit = canonical("search", {"query": "tea", "limit": asked})["limit"]
    assert (limit, type(limit)) == (given, int)
    assert type(canonical("tree", {"depth": 2.0})["depth"]) is int


@pytest.mark.parametrize("nothing", [None, "null"])
def test_null_means_absent_where_no_text_is_possible(nothing: object) -> None:
    """A model's null is not a wrong type."""
    request = canonical(
        "write", {"content": "x", "append": nothing, "metadata": nothing, "timezone": nothing}
    )
    assert request == {"target": "daily_log", "content": "x", "append": True, "replace_all": False}


def test_the_word_null_is_kept_where_text_is_possible() -> None:
    """A note may consist of the word null."""
    assert canonical("write", {"target": "memory", "content": "null"})["content"] == "null"


def test_a_null_target_is_the_daily_log_and_the_log_only_grows() -> None:
    """Absent, null and explicit targets agree; append false is not honoured there."""
    for target in ({}, {"target": None}, {"target": "daily_log"}):
        request = canonical("write", {**target, "content": "x", "append": False})
        assert (request["target"], request["append"]) == ("daily_log", True)


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("search", {}, "query"),
    ("search", {"query": "   "}, "query"),
    ("search", {"query": 7}, "query"),
    ("search", {"query": "tea", "limit": "many"}, "limit"),
    ("search", {"query": "tea", "limit": True}, "limit"),
    ("search", {"query": "tea", "limit": 5.5}, "limit"),
    ("search", {"query": "tea", "limit": float("inf")}, "limit"),
    ("search", {"query": "tea", "limit": float("nan")}, "limit"),
    ("search", {"query": "tea", "scope": "other"}, "scope"),
    ("read", {}, "path"),
    ("read", {"path": ""}, "path"),
    ("read", {"path": 3}, "path"),
    ("read", {"path": "a.md", "version": 1}, "version"),
    ("read", {"path": "a.md", "list_versions": True}, "list_versions"),
    ("tree", {"path": 3}, "path"),
    ("tree", {"depth": "deep"}, "depth"),
    ("write", {"target": 3, "content": "x"}, "target"),
    ("write", {"target": "  ", "content": "x"}, "target"),
    ("write", {"target": "/etc/passwd", "content": "x"}, "target"),
    ("write", {"target": "a/../b", "content": "x"}, "target"),
    ("write", {"target": "a\\b", "content": "x"}, "target"),
    ("write", {"target": "Memory", "content": "x"}, "target"),
    ("write", {"target": "a.md", "content": ["x"]}, "content"),
    ("write", {"target": "a.md", "content": "x", "append": "yes"}, "append"),
    ("write", {"target": "a.md", "content": "x", "metadata": "text"}, "metadata"),
    ("write", {"target": "a.md", "content": "x", "tenant": "other"}, "tenant"),
    ("profile_set", {}, ""),
    ("profile_set", {"timezone": 1}, "timezone"),
    ("profile_set", {"nickname": "x"}, "nickname"),
]


@pytest.mark.parametrize(("tool", "arguments", "field"), BAD)
def test_a_bad_argument_is_an_input_error_that_names_the_field(
    tool: str, arguments: dict[str, Any], field: str
) -> None:
    """And the error ends a command line with 2."""
    with pytest.raises(InvalidArguments) as caught:
        canonical(tool, arguments)
    assert caught.value.field == field
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("read", {"path": ""}, "path: is empty."),
        ("read", {}, "path: is required."),
        ("read", {"path": "a.md", "v": 1}, "v: is not an argument of this tool, which takes path."),
        ("search", {"query": 7, "q": "tea"}, "query: must be a string."),
        ("tree", {"depth": "deep"}, "depth: must be a whole number."),
        ("profile_set", {"location": ""}, "location: is empty."),
        ("profile_set", {"locale": ""}, "locale: is empty."),
        ("profile_set", {"locale": "a" * 36}, "locale: is longer than 35 characters."),
        ("profile_set", {}, "arguments: give at least 1 of timezone, locale, location."),
        (
            "write",
            {"content": "x", "metadata": {"hygiene": []}},
            "metadata.hygiene: must be an object or null.",
        ),
        (
            "write",
            {"content": "x", "metadata": {"hygiene": {"retention_days": -3}}},
            "metadata.hygiene.retention_days: must be 1 or more.",
        ),
    ],
)
def test_an_error_says_what_holds_instead(
    tool: str, arguments: dict[str, Any], message: str
) -> None:
    """With the bound that was crossed, which is the schema's own."""
    with pytest.raises(InvalidArguments) as caught:
        canonical(tool, arguments)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("search", {"qeury": "tea"}, "qeury"),
        ("search", {"qeury": "tea", "limit": "many"}, "qeury"),
        ("read", {"pth": "a.md"}, "pth"),
        ("write", {"contnet": "tea", "target": "/a.md"}, "contnet"),
        ("tree", {"dpeth": 2, "path": 3}, "dpeth"),
        ("profile_set", {"timezon": "Europe/Berlin"}, "timezon"),
    ],
)
def test_a_misspelt_argument_is_named_before_what_it_leaves_missing(
    tool: str, arguments: dict[str, Any], field: str
) -> None:
    """Who wrote it believes that the other one is there."""
    with pytest.raises(InvalidArguments) as caught:
        canonical(tool, arguments)
    assert caught.value.field == field
    assert caught.value.message.startswith(f"{field}: is not an argument of this tool")


def test_a_locale_as_shells_write_it_is_told_how_it_is_written_here() -> None:
    """By the sentence that a provider's own refusal gets."""
    with pytest.raises(InvalidArguments) as caught:
        canonical("profile_set", {"locale": "de_DE"})
    error = caught.value
    assert (error.code, error.message) == ("locale-invalid", "locale: is not a language tag.")
    assert "de-DE" in error.hint


@pytest.mark.parametrize("target", ["Memory", "HEARTBEAT", "Daily_Log", "bootStrap"])
def test_a_word_in_another_case_is_not_taken_for_a_path(target: str) -> None:
    """What was meant for MEMORY.md would stand in a document that nobody recalls."""
    with pytest.raises(InvalidArguments) as caught:
        canonical("write", {"target": target, "content": "x"})
    assert f"Did you mean `{target.lower()}`?" in caught.value.hint


@pytest.mark.parametrize("target", ["notes/Memory", "Memory.md", "memory", "Memories"])
def test_another_name_or_another_directory_is_a_path(target: str) -> None:
    """The words have no directory and no suffix."""
    assert canonical("write", {"target": target, "content": "x"})["target"] == target


def test_an_error_never_repeats_the_value() -> None:
    """A message must not carry memory text."""
    with pytest.raises(InvalidArguments) as caught:
        canonical("write", {"target": "a.md", "content": ["my secret diary"]})
    assert "diary" not in caught.value.message


def test_arguments_nested_too_deeply_are_refused_before_they_are_walked() -> None:
    """A thousand levels would exhaust a stack."""
    value: object = "x"
    for _ in range(1000):
        value = {"a": value}
    with pytest.raises(InvalidArguments, match="nested deeper"):
        canonical("write", {"target": "a.md", "content": "x", "metadata": value})
