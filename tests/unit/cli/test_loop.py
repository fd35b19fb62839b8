"""What an agent's loop does, and permissions, from the command line."""

import json
from typing import Any

import pytest
from tests.unit.cli.conftest import ME, CommandLine

from ironclaw_memory.adapters.cli.commands import loop
from ironclaw_memory.adapters.cli.trouble import degraded
from ironclaw_memory.recall.lanes import Degradation, DegradationKind, Lane


def test_call_is_gated_as_a_models_call(run: CommandLine) -> None:
    """The operator's act does not help here."""
    run.host.writes_allowed = False
    ran = run("call", "ironclaw.memory.write", '{"target": "memory", "content": "x"}')
    assert (ran.code, run.documents) == (3, {})


def test_call_takes_json_from_a_pipe_and_short_names(run: CommandLine) -> None:
    """`memory_write` and `write` mean the tool of the standard namespace."""
    run("call", "memory_write", "-", stdin=b'{"target": "memory", "content": "x"}')
    assert run.documents["MEMORY.md"] == "x\n"


@pytest.mark.parametrize("text", ["[]", "{", '"x"', "[" * 500 + "]" * 500])
def test_arguments_of_a_call_are_a_json_object(run: CommandLine, text: str) -> None:
    """Anything else is bad input."""
    assert run("call", "write", text).code == 2


def test_the_schema_of_a_tool_needs_no_host(run: CommandLine) -> None:
    """It is our own, and the data is the schema itself."""
    data = run("--json", "tools", "--schema", "ironclaw.memory.read").envelope["data"]
    assert data["required"] == ["path"]
    assert run.opener.settings == []


def test_context_shows_snippets_with_their_names(run: CommandLine) -> None:
    """What would stand in a prompt, and what was left out."""
    run.documents["MEMORY.md"] = "Prefers tea.\n"
    data = run("--json", "context", "which", "drink").envelope["data"]
    assert [set(snippet) for snippet in data["snippets"]] == [{"ref", "text", "lane"}]
    assert data["snippets"][0]["lane"] == "long_term"
    assert "Prefers tea." in run("context", "drink").out


def test_record_takes_messages_from_standard_input(run: CommandLine) -> None:
    """A thread and a run id name the transcript."""
    messages = json.dumps([{"role": "user", "content": "Hello"}]).encode()
    ran = run("--thread", "t1", "record", "--run-id", "r1", stdin=messages)
    assert (ran.code, ran.out) == (0, "Recorded.\n")


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (("--thread", "t1", "record", "--run-id", "r1"), '[{"role": "user", "content": "Hello"}]'),
        (("call", "write", "-"), '{"target": "memory", "content": "x"}'),
    ],
)
def test_json_may_begin_with_a_byte_order_mark(
    run: CommandLine, words: tuple[str, ...], stdin: str
) -> None:
    """Some editors and shells write one; it is no part of the JSON."""
    assert run(*words, stdin=stdin.encode("utf-8-sig")).code == 0


def test_record_without_a_thread_is_bad_input(run: CommandLine) -> None:
    """Whoever records must learn that nothing was kept, on the stream of errors."""
    messages = json.dumps([{"role": "user", "content": "Hello"}]).encode()
    ran = run("record", "--run-id", "r1", stdin=messages)
    assert (ran.code, ran.out) == (2, "")
    assert "--thread" in ran.err


def test_record_of_no_message_says_why(run: CommandLine) -> None:
    """An empty array is a mistake of whoever made it."""
    ran = run("--thread", "t1", "record", "--run-id", "r1", stdin=b"[]")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no message" in ran.err


def test_record_names_what_is_the_matter(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """No id of the run, or a provider that does not record: the messages are not at fault."""
    messages = json.dumps([{"role": "user", "content": "Hello"}]).encode()
    ran = run("--thread", "t1", "record", "--run-id", "", stdin=messages)
    assert (ran.code, "--run-id is empty" in ran.err) == (2, True)
    monkeypatch.setattr(run.host, "keeps_transcripts", False)
    monkeypatch.setattr(run.host, "record_interaction", lambda *_: False)
    ran = run("--thread", "t1", "record", "--run-id", "r1", stdin=messages)
    assert (ran.code, "no hook that records" in ran.err) == (2, True)
    assert "role" not in ran.err


@pytest.mark.parametrize("stdin", [b"", b"{}", b"[1]", b"\xff", b'[{"role": "user"'])
def test_messages_that_do_not_hold_are_bad_input(run: CommandLine, stdin: bytes) -> None:
    """An array of objects, in UTF-8."""
    assert run("record", "--run-id", "r1", stdin=stdin).code == 2


def test_grants_are_given_listed_and_taken_back(run: CommandLine) -> None:
    """For a time and for some uses; by id or by the tool's short name."""
    ran = run("--json", "grant", "write", "--for", "1h30m", "--uses", "3")
    granted = ran.envelope["data"]
    assert granted["tool"] == "ironclaw.memory.write"
    assert granted["expires_ms"] == 4_102_444_800_000 + 5_400_000
    assert granted["uses_left"] == 3
    assert granted["id"] in run("grants").out
    revoked = run("--json", "revoke", "write").envelope["data"]
    assert revoked == {"revoked": [granted["id"]], "left": []}
    assert run("grants").out == "No grants are in force.\n"


def test_a_tool_is_revoked_in_one_scope_or_everywhere(run: CommandLine) -> None:
    """As it is granted in one; what stays elsewhere is said, with the command that ends it."""
    for user in ("ann", "bob", "cat"):
        run("--user", user, "grant", "write")
    ran = run("--user", "ann", "revoke", "write")
    assert "2 grants of it stay" in ran.out
    assert "`ironclaw-memory --user ann revoke --everywhere ironclaw.memory.write`" in ran.out
    assert [grant.user for grant in run.host.standing] == ["bob", "cat"]
    assert run("revoke", "--everywhere", "write").code == 0
    assert run.host.standing == []


def test_a_revocation_that_took_nothing_tells_this_scope_from_others(run: CommandLine) -> None:
    """A grant that stays elsewhere was in force all the time."""
    run("--user", "ann", "grant", "write")
    said = run("--user", "bob", "revoke", "write").out
    assert said.startswith("No grant of this tool was in force in this scope.\n")
    assert "In other scopes 1 grant of it stays;" in said
    assert said.endswith(" takes it back.\n")
    run("revoke", "--everywhere", "write")
    assert run("revoke", "--everywhere", "write").out == "No grant of this tool was in force.\n"


def test_a_grant_of_another_scope_is_revoked_by_its_id(run: CommandLine) -> None:
    """An id names one grant, whoever it is for."""
    granted = run("--json", "--user", "bob", "grant", "write").envelope["data"]
    assert run("revoke", granted["id"]).code == 0
    assert run.host.standing == []


def test_a_mistyped_revocation_does_not_look_like_one(run: CommandLine) -> None:
    """The grant still stands; only a tool that has none is taken back already."""
    run("grant", "write")
    ran = run("revoke", "wirte")
    assert (ran.code, ran.out) == (2, "")
    assert "ironclaw.memory.write" in run("grants").out
    assert run("revoke", "read").code == 0


@pytest.mark.parametrize("text", ["1", "h", "-1h", "1y", "1h 2m", "1.5h", ""])
def test_a_duration_that_does_not_hold_is_bad_input(run: CommandLine, text: str) -> None:
    """Numbers with a unit, and nothing between them."""
    assert run("grant", "write", "--for", text).code == 2


def test_approve_takes_one_way_only(run: CommandLine) -> None:
    """Once and always exclude each other."""
    assert run("approve", "request-1", "--once", "--always").code == 2


def test_profile_set_sends_the_fields_that_were_given(run: CommandLine) -> None:
    """The others stay as they are."""
    run("profile", "set", "--locale", "de-DE")
    assert run.host.asked == [("ironclaw.memory.profile_set", {"locale": "de-DE"})]


def test_follow_has_no_single_envelope(run: CommandLine) -> None:
    """A stream and one object exclude each other."""
    assert run("--json", "audit", "--follow").code == 2


def test_the_scope_of_a_transcript_is_the_one_of_the_flags(run: CommandLine) -> None:
    """The thread is part of the path, the user of the scope."""
    messages = json.dumps([{"role": "user", "content": "Hello"}]).encode()
    run("--thread", "t1", "record", "--run-id", "r1", stdin=messages)
    assert list(run.host.provider.of(ME)) == ["threads/t1/r1.md"]


def test_a_missing_lane_is_not_called_nothing_to_recall() -> None:
    """There may be much to recall; it could not be read."""
    data: dict[str, Any] = {"framing": "", "snippets": [], "degradations": [], "dropped": {}}
    assert loop._text(data) == "Nothing to recall."
    assert loop._text({**data, "degradations": [{"lane": "long_term"}]}) == ""


@pytest.mark.parametrize(
    ("kind", "code", "expected"),
    [
        ("input", "query-blank", 2),
        ("unavailable", "trapped", 4),
        ("unavailable", "root-unusable", 5),
    ],
)
def test_a_missing_lane_is_an_error(kind: str, code: str, expected: int) -> None:
    """With the exit code of what kept it away; the other lane is shown all the same."""
    lane = Degradation(lane=Lane.LONG_TERM, kind=DegradationKind(kind), code=code)
    found = degraded([lane])
    assert found is not None
    assert (found.exit_code, code in found.message) == (expected, True)
    assert degraded([]) is None


@pytest.mark.parametrize("words", ["", " \t"])
def test_a_context_without_a_question_is_bad_input(run: CommandLine, words: str) -> None:
    """As a search is; nothing of the installation has to be mended."""
    ran = run("context", words, "--json")
    assert (ran.code, ran.envelope["error"]["code"]) == (2, "query-blank")
    assert "doctor" not in ran.out
