"""Exit codes, the one JSON envelope, and errors in two lines."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from tests.unit.cli.conftest import CommandLine, nobody

from ironclaw_memory.adapters.cli.entry import main
from ironclaw_memory.adapters.cli.failures import failure_of
from ironclaw_memory.errors import (
    AccessDenied,
    ApprovalRequired,
    InvalidArguments,
    IronclawMemoryError,
    LimitExceeded,
    ScopeBusy,
)


FULL = Path("/dev/full")
ERRORS = [
    (InvalidArguments("path: is bad.", field="path", hint="Better."), 2),
    (AccessDenied("No.", code="forbidden", hint="Nothing."), 3),
    (ApprovalRequired("Not yet.", request_id="request-1", hint="Ask."), 3),
    (LimitExceeded("Too long.", limit="deadline_ms"), 4),
    (ScopeBusy("Busy.", holder="process 1"), 5),
]
KEYS = ["ok", "command", "scope", "data", "error", "duration_ms"]


def only_object(text: str) -> dict[str, Any]:
    """Return the object in *text*, which holds one line and nothing else."""
    assert text.endswith("\n")
    assert text.count("\n") == 1
    value: dict[str, Any] = json.loads(text)
    return value


def test_success_has_the_tools_own_output_as_data(run: CommandLine) -> None:
    """The envelope names command and scope and carries what the tool answered."""
    run.documents["a.md"] = "two words\n"
    ran = run("--json", "--project", "p", "read", "--project", "", "a.md")
    assert ran.code == 2  # an empty project is not an absent one
    envelope = only_object(run("--json", "read", "a.md").out)
    assert list(envelope) == KEYS
    assert envelope["ok"] is True
    assert envelope["command"] == "read"
    assert envelope["data"] == {"path": "a.md", "content": "two words\n", "word_count": 2}
    assert envelope["scope"] == {
        "tenant": "local",
        "user": "me",
        "agent": None,
        "project": None,
        "thread": None,
    }
    assert envelope["error"] is None
    assert isinstance(envelope["duration_ms"], int)


def test_the_version_is_an_answer_too(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, or one envelope, wherever the flag stands and whatever the settings are worth."""
    monkeypatch.setattr("importlib.metadata.version", lambda _: "7.8.9")
    assert run("--version").out == "ironclaw-memory 7.8.9\n"
    monkeypatch.setenv("IRONCLAW_MEMORY_SECRETS", "nonsense")
    assert run("--version").out == "ironclaw-memory 7.8.9\n"
    for words in (("--json", "--version"), ("--version", "--json")):
        ran = run(*words)
        assert (ran.code, ran.err) == (0, "")
        envelope = only_object(ran.out)
        assert list(envelope) == KEYS
        assert (envelope["ok"], envelope["data"]) == (True, {"version": "7.8.9"})


@pytest.mark.parametrize(("error", "code"), ERRORS, ids=lambda value: getattr(value, "code", value))
def test_each_branch_of_the_error_tree_has_its_exit_code(
    run: CommandLine, error: IronclawMemoryError, code: int
) -> None:
    """In both forms, with nothing on the other stream."""
    run.host.failing = error
    plain = run("read", "a.md")
    assert (plain.code, plain.out) == (code, "")
    assert plain.err.splitlines()[0] == f"error: {error.message}"
    machine = run("read", "a.md", "--json")
    envelope = only_object(machine.out)
    assert (machine.code, machine.err) == (code, "")
    assert (envelope["ok"], envelope["data"]) == (False, None)
    waits = {"request_id"} if isinstance(error, ApprovalRequired) else set()
    assert set(envelope["error"]) == {"code", "message", "hint"} | waits
    assert envelope["error"]["code"] == error.code


def test_an_envelope_on_a_terminal_is_printable_and_the_same_json(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Controls, C1 and DEL among them, and overrides of direction are escaped; a pipe gets them."""
    text = "caf\u00e9 \x9b2J \x7f \u202e \x1b]0;x\x07\n"
    run.documents["a.md"] = text
    assert '"caf\u00e9 \x9b2J \x7f \u202e ' in run("read", "a.md", "--json").out

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown = run("read", "a.md", "--json").out

    assert shown.removesuffix("\n").isprintable()
    assert only_object(shown)["data"]["content"] == text


def test_an_approval_names_the_command_that_allows_the_call(run: CommandLine) -> None:
    """The hint can be copied."""
    run.host.failing = ApprovalRequired("Not yet.", request_id="request-1", hint="Ask.")
    assert "`ironclaw-memory approve request-1 --once`" in run("write", "x").err


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("read",), "read"),
        (("read", "--none"), "read"),
        (("none",), None),
        (("--none",), None),
        (("profile", "none"), "profile"),
        (("tree", "--depth", "x"), "tree"),
        (("profile", "set"), "profile set"),
    ],
)
def test_wrong_usage_is_bad_input_in_both_forms(
    run: CommandLine, words: tuple[str, ...], command: str | None
) -> None:
    """A command line that is not understood ends with 2 and one line, or one envelope."""
    plain = run(*words)
    assert (plain.code, plain.out) == (2, "")
    assert [line.split(":")[0] for line in plain.err.splitlines()] == ["error", "hint"]
    machine = run(*words, "--json")
    envelope = only_object(machine.out)
    assert (machine.code, machine.err, envelope["command"]) == (2, "", command)
    assert envelope["error"]["code"] == "usage"


def test_an_unexpected_error_shows_where_only_when_asked(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line and exit code 5; a traceback with IRONCLAW_MEMORY_DEBUG alone."""
    run.host.failing = RuntimeError("secret words")
    ran = run("read", "a.md")
    assert (ran.code, ran.err.splitlines()[0]) == (5, "error: Unexpected RuntimeError.")
    assert "secret words" not in ran.err
    monkeypatch.setenv("IRONCLAW_MEMORY_DEBUG", "1")
    assert "Traceback" in run("read", "a.md").err


def test_what_the_system_refuses_is_no_bug_of_ours(run: CommandLine) -> None:
    """Its own words, without the path, and nothing to report."""
    run.host.failing = PermissionError(13, "Permission denied", "/a/secret/place")
    ran = run("read", "a.md")
    assert (ran.code, "Permission denied" in ran.err) == (5, True)
    assert "secret" not in ran.err
    assert "report" not in ran.err


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full, which Linux has")
def test_an_output_that_takes_nothing_is_said_on_the_other(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk behind standard output ends with two lines, also where JSON was asked for."""
    with FULL.open("w", encoding="utf-8") as full, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", full)
        code = main(["--json", "completion", "bash"], open_host=run.opener)
    assert (code, "No space left" in run.capture.readouterr().err) == (5, True)


def test_an_invalid_scope_has_no_scope_in_its_envelope(run: CommandLine) -> None:
    """The envelope stays whole where the scope cannot be built."""
    envelope = only_object(run("--json", "--user", "a/b", "read", "x").out)
    assert (envelope["scope"], envelope["error"]["code"]) == (None, "invalid-scope")


def test_ctrl_c_ends_with_130(run: CommandLine) -> None:
    """As shells have it."""
    run.host.failing = KeyboardInterrupt()
    assert run("read", "a.md").code == 130
    assert failure_of(click.Abort()).exit_code == 130


@pytest.mark.parametrize(
    "words",
    [
        ("read", "a.md"),
        ("read", "a.md", "--json"),
        ("--help",),
        ("component", "info", "--help"),
        ("audit", "--follow"),
    ],
    ids=" ".join,
)
def test_a_reader_that_left_is_no_error(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """`| head` ends a command quietly, whether it answers, helps or goes on."""
    run.documents["a.md"] = "tea\n"
    entries = [SimpleNamespace(fields={"at_ms": 0})] * 2
    monkeypatch.setattr(run.host, "audit", lambda *_, **__: entries, raising=False)
    with nobody(monkeypatch, "stdout"):
        code = main(list(words), open_host=run.opener)
    assert (code, run.capture.readouterr().err) == (0, "")


def test_a_question_that_nobody_can_read_interrupts(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was done, and no exit code says that it was."""
    run.documents["a.md"] = "tea\n"
    terminal = io.StringIO("y\n")
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    with nobody(monkeypatch, "stderr"):
        code = main(["erase", "a.md"], open_host=run.opener)
    assert (code, run.documents) == (130, {"a.md": "tea\n"})
    with nobody(monkeypatch, "stderr"):
        code = main(["--json", "erase", "a.md"], open_host=run.opener)
    error = only_object(run.capture.readouterr().out)["error"]
    assert (code, error["code"]) == (130, "interrupted")


def test_a_report_that_nobody_reads_takes_nothing_back(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The archive on standard output is whole; a missing command stays bad input."""
    with nobody(monkeypatch, "stderr"):
        codes = [main(words, open_host=run.opener) for words in (["export", "-"], [])]
    assert codes == [0, 2]


def test_the_shell_learns_of_a_completion_that_failed(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """click ends that by itself, with its own code."""
    monkeypatch.setenv("_IRONCLAW_MEMORY_COMPLETE", "foo_source")
    assert run().code == 1
    monkeypatch.setenv("_IRONCLAW_MEMORY_COMPLETE", "fish_source")
    assert run().code == 0


def test_the_host_is_closed_after_a_failure(run: CommandLine) -> None:
    """Whatever happens, the host's lifetime ends with the command."""
    run.host.failing = LimitExceeded("Too long.", limit="deadline_ms")
    run("read", "a.md")
    assert run.host.closed


@pytest.mark.parametrize("words", [(), ("profile",), ("component",)])
def test_without_a_command_there_is_help_and_the_code_of_bad_input(
    run: CommandLine, words: tuple[str, ...]
) -> None:
    """Help for people, an envelope for programs."""
    plain = run(*words)
    assert (plain.code, plain.out) == (2, "")
    assert plain.err.startswith("Usage: ironclaw-memory")
    machine = run(*words, "--json")
    assert (machine.code, machine.err, machine.envelope["error"]["code"]) == (2, "", "usage")
