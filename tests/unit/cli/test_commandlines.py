"""Commands that a person copies out of a message."""

import re
import shlex
from pathlib import Path

import pytest
from tests.unit.cli.conftest import CommandLine

from ironclaw_memory import config
from ironclaw_memory.adapters.cli.commandlines import command_line, completed
from ironclaw_memory.adapters.cli.render.owners import owner
from ironclaw_memory.errors import RequestError


ODD = Path("/srv/my memory's")


def test_a_quoted_command_gets_the_flags_that_were_given() -> None:
    """So that it reaches the same memory when it is typed as it stands."""
    text = completed("Run `ironclaw-memory doctor` first.", {"root": ODD, "user": "bob"})
    (command,) = re.findall("`(.*)`", text)
    assert shlex.split(command) == [
        "ironclaw-memory",
        "--root",
        str(ODD),
        "--user",
        "bob",
        "doctor",
    ]


def test_what_a_provider_offers_is_asked_of_the_provider_in_use() -> None:
    """Unless the command names one itself."""
    provider = {"provider": ODD}
    (asked,) = re.findall("`(.*)`", completed("`ironclaw-memory component info`", provider))
    assert shlex.split(asked)[1:3] == ["--provider", str(ODD)]
    named = "`ironclaw-memory component info FILE`"
    assert completed(named, provider) == named


@pytest.mark.parametrize(
    "text",
    [
        "`ironclaw-memory grant write --user bob`",
        "`ironclaw-memory read --help` shows how.",
        "Use a path such as `notes/a.md`.",
    ],
)
def test_what_needs_no_flag_stays_as_it_is(text: str) -> None:
    """A flag that is there already, a page that is the same everywhere, no command at all."""
    assert completed(text, {"user": "bob", "json": True, "thread": "t1"}) == text


def test_without_flags_a_command_stays_as_it_is() -> None:
    """The environment is the same in the next command."""
    assert command_line({}, "restore", "a b.md", "3") == "`ironclaw-memory restore 'a b.md' 3`"


def test_a_hint_reaches_the_memory_that_the_command_was_about(run: CommandLine) -> None:
    """In words for people and in the envelope for programs."""
    run.host.failing = RequestError("No.", hint="`ironclaw-memory tree` lists them.")
    hint = "`ironclaw-memory --user bob tree` lists them."
    assert hint in run("read", "none.md", "--user", "bob").err
    error = run("--user", "bob", "read", "none.md", "--json").envelope["error"]
    assert error["hint"] == hint


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("tenant:local:user:me:project:_none", "me"),
        ("tenant:acme:user:ada:agent:coder:project:site", "ada of acme, agent coder, project site"),
        ("importer", "importer"),
    ],
)
def test_an_owner_is_a_person(key: str, shown: str) -> None:
    """What is no owner key stays as it is."""
    assert owner(key) == shown


def test_the_grant_that_a_server_names_has_a_root_only_where_it_is_needed(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Another shell finds the platform's own directory without being told."""
    served: list[tuple[str, ...]] = []
    monkeypatch.setattr(
        "ironclaw_memory.adapters.cli.commands.mcp.serve",
        lambda *_, flags, **__: served.append(flags),
    )
    usual = config.load({}).root
    run("mcp", "--root", str(tmp_path))
    monkeypatch.setenv("IRONCLAW_MEMORY_HOME", str(usual))
    run("mcp")
    run("mcp", "--root", str(usual))
    assert served == [("--root", str(tmp_path)), (), ()]


def test_a_token_file_may_begin_with_a_byte_order_mark(
    run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some editors write one; no client could send it."""
    token, tokens = "0123456789abcdef" * 2, list[str]()
    monkeypatch.setattr(
        "ironclaw_memory.adapters.cli.commands.mcp.serve",
        lambda *_, http, **__: tokens.append(http.token),
    )
    (tmp_path / "token").write_text(f"{token}\n", encoding="utf-8-sig")
    run("mcp", "--http", "--token-file", str(tmp_path / "token"))
    assert tokens == [token]
