"""What a provider does not declare: the host refuses it, and the provider does not pretend."""

from typing import Final

from ironclaw_memory.assets import TOOL_NAMES
from ironclaw_memory.conformance.bench import Bench, Seat, lane
from ironclaw_memory.conformance.expect import UNSUPPORTED, Broken, failed, holds, same
from ironclaw_memory.conformance.rule import Group, rule
from ironclaw_memory.declared import Hook
from ironclaw_memory.errors import IronclawMemoryError, UndeclaredTool
from ironclaw_memory.manifest import UPKEEP_FUNCTIONS


_LANES: Final = ("read_long_term", "read_short_term")
_TOOL_ARGUMENTS: Final[dict[str, dict[str, object]]] = {
    "read": {"path": "a.md"},
    "write": {"target": "a.md", "content": "text"},
    "search": {"query": "text"},
    "tree": {},
    "profile_set": {"timezone": "Asia/Tokyo"},
}


@rule("absence.undeclared-tools-are-refused", Group.ABSENCE)
def undeclared_tools_are_refused(bench: Bench) -> None:
    """A tool that the manifest leaves out is refused as undeclared, before anything happens."""
    seat = bench.seat()
    for name in TOOL_NAMES:
        if not seat.declares(f"tool.{name}"):
            _undeclared(seat, name, _TOOL_ARGUMENTS[name])
    same("documents", came=seat.files(), expected={})


@rule("absence.undeclared-upkeep-is-refused", Group.ABSENCE)
def undeclared_upkeep_is_refused(bench: Bench) -> None:
    """An upkeep function that the manifest leaves out is refused as undeclared."""
    seat = bench.seat()
    for name in sorted(UPKEEP_FUNCTIONS):
        if not seat.declares(f"upkeep.{name}"):
            _undeclared(seat, name, {})


def _undeclared(seat: Seat, export: str, arguments: dict[str, object]) -> None:
    try:
        came = seat.subject.ask(export, arguments, scope=seat.scope)
    except UndeclaredTool:
        return
    except IronclawMemoryError as error:
        raise Broken(expected=f"{export}: undeclared", came=f"error {error.code}") from None
    raise Broken(expected=f"{export}: undeclared", came=repr(came))


@rule("absence.undeclared-hooks-are-never-called", Group.ABSENCE)
def undeclared_hooks_are_never_called(bench: Bench) -> None:
    """A hook that the manifest leaves out is refused as undeclared, so it never runs."""
    seat = bench.seat()
    for hook in Hook:
        if not seat.declares(f"hook.{hook.value}"):
            _undeclared(seat, hook.value, {})
    same("documents", came=seat.files(), expected={})


@rule("absence.lanes-answer-unavailable", Group.ABSENCE)
def lanes_answer_unavailable(bench: Bench) -> None:
    """A lane that is not declared is not exported, or says that it is unavailable."""
    seat = bench.seat()
    for name in _LANES:
        if seat.declares(f"hook.{name}"):
            continue
        more = {"thread_id": "t1"} if name == "read_short_term" else {}
        try:
            answer = seat.attempt(name, request=lane("anything", 4), **more)
        except UndeclaredTool:
            continue
        failed(f"{name}, which is not declared", answer, "unavailable")


@rule("absence.recorder-keeps-nothing", Group.ABSENCE, without=("hook.record_interaction",))
def recorder_keeps_nothing(bench: Bench) -> None:
    """A recorder that is not declared is not exported, unavailable, or says it kept nothing."""
    seat = bench.seat()
    said = [{"role": "user", "content": "hello", "name": None}]
    try:
        answer = seat.attempt("record_interaction", messages=said, thread_id="t1", run_id="r1")
    except UndeclaredTool:
        return
    if answer.failure is None:
        same("recorded", came=(answer.reply or {}).get("recorded"), expected=False)
    same("documents", came=seat.files(), expected={})


@rule(
    "absence.search-without-a-backend-is-refused",
    Group.ABSENCE,
    "tool.search",
    without=("flag.full_text_search", "flag.vector_search"),
)
def search_without_a_backend_is_refused(bench: Bench) -> None:
    """Without full-text and vector search a declared search tool refuses every query."""
    answer = bench.seat().attempt("search", request={"query": "anything", "limit": 5})
    failed("search without a backend", answer, "operation", "unavailable")


@rule(
    "absence.without-file-documents-nothing-is-stored",
    Group.ABSENCE,
    "tool.write",
    without=("flag.file_documents",),
)
def without_file_documents_nothing_is_stored(bench: Bench) -> None:
    """A provider that keeps no documents as files leaves none in the directory."""
    seat = bench.seat()
    seat.try_write("a.md", "text")
    same("documents on disk", came=seat.files(), expected={})


@rule(
    "absence.metadata-is-refused-not-dropped",
    Group.ABSENCE,
    "tool.write",
    without=("flag.metadata",),
)
def metadata_is_refused_not_dropped(bench: Bench) -> None:
    """A provider without metadata refuses a write that carries some, and stores nothing."""
    seat = bench.seat()
    answer = seat.try_write("a.md", "text", metadata='{"skip_indexing":true}')
    failure = failed("write with metadata", answer, "operation")
    same("code", came=failure.code, expected=UNSUPPORTED)
    same("documents", came=seat.files(), expected={})


@rule("absence.no-versions-without-versioning", Group.ABSENCE, without=("flag.versioning",))
def no_versions_without_versioning(bench: Bench) -> None:
    """A provider without versioning declares none of the functions that need versions."""
    seat = bench.seat()
    offered = [
        name
        for name in ("history", "version", "restore", "deleted", "adopt")
        if seat.declares(f"upkeep.{name}")
    ]
    holds("no version function", fact=not offered, came=offered)


@rule("absence.no-deletion-without-delete", Group.ABSENCE, without=("flag.delete",))
def no_deletion_without_delete(bench: Bench) -> None:
    """A provider without deletion declares neither `delete` nor `erase`."""
    seat = bench.seat()
    offered = [name for name in ("delete", "erase") if seat.declares(f"upkeep.{name}")]
    holds("no deleting function", fact=not offered, came=offered)


@rule(
    "absence.vectors-are-never-claimed",
    Group.ABSENCE,
    "tool.search",
    without=("flag.vector_search",),
)
def vectors_are_never_claimed(bench: Bench) -> None:
    """Without vector search no hit says that two search channels agreed on it."""
    seat = bench.seat()
    seat.put("a.md", "the heron stands in the reeds\n")
    claimed = [hit["path"] for hit in seat.search("heron reeds") if hit["is_hybrid_match"]]
    same("hits marked as hybrid", came=claimed, expected=[])
