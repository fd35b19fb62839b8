"""From what crossed the boundary to a tool's output, checked against our own schema.

The replies are plain dictionaries with the field names of ``wit/tools.wit`` in
snake_case. Everything in them is hostile until `_validate` has looked at it.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from ironclaw_memory.contract.excerpt import bounded
from ironclaw_memory.contract.validators import validator
from ironclaw_memory.errors import InvalidOutput, LimitExceeded
from ironclaw_memory.nesting import MAX_NESTING, too_deep


READ_REPLY_BYTES: Final = 8 << 20  # design.md section 5: a read reply
REPLY_BYTES: Final = (
    1 << 20
)  # design.md section 5: any other; reference.md section 2, OutputTooLarge
RAW_HIT_BYTES: Final = 64 << 10  # design.md section 5
TREE_ENTRIES: Final = 2_000  # design.md section 5
TREE_LEVELS: Final = 10  # reference.md section 2.1; on each the mark of a cut may stand beside them
_WORST_ESCAPE: Final = 6  # one control character becomes six bytes of JSON
_AROUND_VALUE: Final = 32  # more than a number, or a key of ours with its quotes, colon and comma
_JSON: Final = json.JSONEncoder(ensure_ascii=False)
SEARCH_SCOPE: Final = "reborn_internal_persistent_memory"  # reference.md section 2.3

Reply = Mapping[str, Any]
Output = dict[str, Any] | list[Any]


def output(tool_name: str, reply: Reply, request: Mapping[str, Any]) -> Output:
    """Return the output of a tool from its *reply* to the canonical *request*.

    Raises `InvalidOutput` if it does not satisfy the output schema, and `LimitExceeded`
    if it is larger than allowed.
    """
    value = _SHAPES[tool_name](reply, request)
    _check_size(tool_name, value)
    if not validator(tool_name, "output").is_valid(value):
        raise InvalidOutput(
            f"The provider's answer to {tool_name} does not have the declared form.",
            hint="Run `ironclaw-memory conformance` against this provider.",
        )
    return value


def _read(reply: Reply, request: Mapping[str, Any]) -> Output:
    return {key: reply[key] for key in ("path", "content", "word_count")}


def _write(reply: Reply, request: Mapping[str, Any]) -> Output:
    base = {"status": reply["status"], "path": reply["path"]}
    match reply["status"]:
        case "patched":
            extra = {key: reply[key] for key in ("replacements", "content_length")}
        case "cleared":
            extra = {"message": reply["message"]}
        case _:
            extra = {key: reply[key] for key in ("append", "content_length")}
    return {**base, **extra}


def _search(reply: Reply, request: Mapping[str, Any]) -> Output:
    hits = reply["hits"][: request["limit"]]
    if any(len(hit["content"].encode()) > RAW_HIT_BYTES for hit in hits):
        raise _too_large("raw_hit_bytes", RAW_HIT_BYTES)
    if not all(math.isfinite(hit["score"]) for hit in hits):  # NaN passes every range check
        raise InvalidOutput(
            "The provider returned a score that is not a number.", hint="Report it to its author."
        )
    if len({hit["path"] for hit in hits}) != len(hits):
        raise InvalidOutput(
            "The provider returned one document twice.",
            hint="Run `ironclaw-memory conformance` against this provider.",
        )
    results = [
        {
            "content": bounded(hit["content"], request["query"]),
            "score": hit["score"],
            "path": hit["path"],
            "is_hybrid_match": hit["is_hybrid_match"],
        }
        for hit in hits
    ]
    return {
        "query": request["query"],
        "results": results,
        "result_count": len(results),
        "search_scope": SEARCH_SCOPE,
        "external_services_searched": False,
    }


def _tree(reply: Reply, request: Mapping[str, Any]) -> Output:
    text = reply["json"]
    if len(text) > REPLY_BYTES:
        raise _too_large("reply_bytes", REPLY_BYTES)
    value = parsed_json(text)
    if not isinstance(value, list):
        raise InvalidOutput(
            "The provider's listing is not a JSON array.", hint="Report it to its author."
        )
    if _more_entries_than(TREE_ENTRIES + TREE_LEVELS, value):  # each costs the validation 50 us
        raise LimitExceeded(
            f"The provider listed more than {TREE_ENTRIES} entries.",
            limit="tree_entries",
            hint="Ask for a directory below, or for fewer levels.",
        )
    return value


def _more_entries_than(most: int, listing: list[Any]) -> bool:
    waiting: list[Any] = [listing]
    count = 0
    while waiting:
        match waiting.pop():
            case list() as entries:
                count += len(entries)
                waiting += entries
            case dict() as directory:
                count += len(directory) - 1  # an honest one has a single name
                waiting += directory.values()
            case _:
                pass  # a name holds no entries
        if count > most:
            return True
    return False


def _profile_set(reply: Reply, request: Mapping[str, Any]) -> Output:
    return {"status": "ok" if reply["ok"] is True else "failed"}


_SHAPES: Final[Mapping[str, Callable[[Reply, Mapping[str, Any]], Output]]] = {
    "read": _read,
    "write": _write,
    "search": _search,
    "tree": _tree,
    "profile_set": _profile_set,
}


def parsed_json(text: str) -> Any:
    """Return the value of JSON that a provider wrote; raises `InvalidOutput`.

    Nesting is counted first: parsing deeper input would exhaust the stack. Half a character
    and a number without end are refused: Python reads them, and nobody can pass them on.
    """
    if too_deep(text.encode(errors="replace")):
        raise InvalidOutput(
            f"The provider's JSON nests deeper than {MAX_NESTING} levels.",
            hint="Report it to its author.",
        )
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
        _demand_whole_characters(text, value)
    except ValueError:
        raise InvalidOutput(
            "The provider's answer is not JSON.", hint="Report it to its author."
        ) from None
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):  # 1e999
        raise ValueError(digits)
    return number


def _demand_whole_characters(text: str, value: Any) -> None:
    """Raise `ValueError` for a lone surrogate in the *value* of *text*, as a key or within one."""
    text.encode()
    if "\\u" in text:  # an escape can make one, of which the text shows nothing
        _JSON.encode(value).encode()


def _check_size(tool_name: str, value: Output) -> None:
    """Measure the JSON of a large answer; short texts cannot become too long by escaping."""
    limit, name = (
        (READ_REPLY_BYTES, "read_reply_bytes")
        if tool_name == "read"
        else (REPLY_BYTES, "reply_bytes")
    )
    if tool_name in ("read", "search") and _WORST_ESCAPE * _characters(value) < limit:
        return
    if len(_JSON.encode(value).encode(errors="replace")) > limit:
        raise _too_large(name, limit)


def _characters(value: Any) -> int:
    """Return the length of all text in *value*, and some for what holds it together."""
    match value:
        case str():
            return len(value) + _AROUND_VALUE
        case dict():
            return sum(map(_characters, value.values()), _AROUND_VALUE * len(value))
        case list():
            return sum(map(_characters, value))
        case _:
            return _AROUND_VALUE


def _too_large(limit: str, size: int) -> LimitExceeded:
    return LimitExceeded(
        f"The provider returned more than {size} bytes.",
        limit=limit,
        hint="Ask for less; the provider's answer was dropped whole.",
    )
