"""From what a model sent to a canonical request, by one table (reference.md sections 0, 2.1).

Models say ``null`` where they mean nothing, pick their own word for a query and ask for
a million results. That is tolerated here, once, for every provider. What is left must
hold against our own schema; a wrong type is an error that names the field.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from ironclaw_memory import assets
from ironclaw_memory.contract.mismatch import Mismatch, mismatch_of, unknown_of
from ironclaw_memory.contract.sentences import SENTENCES
from ironclaw_memory.contract.targets import DAILY_LOG, word_meant
from ironclaw_memory.contract.validators import validator
from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.nesting import MAX_NESTING


QUERY_ALIASES: Final = ("query", "q", "text", "pattern")
DEFAULT_TARGET: Final = DAILY_LOG

Arguments = dict[str, Any]


class _Rule(NamedTuple):
    """How one tool's arguments become canonical.

    *defaults* fill what is absent; *clamps* bound whole numbers; *never_text* are the
    fields where the string ``"null"`` cannot be meant.
    """

    defaults: Mapping[str, Any]
    clamps: Mapping[str, tuple[int, int]]
    never_text: frozenset[str]
    finish: Callable[[Arguments], Arguments] = lambda arguments: arguments


def _one_query(arguments: Arguments) -> Arguments:
    """Keep the first alias that holds something, under the name ``query``, trimmed."""
    rest = {key: value for key, value in arguments.items() if key not in QUERY_ALIASES}
    given = {alias: arguments[alias] for alias in QUERY_ALIASES if alias in arguments}
    for alias, value in given.items():
        if not isinstance(value, str):
            return {**rest, alias: value}  # the schema names the field
    words = next((value.strip() for value in given.values() if value.strip()), "")
    if not words:
        raise InvalidArguments(
            "query: nothing to look for.",
            field="query",
            code="query-blank",
            hint="Give query at least one word.",
        )
    return {**rest, "query": words}


def _append_to_log(arguments: Arguments) -> Arguments:
    """Make the daily log append-only and screen the target before any provider sees it."""
    target = arguments["target"]
    if isinstance(target, str):
        _screen_target(target)
    if target == DEFAULT_TARGET and isinstance(arguments["append"], bool):
        return {**arguments, "append": True}
    return arguments


def _screen_target(target: str) -> None:
    problems = (
        (not target.strip(), "target-blank", "is blank"),
        (target.startswith("/"), "path-absolute", "is an absolute path"),
        (".." in target, "path-traversal", "contains `..`"),
        ("\\" in target, "path-invalid", "contains a backslash"),
    )
    for broken, code, words in problems:
        if broken:
            raise InvalidArguments(
                f"target: {words}.",
                field="target",
                code=code,
                hint="Use a relative path such as notes/topic.md, or memory, heartbeat, bootstrap, daily_log.",
            )
    word = word_meant(target)
    if word not in {None, target}:
        raise InvalidArguments(
            f"target: differs from the word {word} only in letter case.",
            field="target",
            code="target-case",
            hint=f"Did you mean `{word}`? A document of your own needs another name, such as notes/topic.md.",
        )


_RULES: Final[Mapping[str, _Rule]] = {
    "read": _Rule(defaults={}, clamps={}, never_text=frozenset()),
    "write": _Rule(
        defaults={"target": DEFAULT_TARGET, "content": "", "append": True, "replace_all": False},
        clamps={},
        never_text=frozenset({"append", "replace_all", "metadata", "timezone"}),
        finish=_append_to_log,
    ),
    "search": _Rule(
        defaults={"limit": 5},
        clamps={"limit": (1, 20)},
        never_text=frozenset({"limit"}),
        finish=_one_query,
    ),
    "tree": _Rule(
        defaults={"path": "", "depth": 1},
        clamps={"depth": (1, 10)},
        never_text=frozenset({"depth"}),
    ),
    "profile_set": _Rule(defaults={}, clamps={}, never_text=frozenset({"timezone", "locale"})),
}


def canonical(tool_name: str, arguments: Mapping[str, Any]) -> Arguments:
    """Return the canonical request of a tool; *tool_name* as in `assets.TOOL_NAMES`.

    Raises `InvalidArguments` naming the field at fault.
    """
    rule = _RULES[tool_name]
    _check_depth(arguments)
    given = {key: value for key, value in arguments.items() if not _means_nothing(key, value, rule)}
    # before anything is missed: a misspelt name is why something is missing
    _refuse(tool_name, unknown_of(assets.schema(tool_name, "input")["properties"], given))
    clamped = {key: _clamp(value, rule.clamps.get(key)) for key, value in given.items()}
    request = rule.finish({**rule.defaults, **clamped})
    _refuse(tool_name, mismatch_of(validator(tool_name, "input"), request))
    return request


def _means_nothing(key: str, value: object, rule: _Rule) -> bool:
    return value is None or (value == "null" and key in rule.never_text)


def _clamp(value: Any, bounds: tuple[int, int] | None) -> Any:
    if bounds is None or isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if isinstance(value, float) and not value.is_integer():  # 5.0 is an integer in JSON
        return value
    return max(bounds[0], min(int(value), bounds[1]))


def _check_depth(arguments: Mapping[str, Any]) -> None:
    """Refuse nesting that would exhaust a stack further on."""
    level: list[Any] = [arguments]
    for _ in range(MAX_NESTING):
        level = [item for value in level for item in _children(value)]
        if not level:
            return
    raise InvalidArguments(
        f"arguments: nested deeper than {MAX_NESTING} levels.",
        code="too-deep",
        hint="Flatten the value.",
    )


def _children(value: object) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else []


def _refuse(tool_name: str, found: Mismatch | None) -> None:
    """Raise `InvalidArguments` for what was *found* wrong, if anything was."""
    if found is None:
        return
    hint = f"`ironclaw-memory tools --schema {tool_name}` shows what it takes."
    raise InvalidArguments(
        f"{found.field or 'arguments'}: {found.problem}.",
        field=found.field,
        code=found.code,
        hint=SENTENCES[found.code][1] if found.code else hint,
    )
