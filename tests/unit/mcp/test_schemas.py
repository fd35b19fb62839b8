"""The schemas that clients see admit every answer that the host gives."""

import json
from typing import Any

import jsonschema
import pytest

from ironclaw_memory import assets
from ironclaw_memory.adapters.mcp_server.results import answered
from ironclaw_memory.adapters.mcp_server.schemas import offered_input, offered_output


ANSWERS: tuple[tuple[str, Any], ...] = (
    ("read", {"path": "a.md", "content": "", "word_count": 0}),
    ("write", {"status": "written", "path": "a.md", "append": True, "content_length": 3}),
    ("write", {"status": "patched", "path": "a.md", "replacements": 1, "content_length": 3}),
    ("write", {"status": "cleared", "path": "BOOTSTRAP.md", "message": "Emptied."}),
    (
        "search",
        {
            "query": "tea",
            "results": [{"content": "x", "score": 1, "path": "a.md", "is_hybrid_match": False}],
            "result_count": 1,
            "search_scope": "reborn_internal_persistent_memory",
            "external_services_searched": False,
        },
    ),
    ("tree", []),
    ("tree", ["a.md", {"notes/": ["b.md", {"deep/": []}]}, "…"]),
    ("profile_set", {"status": "ok"}),
)


@pytest.mark.parametrize(("tool", "output"), ANSWERS)
@pytest.mark.parametrize("draft", [jsonschema.Draft202012Validator, jsonschema.Draft7Validator])
def test_an_answer_holds_against_the_offered_schema(tool: str, output: Any, draft: Any) -> None:
    """Clients read schemas in the present draft or in draft 7."""
    schema = offered_output(assets.schema(tool, "output"))
    draft.check_schema(schema)
    draft(schema).validate(answered(output).structured_content)


@pytest.mark.parametrize("tool", assets.TOOL_NAMES)
def test_schemas_are_plain_objects_at_the_top(tool: str) -> None:
    """Some clients refuse a tool over alternatives, or another type, at the top level."""
    for schema in (
        offered_input(assets.schema(tool, "input")),
        offered_output(assets.schema(tool, "output")),
    ):
        assert schema["type"] == "object"
        assert schema["properties"]
        assert not schema.keys() & {"$schema", "oneOf", "anyOf", "allOf", "not", "$ref"}


def test_merged_alternatives_keep_what_all_of_them_require() -> None:
    """A write always says what it did, and to which document."""
    schema = offered_output(assets.schema("write", "output"))
    assert schema["required"] == ["status", "path"]
    assert schema["properties"]["status"] == {"enum": ["written", "patched", "cleared"]}


def test_an_answer_of_another_kind_is_refused() -> None:
    """The offered schema still says something."""
    schema = offered_output(assets.schema("write", "output"))
    assert not jsonschema.Draft202012Validator(schema).is_valid({"status": "lost", "path": "a"})


@pytest.mark.parametrize("tool", assets.TOOL_NAMES)
def test_every_value_has_one_type(tool: str) -> None:
    """A list of types is lawful, and refused where schemas are translated for a model."""
    assert '"type": [' not in json.dumps(offered_input(assets.schema(tool, "input")))


def test_what_alternatives_share_is_still_said() -> None:
    """They describe a length in different words, and it is a whole number in each."""
    schema = offered_output(assets.schema("write", "output"))
    assert schema["properties"]["content_length"] == {"type": "integer", "minimum": 0}
