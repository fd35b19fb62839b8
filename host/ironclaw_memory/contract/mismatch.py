"""What of a request breaks our own schema, said without a word of the request.

A bound that is named is the schema's own. The name of an argument that the schema does not
know is the caller's, and is cut.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ironclaw_memory.contract.sentences import SENTENCES
from ironclaw_memory.contract.validators import Validator


if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

_MAX_NAME: Final = 80
_FORMS: Final = {"locale": "locale-invalid"}  # the guest's own code for the same fault
_TYPES: Final = {
    "integer": "a whole number",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


class Mismatch(NamedTuple):
    """The argument at fault, or empty, and what it is or must be; with a code where one is known."""

    field: str
    problem: str
    code: str | None = None


def mismatch_of(check: Validator, request: Any) -> Mismatch | None:
    """Return the most telling way in which *request* breaks the schema of *check*, or None."""
    if check.is_valid(request):
        return None
    from jsonschema.exceptions import best_match  # noqa: PLC0415 - see validator()

    error = best_match(check.iter_errors(request))
    field = ".".join(str(part) for part in error.absolute_path)
    match error.validator:
        case "required":
            missing = next(name for name in error.validator_value if name not in error.instance)
            return Mismatch(".".join(filter(None, (field, missing))), "is required")
        case "additionalProperties":
            return unknown_of(error.schema.get("properties", {}), error.instance)
        case "minProperties":
            known = error.schema.get("properties", {})
            return Mismatch(field, f"give at least {error.validator_value} of {_all_of(known)}")
        case "pattern" if error.instance and (code := _FORMS.get(field)):
            return Mismatch(field, SENTENCES[code][0], code)
        case _:
            return Mismatch(field, _problem(error))


def unknown_of(known: Iterable[str], arguments: Iterable[object]) -> Mismatch | None:
    """Return the first of the names in *arguments* that is none of the *known*, or None."""
    known = tuple(known)
    extra = sorted(str(name)[:_MAX_NAME] for name in arguments if name not in known)
    if not extra:
        return None
    return Mismatch(extra[0], f"is not an argument of this tool, which takes {_all_of(known)}")


def _problem(error: "ValidationError") -> str:
    if error.instance == "" and error.validator in {"minLength", "pattern"}:
        return "is empty"
    words = _PROBLEMS.get(str(error.validator))
    return words(error.validator_value) if words else f"does not hold ({error.validator})"


def _types(types: Any) -> str:
    names = types if isinstance(types, list) else [types]
    return " or ".join(_TYPES.get(name, f"a {name}") for name in names)


def _all_of(words: Iterable[object]) -> str:
    return ", ".join(str(word) for word in words)


_PROBLEMS: Final[Mapping[str, Callable[[Any], str]]] = {
    "type": lambda types: f"must be {_types(types)}",
    "enum": lambda choices: f"must be one of {_all_of(choices)}",
    "pattern": lambda _: "is not of the required form",
    "minLength": lambda bound: f"is shorter than {bound} characters",
    "maxLength": lambda bound: f"is longer than {bound} characters",
    "minimum": lambda bound: f"must be {bound} or more",
    "maximum": lambda bound: f"must be {bound} or less",
}
"""Keyword of a schema -> what is said of a value that breaks it, given what the keyword asks for."""
