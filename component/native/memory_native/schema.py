"""Documents that promise to be JSON of a certain shape.

The schema comes from metadata, so from whoever may write: it may refer to nothing but
itself. Both it and the document nest at most `JSON_DEPTH` deep; in the guest jsonschema
was measured to go through 100 levels of either, recursive references included.
"""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from memory_native import strict_json
from memory_native.failures import MemoryFailure


Schema = dict[str, Any] | bool

# jsonschema reads its own meta-schemas at first use; the finished component has no files.
Draft202012Validator.check_schema({"type": "object"})
Draft202012Validator({"type": "object"}).is_valid({})


def validate(text: str, schema: object) -> None:
    """Raise ``schema-mismatch`` unless *text* is JSON that *schema* allows.

    Raises ``schema-invalid`` if the schema itself is at fault.
    """
    known = _checked(schema)
    try:
        value = strict_json.parse(text.removeprefix("\ufeff"))
    except strict_json.JsonError:
        raise MemoryFailure("schema-mismatch") from None
    if not _is_valid(value, known):
        raise MemoryFailure("schema-mismatch")


def _checked(schema: object) -> Schema:
    """Return a self-contained 2020-12 schema; raises ``schema-invalid`` for anything else."""
    if not isinstance(schema, dict | bool):
        raise MemoryFailure("schema-invalid", field="metadata")
    try:
        _refuse_foreign(schema)
        Draft202012Validator.check_schema(schema)
    except (ValueError, SchemaError, RecursionError):
        raise MemoryFailure("schema-invalid", field="metadata") from None
    return schema


def _is_valid(value: object, schema: Schema) -> bool:
    try:
        return bool(Draft202012Validator(schema).is_valid(value))
    except Exception:  # noqa: BLE001 - a dangling reference, a bad pattern: jsonschema raises many kinds
        raise MemoryFailure("schema-invalid", field="metadata") from None


def _refuse_foreign(schema: object) -> None:
    for key, value in _members(schema):
        if key in {"$ref", "$dynamicRef"} and not (
            isinstance(value, str) and value.startswith("#")
        ):
            raise ValueError
        if key in {"$id", "$recursiveRef"} and isinstance(value, str):
            raise ValueError


def _members(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield key, member
            yield from _members(member)
    elif isinstance(value, list):
        for member in value:
            yield from _members(member)
