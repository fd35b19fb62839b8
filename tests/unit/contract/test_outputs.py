"""What a provider answers is shaped, bounded and checked before anybody sees it."""

import json
from typing import Any

import pytest

from ironclaw_memory.contract import outputs
from ironclaw_memory.contract.outputs import output, parsed_json
from ironclaw_memory.errors import InvalidOutput, LimitExceeded


REQUEST = {"query": "tea", "limit": 5}


def hit(path: str = "a.md", content: str = "tea", score: object = 1.0) -> dict[str, Any]:
    """Return one raw hit."""
    return {"path": path, "content": content, "score": score, "is_hybrid_match": False}


def test_a_search_answer_says_that_nothing_external_was_searched() -> None:
    """The two keys that the original output schema forgot (reference.md section 2.3)."""
    value = output("search", {"hits": [hit()]}, REQUEST)
    assert isinstance(value, dict)
    assert value["search_scope"] == "reborn_internal_persistent_memory"
    assert value["external_services_searched"] is False
    assert value["result_count"] == 1


def test_every_providers_hits_are_bounded() -> None:
    """The bound is the host's, not the provider's (statement 31)."""
    value = output("search", {"hits": [hit(content="." * 30_000 + "tea" + "." * 30_000)]}, REQUEST)
    assert isinstance(value, dict)
    assert len(value["results"][0]["content"]) <= 8192
    assert "tea" in value["results"][0]["content"]


def test_more_hits_than_asked_are_cut() -> None:
    """The limit is the request's."""
    value = output("search", {"hits": [hit(f"{n}.md") for n in range(50)]}, REQUEST)
    assert isinstance(value, dict)
    assert value["result_count"] == 5


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -0.5, 1.5])
def test_a_score_outside_0_to_1_is_refused(score: float) -> None:
    """NaN and infinity included."""
    with pytest.raises(InvalidOutput):
        output("search", {"hits": [hit(score=score)]}, REQUEST)


def test_one_document_twice_is_refused() -> None:
    """The tool promises one result per document."""
    with pytest.raises(InvalidOutput, match="twice"):
        output("search", {"hits": [hit(), hit()]}, REQUEST)


def test_a_huge_raw_hit_is_a_limit() -> None:
    """64 KiB is the contract's bound on what a provider may return."""
    with pytest.raises(LimitExceeded) as caught:
        output("search", {"hits": [hit(content="x" * 70_000)]}, REQUEST)
    assert caught.value.limit == "raw_hit_bytes"


@pytest.mark.parametrize("json", ["{}", "nonsense", "[1]", '[{"a/": "b"}]', "[" * 100 + "]" * 100])
def test_a_listing_that_is_no_listing_is_refused(json: str) -> None:
    """Objects, numbers, deep nesting and broken JSON alike."""
    with pytest.raises(InvalidOutput):
        output("tree", {"json": json}, {})


@pytest.mark.parametrize(
    "text",
    [
        *('["\\ud800.md"]', '{"\\udc00": 1}', '[{"a": "\\ude00\\ud83d"}]', '["\ud800"]'),
        *("[NaN]", "[-Infinity]", "1e999", '{"score": -1e999}'),
    ],
)
def test_json_that_python_reads_and_others_do_not_is_refused(text: str) -> None:
    """Half a character, wherever it stands, and what is no finite number."""
    with pytest.raises(InvalidOutput, match="is not JSON"):
        parsed_json(text)


def test_an_escaped_pair_is_one_character() -> None:
    """It is how JSON in ASCII writes it."""
    assert parsed_json(r'["\ud83d\ude00", "\\ud800", 1e300]') == ["\U0001f600", r"\ud800", 1e300]


def test_a_nested_listing_passes() -> None:
    """The shape of statement 192."""
    listing = '[{"projects/":[{"alpha/":["notes.md"]}]}]'
    assert output("tree", {"json": listing}, {}) == [{"projects/": [{"alpha/": ["notes.md"]}]}]


def test_a_document_of_9_mib_is_a_limit() -> None:
    """A read reply holds 8 MiB of JSON."""
    reply = {"path": "a.md", "content": "x" * (9 << 20), "word_count": 1}
    with pytest.raises(LimitExceeded) as caught:
        output("read", reply, {})
    assert caught.value.limit == "read_reply_bytes"


def test_control_characters_count_with_their_escapes() -> None:
    """1.5 MiB of NUL becomes 9 MiB of JSON."""
    reply = {"path": "a.md", "content": "\0" * (3 << 19), "word_count": 1}
    with pytest.raises(LimitExceeded):
        output("read", reply, {})


def test_each_write_status_has_its_own_fields() -> None:
    """Written, patched and cleared answer differently (reference.md section 2.2)."""
    raw = {"path": "a.md", "append": True, "content_length": 3, "replacements": 1, "message": "m"}
    shapes = {
        status: set(output("write", {**raw, "status": status}, {}))
        for status in ("written", "patched", "cleared")
    }
    assert shapes == {
        "written": {"status", "path", "append", "content_length"},
        "patched": {"status", "path", "replacements", "content_length"},
        "cleared": {"status", "path", "message"},
    }


def test_there_is_a_shape_for_every_tool() -> None:
    """No tool is forgotten."""
    from ironclaw_memory.assets import TOOL_NAMES  # noqa: PLC0415

    assert set(outputs._SHAPES) == set(TOOL_NAMES)


def test_a_listing_of_more_than_the_contract_allows_is_not_validated_at_all() -> None:
    """Each entry costs the validation 50 us, a megabyte of them 11 s."""
    full = json.dumps([{"a/": ["x"] * 1_999}, "…"])
    assert len(output("tree", {"json": full}, {})) == 2
    with pytest.raises(LimitExceeded) as caught:
        output("tree", {"json": "[" + ",".join(['"a"'] * 200_000) + "]"}, {})
    assert caught.value.limit == "tree_entries"


def test_a_cut_may_be_marked_on_every_level() -> None:
    """Two thousand entries and a mark in each of the ten directories that are cut."""
    nested: list[object] = [*["x"] * 1_991, "…"]
    for _ in range(9):
        nested = [{"d/": nested}, "…"]

    assert len(output("tree", {"json": json.dumps(nested)}, {})) == 2
    with pytest.raises(LimitExceeded):
        output("tree", {"json": json.dumps(["x", *nested])}, {})
