"""The ten schemas: closed, in step with the contract, and true of real outputs."""

import json
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from tests.unit.documents.fakes import FakeHost

from memory_native.documents import WriteReply, WriteRequest
from memory_native.provider import Provider
from memory_native.requests import SearchRequest, TreeRequest


ROOT = pathlib.Path(__file__).parents[3]
TOOLS = ["read", "write", "search", "tree", "profile_set"]
OPEN_BY_DESIGN = {"metadata", "hygiene", "schema"}  # unknown keys of metadata are kept


def schema(tool: str, direction: str) -> dict[str, Any]:
    """Return one schema."""
    path = ROOT / "schemas" / "memory" / f"{tool}.{direction}.v1.json"
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def accepts(tool: str, direction: str, value: object) -> bool:
    """Say whether a value is valid."""
    return jsonschema.Draft202012Validator(schema(tool, direction)).is_valid(value)


def nodes(value: object, name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema inside of a schema with the name it stands under."""
    if isinstance(value, dict):
        yield name, value
        for key, child in value.items():
            yield from nodes(child, key)
    elif isinstance(value, list):
        for child in value:
            yield from nodes(child, name)


EVERY = [(tool, direction) for tool in TOOLS for direction in ("input", "output")]


@pytest.mark.parametrize(("tool", "direction"), EVERY)
def test_each_is_a_schema_of_2020_12(tool: str, direction: str) -> None:
    """Declared and valid as such."""
    found = schema(tool, direction)

    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(found)


@pytest.mark.parametrize(("tool", "direction"), EVERY)
def test_every_object_is_closed(tool: str, direction: str) -> None:
    """No undeclared property, except in metadata."""
    for name, node in nodes(schema(tool, direction)):
        is_object = isinstance(node.get("properties"), dict) and name != "properties"
        if is_object and name not in OPEN_BY_DESIGN and "oneOf" not in node:
            assert node["additionalProperties"] is False, name


@pytest.mark.parametrize(("tool", "direction"), EVERY)
def test_every_property_is_explained(tool: str, direction: str) -> None:
    """A model reads these: each has a description of more than a few words, or refers to one."""
    for _, node in nodes(schema(tool, direction)):
        for property_name, declared in (node.get("properties") or {}).items():
            if isinstance(declared, dict) and property_name not in {
                "status",
                "enabled",
                "retention_days",
            }:
                assert "$ref" in declared or len(declared.get("description", "")) >= 20, (
                    property_name
                )


def wit_fields(record: str) -> set[str]:
    """Return the fields of a record in wit/tools.wit, spelled as in JSON."""
    text = (ROOT / "wit" / "tools.wit").read_text(encoding="utf-8")
    body = re.search(rf"record {record} \{{(.*?)\n    \}}", text, re.DOTALL)
    assert body, record
    return {
        name.replace("-", "_") for name in re.findall(r"^\s{8}([a-z-]+):", body[1], re.MULTILINE)
    }


@pytest.mark.parametrize(
    ("tool", "record", "aliases"),
    [
        ("read", "read-request", set()),
        ("write", "write-request", set()),
        ("search", "search-request", {"q", "text", "pattern"}),
        ("tree", "tree-request", set()),
        ("profile_set", "profile-fields", set()),
    ],
)
def test_inputs_are_in_step_with_the_contract(tool: str, record: str, aliases: set[str]) -> None:
    """The same fields, and the three other names of a query."""
    assert set(schema(tool, "input")["properties"]) == wit_fields(record) | aliases


def test_the_output_of_read_is_in_step_with_the_contract() -> None:
    """A document is what crosses and what is shown."""
    assert set(schema("read", "output")["properties"]) == wit_fields("document")


def test_the_results_of_search_are_in_step_with_the_contract() -> None:
    """A hit is what crosses and what is shown."""
    items = schema("search", "output")["properties"]["results"]["items"]

    assert set(items["properties"]) == wit_fields("hit")


@pytest.mark.parametrize(
    ("tool", "good"),
    [
        ("read", {"path": "MEMORY.md"}),
        ("write", {}),
        ("write", {"target": "bootstrap"}),
        ("write", {"target": "memory", "old_string": "a", "new_string": "b", "replace_all": True}),
        (
            "write",
            {"content": "x", "metadata": {"skip_indexing": True, "colour": "red", "schema": None}},
        ),
        ("search", {"query": "x"}),
        ("search", {"q": "x", "limit": 20}),
        ("search", {"text": "x"}),
        ("search", {"pattern": "x"}),
        ("tree", {}),
        ("tree", {"path": "a", "depth": 10}),
        ("profile_set", {"timezone": "UTC"}),
        ("profile_set", {"locale": "zh-Hans-CN", "location": "苏州"}),
    ],
)
def test_a_good_request_is_accepted(tool: str, good: object) -> None:
    """What a model should send."""
    assert accepts(tool, "input", good)


@pytest.mark.parametrize(
    ("tool", "bad"),
    [
        ("read", {}),
        ("read", {"path": ""}),
        ("read", {"path": "a", "version": 1}),
        ("read", {"path": "a", "list_versions": True}),
        ("write", {"target": 7}),
        ("write", {"append": "yes"}),
        ("write", {"metadata": []}),
        ("write", {"metadata": {"skip_indexing": "yes"}}),
        ("search", {}),
        ("search", {"query": " "}),
        ("search", {"query": "x", "q": "x"}),
        ("search", {"query": "x", "limit": 0}),
        ("search", {"query": "x", "limit": 21}),
        ("search", {"query": "x", "mode": "vector"}),
        ("tree", {"depth": 0}),
        ("tree", {"depth": 11}),
        ("profile_set", {}),
        ("profile_set", {"name": "Max"}),
        ("profile_set", {"locale": "en_GB"}),
        ("profile_set", {"locale": "a" * 36}),
    ],
)
def test_a_bad_request_is_refused(tool: str, bad: object) -> None:
    """By the schema alone, before any provider."""
    assert not accepts(tool, "input", bad)


def shown(reply: WriteReply) -> dict[str, object]:
    """Return a write's reply as a model sees it (reference.md section 2.2)."""
    value: dict[str, object] = {"status": reply.status.value, "path": reply.path}
    match reply.status.value:
        case "written":
            value |= {"append": reply.append, "content_length": reply.content_length}
        case "patched":
            value |= {"replacements": reply.replacements, "content_length": reply.content_length}
        case _:
            value |= {"message": reply.message}
    return value


def test_real_outputs_are_valid(tmp_path: pathlib.Path) -> None:
    """What the provider answers is what the schemas describe."""
    provider = Provider(str(tmp_path), FakeHost())
    writes = [
        WriteRequest(target="notes/deep/a.md", content="green tea"),
        WriteRequest(target="memory", content="likes tea", append=False),
        WriteRequest(target="memory", old_string="tea", new_string="green tea"),
        WriteRequest(target="bootstrap"),
    ]
    for request in writes:
        assert accepts("write", "output", shown(provider.write(request)))

    assert accepts("read", "output", vars(provider.read("MEMORY.md")))
    for depth in (1, 2, 10):
        assert accepts("tree", "output", json.loads(provider.tree(TreeRequest(depth=depth)).json))
    results = [vars(hit) for hit in provider.search(SearchRequest(query="tea")).hits]
    assert len(results) == 2
    assert accepts(
        "search",
        "output",
        {
            "query": "tea",
            "results": results,
            "result_count": 2,
            "search_scope": "reborn_internal_persistent_memory",
            "external_services_searched": False,
        },
    )


@pytest.mark.parametrize(
    ("tool", "bad"),
    [
        ("read", {"path": "a", "content": "x"}),
        ("write", {"status": "written", "path": "a"}),
        ("write", {"status": "patched", "path": "a", "replacements": 0, "content_length": 1}),
        ("write", {"status": "done", "path": "a", "message": "x"}),
        ("search", {"query": "x", "results": [], "result_count": 0}),
        ("tree", {"a/": []}),
        ("tree", [{"a/": [], "b/": []}]),
        ("tree", [{"a": []}]),
        ("tree", [7]),
        ("profile_set", {"status": "failed"}),
    ],
)
def test_a_wrong_output_is_refused(tool: str, bad: object) -> None:
    """The schemas are not satisfied by anything."""
    assert not accepts(tool, "output", bad)
