"""What helps after an error: flags, commands and files as somebody would type them."""

from pathlib import Path

import pytest
from tests.unit.cli.conftest import CommandLine

from ironclaw_memory.errors import OperationFailed


@pytest.mark.parametrize(("flag", "words"), [("--old", ("", "x")), ("--new", ("x", ""))])
def test_an_empty_half_of_a_patch_is_named_by_its_flag(
    run: CommandLine, flag: str, words: tuple[str, str]
) -> None:
    """Nobody typed `new_string`, or `append`."""
    ran = run("patch", "--target", "memory", "--old", words[0], "--new", words[1])
    assert (ran.code, run.host.asked) == (2, [])
    assert ran.err.startswith(f"error: {flag} is empty")


def test_what_a_provider_says_of_a_patch_names_the_flag(run: CommandLine) -> None:
    """The arguments behind the flags are a model's words."""
    run.host.failing = OperationFailed("old_string does not occur in the document.")
    ran = run("patch", "--target", "memory", "--old", "a", "--new", "b")
    assert (ran.code, ran.err) == (4, "error: --old does not occur in the document.\n")


@pytest.mark.parametrize(("typed", "meant"), [("serch", "search"), ("polcy", "policy")])
def test_a_mistyped_command_names_the_one_that_was_meant(
    run: CommandLine, typed: str, meant: str
) -> None:
    """One slip away."""
    ran = run(typed)
    assert (ran.code, f"Did you mean {meant}?" in ran.err) == (2, True)


def test_an_option_that_is_like_no_other_suggests_none(run: CommandLine) -> None:
    """Two letters in common are no likeness."""
    assert "Did you mean" not in run("tree", "--bogus").err
    assert "'--json'" in run("tree", "--jsn").err


def test_a_broken_file_of_settings_is_named_with_its_path(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The terminal is the operator's own."""
    file = tmp_path / "mine.toml"
    monkeypatch.setenv("IRONCLAW_MEMORY_CONFIG", str(file))
    for text in ("nonsense = 1", "secrets = 'maybe'"):
        file.write_text(text)
        assert str(file) in run("config", "list").err.splitlines()[-1]


def test_the_list_of_settings_ends_with_the_file(run: CommandLine, tmp_path: Path) -> None:
    """Who wants to change one knows where."""
    last = run("config", "list").out.splitlines()[-1]
    assert str(tmp_path / "config") in last
    assert last.endswith("config.toml, which is not there.")


def test_the_help_of_a_command_names_the_shared_options(run: CommandLine) -> None:
    """They are accepted there, and not in its own list."""
    for words in (("tree",), ("policy",), ("policy", "ask")):
        out = " ".join(run(*words, "--help").out.split())
        assert "Every command takes --root, --tenant, --user," in out
