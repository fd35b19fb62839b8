"""Memory before, during and after a turn (reference.md 10.12)."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from ironclaw_memory.errors import (
    HostFault,
    InvalidArguments,
    OperationFailed,
    ProviderUnavailable,
)
from ironclaw_memory.model import Message, Role, Scope
from ironclaw_memory.recall import Context, Profile
from ironclaw_memory.session import MemorySession
from ironclaw_memory.testing import InMemoryHost, ScriptedLanes, ScriptedModel, snippet_of
from ironclaw_memory.testing.host import REQUEST_ID, InMemoryTool
from ironclaw_memory.upkeep.conversation import CurationPass
from ironclaw_memory.upkeep.dialogue import ModelReply, ToolDefinition
from ironclaw_memory.upkeep.schedule import CurationSchedule
from ironclaw_memory.upkeep.turns import TurnLedger


ALICE = Scope(tenant="acme", user="alice", thread="t1")
TURN = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
DOWN = ProviderUnavailable("down")


def _lanes(text: str = "likes tea") -> ScriptedLanes:
    return ScriptedLanes(long_term=[snippet_of(ALICE, text)])


def _session(host: InMemoryHost, **options: Any) -> MemorySession:
    return MemorySession(host, ALICE, **options)


def test_memory_surfaces_and_is_fetched_once_per_run() -> None:
    """Asking again within a run costs nothing and says the same (statement 181)."""
    lanes = _lanes()
    session = _session(InMemoryHost(lanes=lanes))

    first, second = session.before_turn("What do I drink?"), session.before_turn("What do I drink?")

    assert "Untrusted memory content: likes tea" in first.text
    assert first == second
    assert len(lanes.asked) == 2


def test_the_next_run_fetches_again() -> None:
    """A run ends with `after_turn`, or with another message."""
    lanes = _lanes()
    session = _session(InMemoryHost(lanes=lanes))

    session.before_turn("a")
    session.after_turn(TURN)
    session.before_turn("a")
    session.before_turn("b")

    assert [asked[2] for asked in lanes.asked[::2]] == ["a", "a", "b"]


@pytest.mark.parametrize("message", ["", " \n"])
def test_no_user_message_caches_nothing(message: str) -> None:
    """What was empty before the first message is not empty for the run (statement 183)."""
    lanes = _lanes()
    session = _session(InMemoryHost(lanes=lanes, guidance="# Memory"))

    early = session.before_turn(message)

    assert (early.text, lanes.asked) == ("# Memory", [])
    assert session.before_turn("Hi").snippets


def test_blocks_are_asked_about_by_their_texts() -> None:
    """As `after_turn` takes them; what a tool answered is no question, and a picture has no words."""
    lanes = _lanes()
    session = _session(InMemoryHost(lanes=lanes))
    said = [{"type": "text", "text": "What do"}, {"type": "image"}, {"type": "text", "text": "I?"}]

    first = session.before_turn([{"type": "tool_result", "content": "42"}, *said])

    assert [asked[2] for asked in lanes.asked] == ["What do\nI?"] * 2
    assert session.before_turn("What do\nI?") == first
    assert session.before_turn([{"type": "image"}]).run_id == ""


@pytest.mark.parametrize("message", [None, 5, b"Hi", {"role": "user", "content": "Hi"}, ["Hi"]])
def test_what_is_no_user_message_is_reported_and_ends_no_turn(message: Any) -> None:
    """Both lanes are missing because of wrong input; the rest of the context stands."""
    lanes = _lanes()
    context = _session(InMemoryHost(lanes=lanes, guidance="# Memory")).before_turn(message)

    assert {str(d.kind) for d in context.degradations} == {"input"}
    assert len(context.degradations) == 2
    assert (context.guidance, context.run_id, lanes.asked) == ("# Memory", "", [])


def test_a_failed_fetch_is_cached_too() -> None:
    """An outage is not asked about again within the run."""
    lanes = ScriptedLanes(short_term=DOWN, long_term=DOWN)
    session = _session(InMemoryHost(lanes=lanes))

    session.before_turn("Hi")
    again = session.before_turn("Hi")

    assert len(lanes.asked) == 2
    assert len(again.degradations) == 2


def test_the_note_is_given_once_per_run() -> None:
    """And again in the next run, if memory is still out (statement 184)."""
    session = _session(InMemoryHost(lanes=ScriptedLanes(long_term=DOWN)))

    notes = [session.before_turn(text).note for text in ("a", "a", "b")]

    assert ["long-term memory" in note for note in notes] == [True, False, True]


def test_the_note_comes_again_until_it_was_handed_on() -> None:
    """Prepared is not given: whoever fails in between gets it again (statement 184)."""
    session = _session(InMemoryHost(lanes=ScriptedLanes(long_term=DOWN)))

    lost, kept = session.prepare_turn("a"), session.prepare_turn("a")
    session.note_was_given(kept)

    assert lost.note == kept.note != ""
    assert session.prepare_turn("a").note == ""


class _BrokenHost(InMemoryHost):
    """A host of which one step raises."""

    def __init__(self, broken: str, error: Exception) -> None:
        super().__init__()
        self._broken = broken
        self._error = error

    def _maybe(self, step: str) -> None:
        if step == self._broken:
            raise self._error

    def load_context(self, scope: Scope, query: str, max_snippets: int) -> Context:
        self._maybe("load_context")
        return super().load_context(scope, query, max_snippets)

    def read_profile(self, scope: Scope) -> Profile | None:
        self._maybe("read_profile")
        return super().read_profile(scope)

    def record_interaction(self, scope: Scope, messages: Sequence[Message], run_id: str) -> bool:
        self._maybe("record")
        return super().record_interaction(scope, messages, run_id)

    def complete_turn(self, scope: Scope, run_id: str) -> int:
        self._maybe("count")
        return super().complete_turn(scope, run_id)

    def run_due_passes(self, scope: Scope, model: Any, run_id: str) -> Any:
        self._maybe("curate")
        return super().run_due_passes(scope, model, run_id)


def test_a_host_that_cannot_recall_is_two_degradations() -> None:
    """A broken host is an outage to the turn, not its end."""
    context = _session(_BrokenHost("load_context", HostFault("no root"))).before_turn("Hi")

    assert [d.code for d in context.degradations] == ["host-fault", "host-fault"]
    assert context.note


def test_a_profile_that_cannot_be_read_is_left_out() -> None:
    """The rest of the context stands."""
    host = _BrokenHost("read_profile", DOWN)
    host.lanes = _lanes()

    context = _session(host).before_turn("Hi")

    assert context.profile is None
    assert context.snippets


def test_guidance_and_profile_are_part_of_the_text() -> None:
    """In the order of the prompt: guidance, profile, recall."""
    host = InMemoryHost(lanes=_lanes(), guidance="# Memory", profile=Profile(timezone="UTC"))

    parts = _session(host).before_turn("Hi").text.split("\n\n")

    assert parts[:2] == ["# Memory", "User's time zone: UTC"]
    assert parts[-1].endswith("likes tea")


def test_only_declared_tools_are_offered_under_names_without_dots() -> None:
    """What the provider serves, as a model's interface takes it."""
    names = [tool.name for tool in _session(InMemoryHost()).tools()]

    assert names == [f"ironclaw__memory__{tool}" for tool in ("read", "write", "search", "tree")]


class _HostWithPages(InMemoryHost):
    """Describes its first tool at length and keeps the second one to itself."""

    def tools(self) -> tuple[InMemoryTool, ...]:
        first, second, *_ = super().tools()
        return (replace(first, documentation="# Page"), replace(second, visibility="host_internal"))


def test_a_model_gets_the_whole_page_and_no_internal_tool() -> None:
    """It has nothing else to go by, and what it may not see it cannot call."""
    session = _session(_HostWithPages())

    assert [tool.description for tool in session.tools()] == ["read memory\n\n# Page"]
    assert session.call("ironclaw.memory.write", {"content": "x"}).is_error


class _HostWithAlternatives(InMemoryHost):
    """Says of its tools what no interface of a model takes at the top of a schema."""

    def tools(self) -> tuple[InMemoryTool, ...]:
        schema = {"$schema": "x", "type": "object", "properties": {"q": {"oneOf": []}}, "oneOf": []}
        return tuple(replace(tool, input_schema=schema) for tool in super().tools())


def test_a_schema_is_offered_as_models_interfaces_take_it() -> None:
    """No alternatives at its top; what is inside stays."""
    session = _session(_HostWithAlternatives())

    for tool in session.tools():
        assert tool.input_schema == {"type": "object", "properties": {"q": {"oneOf": []}}}


@pytest.mark.parametrize(
    "name", ["ironclaw__memory__write", "ironclaw.memory.write", "memory_write", "write"]
)
def test_a_tool_call_returns_json(name: str) -> None:
    """By name, by id or for short, under the session's scope."""
    host = InMemoryHost()

    result = _session(host).call(name, {"target": "memory", "content": "likes tea"})

    assert not result.is_error
    assert json.loads(result.content)["path"] == "MEMORY.md"
    assert host.provider.of(ALICE)["MEMORY.md"] == "likes tea\n"


def test_a_refused_call_is_a_result_with_the_way_out() -> None:
    """The model reads what its user can do about it."""
    host = InMemoryHost(writes_allowed=False)

    result = _session(host).call("ironclaw__memory__write", {"content": "x"})
    error = json.loads(result.content)["error"]

    assert result.is_error
    assert error["code"] == "approval-required"
    assert result.request_id == REQUEST_ID
    assert "`ironclaw-memory grant ironclaw.memory.write`" in error["hint"]


class _HostThatNames(InMemoryHost):
    """Calls tools by their ids wherever it speaks of them."""

    def tools(self) -> tuple[InMemoryTool, ...]:
        page = "# ironclaw.memory.read\nPaths are as `ironclaw.memory.tree` shows them."
        return tuple(replace(tool, documentation=page) for tool in super().tools())

    def call(self, *_: Any, **__: Any) -> object:
        raise InvalidArguments(
            "ironclaw.memory.read cannot.", hint="`ironclaw-memory tree` shows what it can."
        )


def test_every_text_calls_a_tool_by_the_name_that_the_model_has_it_by() -> None:
    """Guidance, pages and errors: another name is one that it cannot call."""
    session = _session(_HostThatNames(guidance="Save with `ironclaw.memory.write`."))

    assert session.before_turn("Hi").text == "Save with `ironclaw__memory__write`."
    assert session.tools()[0].description == (
        "read memory\n\n# ironclaw__memory__read\nPaths are as `ironclaw__memory__tree` shows them."
    )
    error = json.loads(session.call("ironclaw__memory__read", {}).content)["error"]
    assert error["message"] == "ironclaw__memory__read cannot."
    assert error["hint"] == "The ironclaw__memory__tree tool shows what it can."


def test_a_tool_that_the_model_does_not_have_keeps_its_id() -> None:
    """It could not be called by another name either."""
    session = _session(_HostWithPages(guidance="Not ironclaw.memory.write."))

    assert session.before_turn("Hi").text == "Not ironclaw.memory.write."


def test_an_undeclared_tool_is_a_result_that_names_the_declared_ones() -> None:
    """A model that misremembers a name can correct itself."""
    result = _session(InMemoryHost()).call("ironclaw__memory__delete", {})

    assert result.is_error
    assert "ironclaw__memory__read" in json.loads(result.content)["error"]["hint"]


def test_the_whole_run_is_recorded_in_order_and_verbatim() -> None:
    """Blank messages are left out, nothing is trimmed (statements 186 and 187)."""
    host = InMemoryHost()
    session = _session(host)
    run_id = session.before_turn(" Hi ").run_id

    report = session.after_turn(
        [
            {"role": "user", "content": " Hi "},
            {"role": "assistant", "content": None},
            {"role": "tool", "content": "{}", "name": "search"},
            {"role": "assistant", "content": " \n"},
            Message(role=Role.ASSISTANT, content="Hello\n"),
        ]
    )

    assert report.recorded
    assert report.run_id == run_id
    assert host.provider.of(ALICE)[f"threads/t1/{run_id}.md"] == (
        "## user\n Hi \n## tool\n{}\n## assistant\nHello\n\n"
    )


@pytest.mark.parametrize("messages", [[], [{"role": "tool", "content": "x"}]])
def test_a_run_in_which_nobody_spoke_is_not_recorded(messages: list[dict[str, str]]) -> None:
    """No error either, and the turn counts."""
    report = _session(InMemoryHost()).after_turn(messages)

    assert (report.recorded, report.turns, report.failures) == (False, 1, ())


def test_a_run_that_was_not_completed_leaves_nothing() -> None:
    """Neither transcript nor count, and the next run begins anew."""
    host = InMemoryHost()
    session = _session(host)
    first = session.before_turn("Hi").run_id

    report = session.after_turn(TURN, completed=False)

    assert (report.recorded, report.turns) == (False, 0)
    assert host.provider.of(ALICE) == {}
    assert host.completed_runs == []
    assert session.before_turn("Hi").run_id != first


@pytest.mark.parametrize(
    "message",
    [
        {"role": "robot", "content": "x"},
        {"content": "x"},
        {"role": "user", "content": ["x"]},
        {"role": "user", "content": "x", "name": 3},
        {"role": ["user"], "content": "x"},
    ],
)
def test_what_is_no_message_is_a_typed_failure(message: dict[str, Any]) -> None:
    """The caller's mistake is named, and the turn still counts."""
    report = _session(InMemoryHost()).after_turn([message])

    assert [(f.step, f.code) for f in report.failures] == [("record", "invalid-arguments")]
    assert report.turns == 1


@pytest.mark.parametrize("messages", ["hello", {"role": "user", "content": "Hi"}, 3])
def test_what_is_no_list_of_messages_is_a_typed_failure(messages: Any) -> None:
    """No defect of the host to report, and the turn still counts."""
    report = _session(InMemoryHost()).after_turn(messages)

    assert [(f.step, f.code) for f in report.failures] == [("record", "invalid-arguments")]
    assert "a list" in report.failures[0].hint
    assert report.turns == 1


def test_a_turn_in_blocks_is_recorded() -> None:
    """As one vendor's interface has it; what a tool answered is no words of the user."""
    host = InMemoryHost()
    blocks = [{"type": "tool_result", "content": "sunny"}, {"type": "text", "text": "Hi"}]

    report = _session(host).after_turn([{"role": "user", "content": blocks}])

    assert (report.recorded, report.failures) == (True, ())
    (transcript,) = host.provider.of(ALICE).values()
    assert transcript == "## tool\nsunny\n## user\nHi\n"


def test_a_transcript_without_a_thread_is_a_failure_that_says_so() -> None:
    """A session that forgot it would never learn why nothing comes back."""
    session = MemorySession(InMemoryHost(), replace(ALICE, thread=None))

    report = session.after_turn(TURN)

    assert [(f.step, f.code) for f in report.failures] == [("record", "invalid-arguments")]
    assert "belongs to a thread" in report.failures[0].message
    assert "thread" in report.failures[0].hint
    assert (report.recorded, report.turns) == (False, 1)
    assert session.after_turn([]).failures == ()


def test_a_session_needs_a_scope() -> None:
    """A dictionary of its ids is refused before the first turn."""
    ids: Any = {"tenant": "acme", "user": "alice"}

    with pytest.raises(InvalidArguments, match="scope"):
        MemorySession(InMemoryHost(), ids)


@pytest.mark.parametrize(
    ("error", "code"),
    [(OperationFailed("full"), "operation-failed"), (RuntimeError("secret"), "internal")],
)
@pytest.mark.parametrize("step", ["record", "count", "curate"])
def test_each_step_after_the_turn_may_fail_alone(step: str, error: Exception, code: str) -> None:
    """Failures are in the report, never raised, and a bug's own words stay out."""
    host = _BrokenHost(step, error)

    report = _session(host, model=ScriptedModel([])).after_turn(TURN)

    assert [(f.step, f.code) for f in report.failures] == [(step, code)]
    assert "secret" not in report.failures[0].message
    assert report.recorded is (step != "record")
    assert report.turns == (step != "count")


class _HungHost(InMemoryHost):
    """Records only when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.release, self.recorded = Event(), Event()

    def record_interaction(self, scope: Scope, messages: Sequence[Message], run_id: str) -> bool:
        self.release.wait(60)
        self.recorded.set()
        return True


def test_a_recorder_that_hangs_does_not_hold_the_turn() -> None:
    """The wait is bounded and the failure typed; the turn counts."""
    host = _HungHost()

    report = _session(host, recording_seconds=0.01).after_turn(TURN)
    host.release.set()

    assert [(f.step, f.code) for f in report.failures] == [("record", "limit-exceeded")]
    assert report.turns == 1
    assert host.recorded.wait(60)


def _curated(host: InMemoryHost, root: Path) -> InMemoryHost:
    read = ToolDefinition(id="ironclaw.memory.read", description="", input_schema={})
    host.provider.of(ALICE)["MEMORY.md"] = "- likes tea\n"
    host.schedule = CurationSchedule(
        ledger=TurnLedger(root / "turns.sqlite3"),
        passes=(
            CurationPass(name="c", prompt="C", tools=(read,), interval_turns=2, max_model_calls=5),
        ),
        host_for=host.bound_to,
        clock=lambda: 0.0,
        now_ms=lambda: 1,
    )
    return host


def test_the_due_pass_runs_after_the_turn(tmp_path: Path) -> None:
    """Every second turn here; its report is part of the turn's."""
    host = _curated(InMemoryHost(), tmp_path)
    session = _session(host, model=ScriptedModel([ModelReply(text='{"summary": "Fine."}')]))

    reports = [session.after_turn(TURN) for _ in range(3)]

    assert [[r.summary for r in report.curation] for report in reports] == [[], ["Fine."], []]
    assert [report.turns for report in reports] == [1, 2, 3]


def test_without_a_model_no_pass_runs(tmp_path: Path) -> None:
    """Turns are counted all the same."""
    session = _session(_curated(InMemoryHost(), tmp_path))

    assert [session.after_turn(TURN).curation for _ in range(2)] == [(), ()]


def test_leaving_the_session_drops_the_run() -> None:
    """What was not finished is not recorded."""
    host = InMemoryHost()

    with _session(host) as session:
        first = session.before_turn("Hi").run_id

    assert session.before_turn("Hi").run_id != first
    assert host.provider.of(ALICE) == {}


def test_the_session_imports_no_event_loop_and_no_pydantic() -> None:
    """Both cost more than a whole call of a warm provider."""
    probe = (
        "import sys, ironclaw_memory.session\n"
        "print([m for m in ('asyncio', 'pydantic', 'jsonschema', 'wasmtime', 'sqlite3') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
