"""The whole loop on the bundled provider: recall, tools, recording, counting, curation."""

import json
import multiprocessing
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from ironclaw_memory import AsyncMemorySession, MemoryHost, MemorySession, Scope
from ironclaw_memory.adapters.cli import main
from ironclaw_memory.testing import ModelCall, ScriptedModel
from ironclaw_memory.upkeep.dialogue import ModelReply, ToolCall
from ironclaw_memory.upkeep.report import CurationReport, CurationStatus


pytestmark = pytest.mark.sandbox

WRITE = "ironclaw.memory.write"
ALICE = Scope(tenant="acme", user="alice", thread="t1")
TURN = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
BEFORE = "- likes tea\n- likes tea a lot\n- lives in Graz\n"
AFTER = "- likes tea a lot\n- lives in Graz\n"
ACCOUNT = ModelReply(
    text=json.dumps({"removed": ["- likes tea"], "entries_merged": 1, "summary": "Merged."})
)
NOTHING_TO_DO = ModelReply(text=json.dumps({"summary": "In order."}))


def _rewrite(content: str) -> ModelReply:
    arguments = {"target": "memory", "append": False, "content": content}
    call = ToolCall(id="c1", name="ironclaw__memory__write", arguments=arguments)
    return ModelReply(tool_calls=(call,))


@pytest.fixture(name="host")
def _host(tmp_path: Path) -> Iterator[MemoryHost]:
    with MemoryHost.open(root=tmp_path) as host:
        yield host


def _grant(host: MemoryHost) -> None:
    host.grant(WRITE, scope=ALICE)


def _remember(host: MemoryHost, text: str, scope: Scope = ALICE, **more: Any) -> None:
    host.call_as_operator(WRITE, {"target": "memory", "content": text, **more}, scope=scope)


def _memory(host: MemoryHost) -> str:
    output = host.call_as_operator("ironclaw.memory.read", {"path": "MEMORY.md"}, scope=ALICE)
    assert isinstance(output, dict)
    return str(output["content"])


def _curate(host: MemoryHost, *script: Any, dry_run: bool = False) -> CurationReport:
    (report,) = host.curate(ALICE, ScriptedModel(script), dry_run=dry_run)
    return report


def test_a_turn_is_recorded_and_recalled_in_its_thread_only(host: MemoryHost) -> None:
    """Short-term recall brings back this conversation and not another one."""
    with MemorySession(host, ALICE) as memory:
        memory.before_turn("My cat is called Fermat.")
        report = memory.after_turn([{"role": "user", "content": "My cat is called Fermat."}])
        again = memory.before_turn("What is my cat called?")
    elsewhere = Scope(tenant="acme", user="alice", thread="t2")
    with MemorySession(host, elsewhere) as memory:
        other = memory.before_turn("What is my cat called?")

    assert (report.recorded, report.turns, report.failures) == (True, 1, ())
    assert any("Fermat" in snippet.text for snippet in again.snippets)
    assert not any("Fermat" in snippet.text for snippet in other.snippets)


def test_guidance_names_the_tools_and_a_fresh_agent_is_told_how_to_get_a_grant(
    host: MemoryHost,
) -> None:
    """Without the one standing grant a save is refused, and the result says what helps."""
    with MemorySession(host, ALICE) as memory:
        result = memory.call("ironclaw__memory__write", {"target": "memory", "content": "x"})
        guidance = memory.before_turn("Hi").guidance
        offered = {tool.name for tool in memory.tools()}

    error = json.loads(result.content)["error"]
    assert result.is_error
    assert error["message"].startswith("ironclaw__memory__write needs approval")
    assert f"`ironclaw-memory grant {WRITE} " in error["hint"]
    assert set(re.findall(r"ironclaw[\w.]+\w", guidance)) == offered


def test_a_pass_rewrites_the_document_and_one_version_brings_it_back(host: MemoryHost) -> None:
    """Curated, kept, restored by the report's own command, whatever directory is configured."""
    _grant(host)
    _remember(host, BEFORE, append=False)

    report = _curate(host, _rewrite(AFTER), ACCOUNT)

    assert (report.status, report.reason) == (CurationStatus.DONE, "")
    assert _memory(host) == AFTER
    assert main(shlex.split(report.restore)[1:]) == 0
    assert _memory(host) == BEFORE


def test_a_pass_without_a_grant_is_skipped_before_the_model_is_asked(host: MemoryHost) -> None:
    """A missing grant costs nothing; a dry run needs none."""
    _remember(host, BEFORE, append=False)

    skipped = _curate(host)
    shown = _curate(host, _rewrite(AFTER), ACCOUNT, dry_run=True)

    assert (skipped.status, skipped.model_calls) == (CurationStatus.SKIPPED, 0)
    assert "grant" in skipped.reason
    assert shown.status is CurationStatus.DRY_RUN
    assert "-- likes tea" in shown.diff
    assert _memory(host) == BEFORE


def test_a_users_write_during_a_pass_wins(host: MemoryHost) -> None:
    """The rewrite was made from what no longer stands there."""
    _grant(host)
    _remember(host, BEFORE, append=False)

    def while_the_user_writes(_: ModelCall) -> ModelReply:
        _remember(host, "- new fact")
        return ACCOUNT

    report = _curate(host, _rewrite(AFTER), while_the_user_writes)

    assert report.status is CurationStatus.REFUSED
    assert _memory(host) == f"{BEFORE}- new fact\n"


async def test_the_asynchronous_session_works_on_the_sandbox(host: MemoryHost) -> None:
    """The same loop with ``await``."""
    _remember(host, "Likes tea.")
    async with AsyncMemorySession(host, ALICE) as memory:
        context = await memory.before_turn("What do I drink?")
        found = await memory.call("ironclaw__memory__search", {"query": "tea"})
        report = await memory.after_turn(TURN)

    assert any("Likes tea." in snippet.text for snippet in context.snippets)
    assert not found.is_error
    assert report.recorded


def test_agents_of_many_users_share_a_host_on_threads(host: MemoryHost) -> None:
    """Each gets its own memory back, every turn of each is counted once."""
    start, outcomes = Barrier(4, timeout=120), {}

    def live(user: str) -> None:
        scope = Scope(tenant="acme", user=user, thread="t")
        _remember(host, f"The word of {user} is {user * 2}.", scope)
        start.wait()
        with MemorySession(host, scope) as memory:
            texts, turns = [], 0
            for number in range(3):
                texts.append(memory.before_turn(f"What is my word? {number}").text)
                turns = memory.after_turn(TURN).turns
        outcomes[user] = (texts, turns)

    users = ["ann", "bob", "cem", "dia"]
    threads = [Thread(target=live, args=(user,)) for user in users]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(240)

    for user in users:
        texts, turns = outcomes[user]
        assert turns == 3
        assert all(f"{user * 2}." in text for text in texts)
        assert not any(
            f"{other * 2}." in text for other in users if other != user for text in texts
        )


def _live_in_a_process(root: Path, name: str, start: Any, results: Any) -> None:
    with MemoryHost.open(root=root) as host:
        model = ScriptedModel([NOTHING_TO_DO])
        scope = Scope(tenant="acme", user="alice", thread=name)
        with MemorySession(host, scope, model=model) as memory:
            start.wait(120)
            reports = []
            for number in range(5):
                memory.before_turn(f"Turn {number}")
                reports.append(memory.after_turn(TURN))
    results.put(
        {
            "recorded": sum(report.recorded for report in reports),
            "passes": sum(len(report.curation) for report in reports),
            "failures": [f.code for report in reports for f in report.failures],
            "turns": max(report.turns for report in reports),
        }
    )


def test_two_hosts_serve_one_user_and_run_one_pass(host: MemoryHost, tmp_path: Path) -> None:
    """Five turns each make ten: nothing is lost, and the pass that is due runs once."""
    _grant(host)
    _remember(host, BEFORE, append=False)
    spawn = multiprocessing.get_context("spawn")
    start, results = spawn.Barrier(2), spawn.Queue()
    hosts = [
        spawn.Process(target=_live_in_a_process, args=(tmp_path, name, start, results))
        for name in ("a", "b")
    ]
    for process in hosts:
        process.start()
    outcomes = [results.get(timeout=300) for _ in hosts]
    for process in hosts:
        process.join(60)

    assert [outcome["failures"] for outcome in outcomes] == [[], []]
    assert [outcome["recorded"] for outcome in outcomes] == [5, 5]
    assert sum(outcome["passes"] for outcome in outcomes) == 1
    assert max(outcome["turns"] for outcome in outcomes) == 10
