"""The global options, the environment, the file, and `config list`."""

from functools import partial
from pathlib import Path

import pytest
from tests.unit.cli.conftest import CommandLine

from ironclaw_memory import config
from ironclaw_memory.adapters.cli.invocation import Invocation, open_memory_host
from ironclaw_memory.adapters.cli.program import COMMANDS, program
from ironclaw_memory.adapters.cli.verb import Verb
from ironclaw_memory.errors import InvalidArguments, SettingsUnreadable
from ironclaw_memory.model import SCOPE_IDS


def test_options_go_before_and_after_the_verb(run: CommandLine) -> None:
    """Both places are read, and the later one wins."""
    run("--tenant", "acme", "--user", "ann", "tree", "--user", "bob", "--agent", "a1")
    settings = run.opener.settings[0]
    assert (settings.tenant, settings.user, settings.agent) == ("acme", "bob", "a1")


def test_options_reach_the_verbs_of_a_group(run: CommandLine) -> None:
    """`profile` takes them as well as `profile set`."""
    run("profile", "--user", "ann", "set", "--locale", "de", "--tenant", "acme")
    settings = run.opener.settings[0]
    assert (settings.tenant, settings.user) == ("acme", "ann")


def test_a_flag_wins_over_environment_file_and_default(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`config list` shows each value with its origin."""
    file = tmp_path / "config.toml"
    file.write_text('tenant = "f"\nuser = "f"\nagent = "f"\n[limits]\ndeadline_ms = 9\n')
    for name, value in {"CONFIG": str(file), "TENANT": "e", "USER": "e"}.items():
        monkeypatch.setenv(f"IRONCLAW_MEMORY_{name}", value)
    listed = run("--json", "config", "list", "--tenant", "x").envelope["data"]
    found = {row["name"]: (row["value"], row["origin"]) for row in listed}
    assert found["tenant"] == ("x", "flag")
    assert found["user"] == ("e", "environment")
    assert found["agent"] == ("f", "file")
    assert found["project"] == (None, "default")
    assert found["secrets"] == ("reject", "default")
    assert found["limits.deadline_ms"] == (9, "file")


def test_the_default_scope_is_one_person_on_one_machine() -> None:
    """It is documented and shows in `config list`."""
    settings = config.load({})
    assert (settings.tenant, settings.user, settings.agent) == ("local", "me", None)


def test_an_empty_variable_counts_as_absent() -> None:
    """As in most programs."""
    assert config.load({"IRONCLAW_MEMORY_USER": ""}).user == "me"


@pytest.mark.parametrize(
    "text", ["tenant = 3", "nonsense = 1", "= broken", "limits = 3", '[limits]\na = "x"']
)
def test_a_file_that_does_not_hold_is_an_error(tmp_path: Path, text: str) -> None:
    """Nothing is guessed from half a file."""
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(InvalidArguments):
        config.load({"IRONCLAW_MEMORY_CONFIG": str(file)})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\n\nuser = ada\n", "line 3 of it is no TOML"),
        ('user = "ada', "the end of it is no TOML"),
        ('usr = "ada"', "unknown key, 'usr'"),
        ('usr = "ada"', "root, cache, tenant, user, "),
        ("[limits]\ndeadline = 1", "unknown key, 'limits.deadline'"),
        ("[limits]\ndeadline = 1", "[limits] takes deadline_ms, "),
        ("[limits]\ndeadline_ms = -1", "limits.deadline_ms must be a whole number, 0 or more"),
        ("user = 3", "user in config.toml must be text in quotes."),
        ("user = true", "user in config.toml must be text in quotes."),
        ("json = 2", "json in config.toml must be 1, true, yes or on, or else 0, "),
        ('cache = ""', "cache in config.toml is empty and must be the path of a directory."),
        ('secrets = "no"', "secrets in config.toml must be reject, redact or allow."),
        *((f'{name} = ""', f"{name} in config.toml is empty") for name in SCOPE_IDS),
        ('user = "a/b"', "user in config.toml contains a separator"),
    ],
)
def test_an_error_of_the_file_says_where_and_what_is_allowed(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, words: str
) -> None:
    """Every such mistake is bad input, and the file is named."""
    file = tmp_path / "config.toml"
    file.write_text(text)
    monkeypatch.setenv("IRONCLAW_MEMORY_CONFIG", str(file))
    ran = run("tree")
    assert (ran.code, words in ran.err) == (2, True), ran.err
    assert f"The file is {file}." in ran.err


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    """Only the platform's own may be absent."""
    for missing in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(InvalidArguments, match="configuration file"):
            config.load({"IRONCLAW_MEMORY_CONFIG": str(missing)})


def test_a_file_that_is_there_and_cannot_be_read_is_a_fault_of_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody asked wrongly."""

    def refused(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", refused)
    with pytest.raises(SettingsUnreadable, match="Permission denied"):
        config.load({"IRONCLAW_MEMORY_CONFIG": str(tmp_path / "config.toml")})


@pytest.mark.parametrize("name", ["root", "provider"])
@pytest.mark.parametrize("place", [0, 1], ids=["before", "after"])
def test_an_empty_place_is_not_the_current_directory(
    run: CommandLine, name: str, place: int
) -> None:
    """A shell makes one of a variable that is not set."""
    words = ["tree"]
    words[place:place] = [f"--{name}", ""]
    ran = run(*words)
    assert (ran.code, ran.err.startswith(f"error: --{name} is empty ")) == (2, True)
    assert run.opener.settings == []


def test_a_value_outside_its_set_names_the_set() -> None:
    """The error says what would hold."""
    with pytest.raises(InvalidArguments) as raised:
        config.load({"IRONCLAW_MEMORY_ISOLATION": "none"})
    assert raised.value.message.endswith("_ISOLATION must be thread, process or call.")


def test_an_unknown_limit_is_refused_before_a_host_opens(tmp_path: Path) -> None:
    """A typing error in a limit must not silently leave the default in force."""
    file = tmp_path / "config.toml"
    file.write_text("[limits]\ndeadline = 1\n")
    settings = config.load({"IRONCLAW_MEMORY_CONFIG": str(file)})
    with pytest.raises(InvalidArguments, match=r"configuration file.*limits\.deadline"):
        open_memory_host(settings, lambda done, total: None)


def test_a_limit_that_is_no_number_is_named(tmp_path: Path) -> None:
    """The error says which key of the file to correct."""
    file = tmp_path / "config.toml"
    file.write_text("[limits]\ndeadline_ms = 'soon'\n")
    with pytest.raises(InvalidArguments, match=r"configuration file.*limits\.deadline_ms"):
        config.load({"IRONCLAW_MEMORY_CONFIG": str(file)})


def test_a_switch_is_on_or_off(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any other word is refused like every bad value, with the variable's name."""
    monkeypatch.setenv("IRONCLAW_MEMORY_JSON", "maybe")
    ran = run("tree")
    assert ran.code == 2
    assert "IRONCLAW_MEMORY_JSON" in ran.err
    assert config.load({"IRONCLAW_MEMORY_JSON": "Off"}).json is False
    assert config.load({"IRONCLAW_MEMORY_JSON": "yes"}).json is True


@pytest.mark.parametrize("name", [name for topic in COMMANDS.values() for name in topic])
def test_every_command_has_help_with_the_global_options_working(
    run: CommandLine, name: str
) -> None:
    """`--help` of every command prints and ends with 0."""
    ran = run(name, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: ironclaw-memory {name}")


def test_help_lists_every_command_with_a_sentence(run: CommandLine) -> None:
    """The first page is complete, and names the exit codes."""
    out = run("--help").out
    assert "5 host fault" in out
    assert all(f"\n  {name} " in out for topic in COMMANDS.values() for name in topic)


def test_every_example_names_an_existing_command() -> None:
    """Examples are command lines of ours; the contract tests run the README's."""
    context = program.make_context("ironclaw-memory", ["config"], resilient_parsing=True)
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        for example in getattr(command, "examples", ()) if isinstance(command, Verb) else ():
            assert f"ironclaw-memory {name}" in example or f" {name} " in example


def test_completion_names_the_program(run: CommandLine) -> None:
    """The script calls us back through click's variable."""
    assert "_IRONCLAW_MEMORY_COMPLETE" in run("completion", "zsh").out


def test_version_is_printed(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends with 0 and needs no host."""
    monkeypatch.setattr("importlib.metadata.version", lambda name: "1.2.3")
    assert run("--version").out == "ironclaw-memory 1.2.3\n"


def test_an_unknown_limit_is_an_error_where_no_host_is_opened_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`config list` would show it as if it held."""
    file = tmp_path / "config.toml"
    file.write_text("[limits]\nfoo = 1\n")
    monkeypatch.setattr(
        "ironclaw_memory.config.load", partial(config.load, {"IRONCLAW_MEMORY_CONFIG": str(file)})
    )
    with pytest.raises(InvalidArguments, match=r"limits\.foo"):
        Invocation().config  # noqa: B018 - reading it is the act
