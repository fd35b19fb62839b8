"""The contract itself: what is declared serves, and failures say who has to act."""

import json
import re
from typing import Any, Final

from ironclaw_memory.conformance.bench import Bench, Seat, lane
from ironclaw_memory.conformance.expect import Broken, failed, holds, same
from ironclaw_memory.conformance.rule import Group, rule
from ironclaw_memory.conformance.subject import Answer
from ironclaw_memory.errors import UndeclaredTool


_CODE: Final = re.compile(r"[a-z0-9_-]{1,64}")  # wit/types.wit
_ARGUMENT: Final = re.compile(r"[a-z][a-z0-9_-]{0,39}")

_TOOLS: Final[dict[str, dict[str, object]]] = {
    "search": {"request": {"query": "anything", "limit": 5}},
    "tree": {"request": {"path": "", "depth": 1}},
    "profile_set": {"fields": {"timezone": "Asia/Tokyo", "locale": None, "location": None}},
}
_HOOKS: Final[dict[str, dict[str, object]]] = {
    "read_long_term": {"request": lane("anything", 4)},
    "read_short_term": {"request": lane("anything", 4), "thread_id": "t1"},
    "record_interaction": {
        "messages": [{"role": "user", "content": "hello", "name": None}],
        "thread_id": "t1",
        "run_id": "r1",
    },
    "profile_read": {},
}
_UPKEEP: Final[dict[str, dict[str, Any]]] = {
    "refresh": {"paths": [], "everything": True, "budget_ms": 2000},
    "check": {"repair": False},
    "sweep": {"dry_run": True},
    "explain": {"query": "anything", "limit": 5, "path": None},
    "history": {"path": "notes/a.md"},
    "deleted": {"after": None},
    "describe": {"path": "notes/a.md"},
    "version": {"path": "notes/a.md", "number": 1},
    "restore": {"path": "notes/a.md", "number": 1},
    "rename": {"path": "notes/a.md", "to": "notes/b.md"},
    "delete": {"path": "notes/b.md"},
    "erase": {"path": "notes/b.md", "number": None},
}


@rule("contract.declared-tools-serve", Group.CONTRACT)
def declared_tools_serve(bench: Bench) -> None:
    """Every tool that the manifest declares does its plainest work."""
    seat = bench.seat()
    if seat.declares("tool.write"):
        seat.append("notes/a.md", "a first line")
    else:
        seat.put("notes/a.md", "a first line\n")
    if seat.declares("tool.read"):
        holds("read: the line", fact="first" in seat.read("notes/a.md"), came="another text")
    for tool, arguments in _TOOLS.items():
        if seat.declares(f"tool.{tool}"):
            _serves(seat, tool, arguments)


@rule("contract.declared-hooks-serve", Group.CONTRACT)
def declared_hooks_serve(bench: Bench) -> None:
    """Every hook that the manifest declares does its plainest work."""
    seat = bench.seat()
    for hook, arguments in _HOOKS.items():
        if seat.declares(f"hook.{hook}"):
            _serves(seat, hook, arguments)


@rule("contract.declared-upkeep-serves", Group.CONTRACT, "tool.write")
def declared_upkeep_serves(bench: Bench) -> None:
    """Every upkeep function that the manifest declares does its plainest work."""
    seat = bench.seat()
    seat.store("notes/a.md", "one")
    seat.store("notes/a.md", "two")
    for name, request in _UPKEEP.items():
        here = {**request}
        if name in {"delete", "erase"} and not seat.declares("upkeep.rename"):
            here["path"] = "notes/a.md"
        if name == "erase" and seat.declares("upkeep.delete"):
            seat.store(here["path"], "again")
        if seat.declares(f"upkeep.{name}"):
            _serves(seat, name, {"request": here})


def _serves(seat: Seat, export: str, arguments: dict[str, object]) -> None:
    try:
        answer = seat.attempt(export, **arguments)
    except UndeclaredTool:
        raise Broken(expected=f"{export} to be exported", came="no such export") from None
    if answer.failure is not None:
        raise Broken(
            expected=f"{export}: success, since it is declared",
            came=f"a failure of kind {answer.failure.kind}, code {answer.failure.code}",
        )


@rule("contract.the-instance-survives-a-failure", Group.CONTRACT, "tool.read")
def the_instance_survives_a_failure(bench: Bench) -> None:
    """A refused call leaves the provider able to serve the next one."""
    seat = bench.seat()
    seat.put("a.md", "still here\n")
    for path in ("absent.md", "../a.md", "a.md/below"):
        failed(f"read {path}", seat.try_read(path), "input", "operation")
    same("read after three failures", came=seat.read("a.md"), expected="still here\n")


@rule("errors.missing-document-is-input", Group.CONTRACT, "tool.read")
def missing_document_is_input(bench: Bench) -> None:
    """Reading a document that is not there is the caller's mistake, and nothing worse."""
    failed("read of an absent document", bench.seat().try_read("notes/absent.md"), "input")


@rule("errors.bytes-that-are-not-text-are-operation", Group.CONTRACT, "tool.read")
def bytes_that_are_not_text_are_operation(bench: Bench) -> None:
    """A document that is not UTF-8 cannot be read, and the failure is of the documents."""
    seat = bench.seat()
    seat.put("raw.md", b"\xff\xfe\x00broken")
    failed("read of bytes that are not UTF-8", seat.try_read("raw.md"), "operation")


@rule("errors.failures-are-words", Group.CONTRACT, "tool.read")
def failures_are_words(bench: Bench) -> None:
    """A failure carries a code and at most an argument's name, never text of a document."""
    seat = bench.seat()
    seat.put("secret-aubergine.md", b"\xffaubergine")
    answers = [seat.try_read(path) for path in ("aubergine.md", "../aubergine", "a\\b", "")]
    answers.append(seat.try_read("secret-aubergine.md"))
    if seat.declares("tool.write"):
        answers.append(seat.try_write("/aubergine", "aubergine"))
    for answer in answers:
        _is_of_words(answer)


def _is_of_words(answer: Answer) -> None:
    failure = failed("a bad request", answer, "input", "operation", "unavailable")
    holds(
        "a code of 1 to 64 of a-z, 0-9, - and _",
        fact=bool(_CODE.fullmatch(failure.code)),
        came=failure.code,
    )
    field = failure.field_name
    holds("an argument's name", fact=field is None or bool(_ARGUMENT.fullmatch(field)), came=field)
    said = f"{failure.code} {field}"
    holds("no word of the request or document", fact="aubergine" not in said, came=said)


@rule("errors.blank-query-is-input", Group.CONTRACT, "tool.search")
def blank_query_is_input(bench: Bench) -> None:
    """A search for nothing but white space is the caller's mistake."""
    for query in ("", "  \n"):
        answer = bench.seat().attempt("search", request={"query": query, "limit": 5})
        failed(f"search for {query!r}", answer, "input")


@rule("contract.read-echoes-path-and-counts-words", Group.CONTRACT, "tool.read")
def read_echoes_path_and_counts_words(bench: Bench) -> None:
    """Read names the document it read and counts words at white space."""
    seat = bench.seat()
    seat.put("notes/a.md", "one two\tthree\n\nfour-and-a-half\n")
    reply = seat.reply("read", request={"path": "notes/a.md"})
    same("path", came=reply["path"], expected="notes/a.md")
    same("word_count", came=reply["word_count"], expected=4)


@rule("contract.write-says-what-it-did", Group.CONTRACT, "tool.write")
def write_says_what_it_did(bench: Bench) -> None:
    """A write's reply carries the status, the document's path, the mode and the entry's bytes."""
    reply = bench.seat().append("notes/é.md", "naïve  \n")
    same("status", came=reply["status"], expected="written")
    same("path", came=reply["path"], expected="notes/é.md")
    same("append", came=reply["append"], expected=True)
    same("content_length", came=reply["content_length"], expected=len("naïve\n".encode()))


@rule("contract.tree-is-an-array", Group.CONTRACT, "tool.tree")
def tree_is_an_array(bench: Bench) -> None:
    """A listing is a JSON array of names and of objects with one key that ends in a slash."""
    seat = bench.seat()
    seat.put("a/b/c.md", "x")
    seat.put("d.md", "x")
    _is_listing(json.loads(seat.tree(depth=10)))


def _is_listing(value: object) -> None:
    if not isinstance(value, list):
        raise Broken(expected="an array", came=repr(value))
    for entry in value:
        match entry:
            case str():
                continue
            case dict() if len(entry) == 1 and next(iter(entry)).endswith("/"):
                _is_listing(next(iter(entry.values())))
            case _:
                raise Broken(expected='a name or {"name/": […]}', came=repr(entry))
