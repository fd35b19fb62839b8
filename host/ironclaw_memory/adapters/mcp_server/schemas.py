"""Tool schemas as MCP clients take them. The host validates against the full ones anyway."""

from collections.abc import Mapping
from typing import Any, Final

from ironclaw_memory.adapters.models.schemas import offered_schema


ENTRIES: Final = "entries"
"""The field that carries an answer which is a list: structured content must be an object."""


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
    """Return a rule that holds wherever *known* or *rule* does."""
    if known is None:
        return {"enum": [rule["const"]]} if "const" in rule else rule
    if "const" in rule:
        return {"enum": [*known["enum"], rule["const"]]}
    return known if known == rule else {}
