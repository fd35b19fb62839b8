"""One curation pass against a scripted model: the rails hold whatever it says."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from ironclaw_memory.errors import (
    ApprovalRequired,
    ModelUnavailable,
    OperationFailed,
    ProviderUnavailable,
)
from ironclaw_memory.model import Role, Scope
from ironclaw_memory.testing import InMemoryHost, ModelCall, ScriptedModel
from ironclaw_memory.testing.model import Line
from ironclaw_memory.upkeep.conversation import CurationPass
from ironclaw_memory.upkeep.curation import PassRun, curate
from ironclaw_memory.upkeep.dialogue import ModelReply, ToolCall, ToolDefinition
from ironclaw_memory.upkeep.rails import CurationRules
from ironclaw_memory.upkeep.report import CurationReport, CurationStatus


ALICE = Scope(tenant="acme", user="alice")
BEFORE = "- likes tea\n- likes tea a lot\n- lives in Graz\n"
AFTER = "- likes tea a lot\n- lives in Graz\n"
TOOLS = tuple(
    ToolDefinition(id=f"ironclaw.memory.{name}", description=name, input_schema={})
    for name in ("read", "search", "write")
)
PASS = CurationPass(
    name="curation", prompt="Curate.", tools=TOOLS, interval_turns=10, max_model_calls=10
)


def _calls(*wanted: tuple[str, Mapping[str, Any]]) -> ModelReply:
    return ModelReply(
        tool_calls=tuple(
            ToolCall(id=f"c{number}", name=f"ironclaw__memory__{name}", arguments=arguments)
            for number, (name, arguments) in enumerate(wanted)
        )
    )


def _rewrite(content: str = AFTER, **more: Any) -> ModelReply:
    return _calls(("write", {"target": "memory", "append": False, "content": content, **more}))


def _account(*removed: str, **more: Any) -> ModelReply:
    return ModelReply(text=json.dumps({"removed": list(removed), **more}))


READ = _calls(("read", {"path": "MEMORY.md"}))
NAMED = _account("- likes tea", entries_merged=1, summary="Merged the tea.")


@pytest.fixture(name="host")
def _host() -> InMemoryHost:
    host = InMemoryHost()
    host.provider.of(ALICE)["MEMORY.md"] = BEFORE
    return host


def _run(
    host: InMemoryHost,
    *script: Line,
    curation: CurationPass = PASS,
    rules: CurationRules | None = None,
    clock: Callable[[], float] = lambda: 0.0,
    dry_run: bool = False,
    still_held: bool = True,
) -> tuple[CurationReport, ScriptedModel]:
    model = ScriptedModel(script)
    report = curate(
        PassRun(
            curation=curation,
            host=host.bound_to(ALICE),
            model=model,
            rules=rules or CurationRules(),
            clock=clock,
            id="curation@r10",
            dry_run=dry_run,
            still_held=lambda: still_held,
        )
    )
    return report, model


def _memory(host: InMemoryHost) -> str:
    return host.provider.of(ALICE)["MEMORY.md"]


def _last_result(call: ModelCall) -> dict[str, Any]:
    answer = call.messages[-1]
    assert answer.role is Role.TOOL
    result: dict[str, Any] = json.loads(answer.content)
    return result


def test_a_rewrite_that_accounts_for_itself_replaces_the_document(host: InMemoryHost) -> None:
    """The whole pass: prompt, reading, rewrite, report, one command to undo it."""
    report, model = _run(host, READ, _rewrite(), NAMED)

    assert _memory(host) == AFTER
    assert report == CurationReport(
        status=CurationStatus.DONE,
        pass_id="curation@r10",  # noqa: S106 - an id
        changed=True,
        merged=1,
        summary="Merged the tea.",
        dropped=("- likes tea",),
        diff=report.diff,
        restore="ironclaw-memory restore MEMORY.md 1",
        model_calls=3,
        tool_calls=2,
    )
    assert "-- likes tea" in report.diff
    assert model.calls[0].messages[0].content == "Curate."
    assert model.calls[0].tools == TOOLS
    assert "likes tea" in _last_result(model.calls[1])["content"]


def test_the_old_body_is_kept_before_the_write(host: InMemoryHost) -> None:
    """A provider without versions does not lose it either."""
    _run(host, _rewrite(), NAMED)

    assert host.provider.of(ALICE)["MEMORY.md.kept"] == BEFORE


def test_a_missing_grant_costs_no_model_call(host: InMemoryHost) -> None:
    """The gate is asked first; the report says what would allow it."""
    host.writes_allowed = False

    report, model = _run(host)

    assert model.calls == []
    assert report.status is CurationStatus.SKIPPED
    assert "ironclaw-memory grant ironclaw.memory.write" in report.reason


def test_a_dry_run_writes_nothing_and_shows_the_diff(host: InMemoryHost) -> None:
    """It needs no grant to write, since it does not."""
    host.writes_allowed = False

    report, _ = _run(host, _rewrite(), NAMED, dry_run=True)

    assert report.status is CurationStatus.DRY_RUN
    assert "-- likes tea" in report.diff
    assert not report.changed
    assert _memory(host) == BEFORE


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_document_costs_no_model_call(host: InMemoryHost, text: str) -> None:
    """Nothing to curate is done."""
    host.provider.of(ALICE)["MEMORY.md"] = text

    report, model = _run(host)

    assert (report.status, model.calls) == (CurationStatus.DONE, [])


def test_a_missing_document_costs_no_model_call(host: InMemoryHost) -> None:
    """Nor does one that was never written."""
    del host.provider.of(ALICE)["MEMORY.md"]

    report, model = _run(host)

    assert (report.status, model.calls) == (CurationStatus.DONE, [])


def test_a_huge_document_is_left_to_its_owner(host: InMemoryHost) -> None:
    """What fits no model's context is not sent to one; a limit is no missing permission."""
    host.provider.of(ALICE)["MEMORY.md"] = "x" * 70_000

    report, model = _run(host)

    assert (report.status, model.calls) == (CurationStatus.FAILED, [])
    assert "more than 65536 bytes" in report.reason


def test_nothing_to_change_is_done(host: InMemoryHost) -> None:
    """A pass that only reports leaves the document and its versions alone."""
    report, _ = _run(host, READ, _account(summary="In order."))

    assert (report.status, report.changed, report.summary) == ("done", False, "In order.")
    assert "MEMORY.md.kept" not in host.provider.of(ALICE)


def test_lines_lost_in_silence_refuse_the_rewrite(host: InMemoryHost) -> None:
    """The prompt asks for names; the rail enforces it."""
    report, _ = _run(host, _rewrite("- lives in Graz\n"), NAMED)

    assert report.status is CurationStatus.REFUSED
    assert "drops 1 of 3 lines" in report.reason
    assert report.dropped == ("- likes tea", "- likes tea a lot")
    assert _memory(host) == BEFORE


def test_a_rewrite_without_a_report_is_refused(host: InMemoryHost) -> None:
    """Prose is no account."""
    report, _ = _run(host, _rewrite(), ModelReply(text="All done!"))

    assert report.status is CurationStatus.REFUSED
    assert _memory(host) == BEFORE


def test_a_second_rewrite_is_not_taken(host: InMemoryHost) -> None:
    """At most one write; the first one stands and the model is told."""
    report, model = _run(host, _rewrite(), _rewrite("- gone\n"), NAMED)

    assert _last_result(model.calls[2])["error"]["code"] == "one-write"
    assert (report.status, _memory(host)) == (CurationStatus.DONE, AFTER)


@pytest.mark.parametrize(
    "arguments",
    [
        {"target": "memory", "content": "- more\n"},
        {"target": "memory", "old_string": "Graz", "new_string": "Wien"},
        {"target": "notes/a.md", "append": False, "content": "x"},
        {"target": "bootstrap"},
    ],
)
def test_no_other_write_reaches_the_provider(host: InMemoryHost, arguments: dict[str, Any]) -> None:
    """Appends, patches and other documents are answered with an error and never run."""
    before = dict(host.provider.of(ALICE))

    report, model = _run(host, _calls(("write", arguments)), _account())

    assert _last_result(model.calls[1])["error"]["code"] == "not-a-rewrite"
    assert host.provider.of(ALICE) == before
    assert report.status is CurationStatus.DONE


def test_tools_outside_the_pass_are_not_run(host: InMemoryHost) -> None:
    """Declared elsewhere or listed by a greedy manifest: neither is served."""
    greedy = ToolDefinition(id="ironclaw.memory.profile_set", description="", input_schema={})
    curation = replace(PASS, tools=(*TOOLS, greedy))

    for name in ("tree", "profile_set", "nonsense"):
        _, model = _run(host, _calls((name, {"timezone": "UTC"})), _account(), curation=curation)
        assert _last_result(model.calls[1])["error"]["code"] == "undeclared"


def test_a_tools_error_is_a_result_that_the_model_can_act_on(host: InMemoryHost) -> None:
    """A wrong path does not end the pass."""
    report, model = _run(host, _calls(("read", {"path": "none.md"})), _account())

    assert _last_result(model.calls[1])["error"]["code"] == "document-missing"
    assert report.status is CurationStatus.DONE


def test_model_calls_are_limited_by_the_lower_bound(host: InMemoryHost) -> None:
    """The manifest may ask for less than the host's cap, never for more."""
    modest = replace(PASS, max_model_calls=2)
    greedy = replace(PASS, max_model_calls=99)

    for curation, limit in ((modest, 2), (greedy, 3)):
        report, model = _run(
            host, *[READ] * limit, curation=curation, rules=CurationRules(max_model_calls=3)
        )
        assert len(model.calls) == limit == report.model_calls
        assert report.status is CurationStatus.FAILED
        assert f"more than {limit} model calls" in report.reason


def test_tool_calls_are_limited_in_one_reply_too(host: InMemoryHost) -> None:
    """Thirteen at once are one too many, and what was proposed before is dropped."""
    flood = _calls(*[("read", {"path": "MEMORY.md"})] * 12)

    report, _ = _run(host, _rewrite(), flood)

    assert report.status is CurationStatus.FAILED
    assert "more than 12 tool calls" in report.reason
    assert _memory(host) == BEFORE


def test_the_time_is_limited_and_the_model_knows_how_much_is_left(host: InMemoryHost) -> None:
    """Ninety seconds on the host's clock; an answer that comes later is not used."""
    now = [0.0]

    def slow(reply: ModelReply, seconds: float) -> Callable[[ModelCall], ModelReply]:
        def answer(_: ModelCall) -> ModelReply:
            now[0] += seconds
            return reply

        return answer

    report, model = _run(
        host, slow(READ, 60), slow(_rewrite(), 20), slow(NAMED, 11), clock=lambda: now[0]
    )

    assert [call.timeout_seconds for call in model.calls] == [90.0, 30.0, 10.0]
    assert report.status is CurationStatus.FAILED
    assert "longer than 90 seconds" in report.reason
    assert _memory(host) == BEFORE


def test_a_users_write_during_the_pass_wins(host: InMemoryHost) -> None:
    """What the model read is no longer what stands there, so its rewrite is void."""

    def while_the_user_writes(_: ModelCall) -> ModelReply:
        host.provider.of(ALICE)["MEMORY.md"] += "- new fact\n"
        return NAMED

    report, _ = _run(host, _rewrite(), while_the_user_writes)

    assert report.status is CurationStatus.REFUSED
    assert "changed meanwhile" in report.reason
    assert _memory(host) == BEFORE + "- new fact\n"


class _RacingHost(InMemoryHost):
    """Lets the user rewrite the document after the last look and before the write."""

    def call(self, tool_id: str, arguments: Mapping[str, Any], **rest: Any) -> object:
        if tool_id.endswith("write"):
            self.provider.of(ALICE)["MEMORY.md"] = "- the user's own words\n"
        return super().call(tool_id, arguments, **rest)


def test_a_users_write_at_the_last_moment_wins_too() -> None:
    """The write itself compares the whole document, so there is no gap."""
    host = _RacingHost()
    host.provider.of(ALICE)["MEMORY.md"] = BEFORE

    report, _ = _run(host, _rewrite(), NAMED)

    assert report.status is CurationStatus.REFUSED
    assert _memory(host) == "- the user's own words\n"


def test_a_lost_claim_writes_nothing(host: InMemoryHost) -> None:
    """Whoever has it now may have written already."""
    report, _ = _run(host, _rewrite(), NAMED, still_held=False)

    assert report.status is CurationStatus.FAILED
    assert _memory(host) == BEFORE


@pytest.mark.parametrize(
    "error", [ModelUnavailable("No answer."), RuntimeError("secret text"), KeyError("x")]
)
def test_a_model_that_fails_is_a_failed_pass(host: InMemoryHost, error: Exception) -> None:
    """Its own words stay out of the report."""
    report, _ = _run(host, _rewrite(), error)

    assert report.status is CurationStatus.FAILED
    assert "secret text" not in report.reason
    assert _memory(host) == BEFORE


class _FailingHost(InMemoryHost):
    """Fails one tool with one error."""

    def __init__(self, tool: str, error: Exception) -> None:
        super().__init__()
        self.provider.of(ALICE)["MEMORY.md"] = BEFORE
        self._fails = (f"ironclaw.memory.{tool}", error)

    def call(self, tool_id: str, arguments: Mapping[str, Any], **rest: Any) -> object:
        if tool_id == self._fails[0]:
            raise self._fails[1]
        return super().call(tool_id, arguments, **rest)


@pytest.mark.parametrize(
    "answered",
    [
        None,
        "In order.",
        {"text": "In order."},
        ModelReply(text=None),  # type: ignore[arg-type]
        ModelReply(tool_calls=None),  # type: ignore[arg-type]
        ModelReply(tool_calls=("read",)),  # type: ignore[arg-type]
        _calls(("read", '{"path": "MEMORY.md"}')),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_reply_fails_the_pass_and_says_what_one_is(
    host: InMemoryHost, answered: Any
) -> None:
    """Whose fault it is, and what to return instead."""
    report, _ = _run(host, lambda _: answered)

    assert (report.status, report.model_calls) == (CurationStatus.FAILED, 1)
    assert "language model's reply" in report.reason
    assert "`ModelReply(text=…)`" in report.reason
    assert _memory(host) == BEFORE


def test_an_asynchronous_model_is_told_apart_from_a_defect_of_the_host(host: InMemoryHost) -> None:
    """Its reply is a coroutine, which nobody awaits."""

    async def reply() -> ModelReply:
        return NAMED

    waiting = reply()
    report, _ = _run(host, lambda _: waiting)  # type: ignore[arg-type,return-value]
    waiting.close()

    assert report.status is CurationStatus.FAILED
    assert "(coroutine)" in report.reason


def test_a_refused_write_is_a_failed_pass() -> None:
    """The provider's write safety has the last word."""
    host = _FailingHost("write", OperationFailed("It reads as an instruction."))

    report, _ = _run(host, _rewrite(), NAMED)

    assert (report.status, report.changed) == (CurationStatus.FAILED, False)
    assert report.reason == "It reads as an instruction."


def test_prompt_and_errors_call_tools_by_the_names_that_the_model_has_them_by() -> None:
    """Those that the pass does not have keep their ids."""
    problem = OperationFailed("ironclaw.memory.search failed.", hint="`ironclaw-memory search`.")
    prompt = "Read with `ironclaw.memory.read`, without ironclaw.memory.tree."

    _, model = _run(
        _FailingHost("search", problem),
        _calls(("search", {"query": "tea"})),
        NAMED,
        curation=replace(PASS, prompt=prompt),
    )

    assert model.calls[0].messages[0].content == (
        "Read with `ironclaw__memory__read`, without ironclaw.memory.tree."
    )
    assert _last_result(model.calls[1])["error"]["message"] == (
        "ironclaw__memory__search failed. The ironclaw__memory__search tool."
    )


def test_an_approval_gate_in_the_middle_ends_the_pass() -> None:
    """A model is not left to try its way around a refusal."""
    host = _FailingHost("search", ApprovalRequired("Needs approval."))

    report, model = _run(host, _calls(("search", {"query": "tea"})), NAMED)

    assert report.status is CurationStatus.FAILED
    assert len(model.calls) == 1


def test_an_outage_before_the_first_model_call_is_a_failed_pass() -> None:
    """Without the document there is nothing to talk about."""
    host = _FailingHost("read", ProviderUnavailable("Down."))

    report, model = _run(host)

    assert (report.status, model.calls) == (CurationStatus.FAILED, [])
