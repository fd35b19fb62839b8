"""Tool schemas as MCP clients take them. The host validates against the full ones anyway."""

from collections.abc import Mapping
from typing import Any, Final

from ironclaw_memory.upkeep.dialogue import offered_schema


NULL: Final = "null"

ENTRIES: Final = "entries"
"""The field that carries an answer which is a list: structured content must be an object."""


def offered_input(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an input *schema* with one type for every value.

    Clients that translate schemas for a model refuse lists of types. That the host takes
    ``null`` for what is left out stays unsaid.
    """
    single: dict[str, Any] = _single_types(offered_schema(schema))
    return single


def offered_output(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return an output *schema* as an object schema without alternatives at its top.

    Clients read ``type`` and ``properties`` there and may refuse anything else. Alternatives
    become one object that every one of them satisfies; a list is wrapped in `ENTRIES`.
    """
    if "type" not in schema:
        return _wrapped(schema)
    if "oneOf" in schema:
        return {**offered_schema(schema), **_merged(schema["oneOf"])}
    return offered_schema(schema)


def _wrapped(schema: Mapping[str, Any]) -> dict[str, Any]:
    listing = {key: value for key, value in schema.items() if key in {"$ref", "description"}}
    return {
        "title": schema["title"],
        "type": "object",
        "properties": {ENTRIES: listing},
        "required": [ENTRIES],
        "additionalProperties": False,
        "$defs": schema["$defs"],
    }


def _merged(alternatives: list[dict[str, Any]]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for alternative in alternatives:
        for name, rule in alternative["properties"].items():
            properties[name] = _either(properties.get(name), rule)
    required = set.intersection(*(set(one["required"]) for one in alternatives))
    return {
        "properties": properties,
        "required": [name for name in properties if name in required],
        "additionalProperties": False,
    }


def _either(known: dict[str, Any] | None, rule: dict[str, Any]) -> dict[str, Any]:
    """Return a rule that holds wherever *known* or *rule* does: what both of them say."""
    if known is None:
        return {"enum": [rule["const"]]} if "const" in rule else rule
    if "const" in rule:
        return {"enum": [*known["enum"], rule["const"]]}
    return {key: value for key, value in known.items() if rule.get(key) == value}


def _single_types(value: Any) -> Any:
    if isinstance(value, list):
        return [_single_types(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    said = {key: _single_types(item) for key, item in value.items()}
    if isinstance(said.get("type"), list):
        (said["type"],) = [kind for kind in said["type"] if kind != NULL]
    return said
