"""A hint's commands say for a person where memory is, and lose it again for a model."""

import shlex

import pytest

from ironclaw_memory.contract.for_models import hint_for_model, hint_naming, hint_reaching


HINT = "Type `ironclaw-memory grant x --origin loop_run`. Or `ironclaw-memory approve r --once`."


@pytest.mark.parametrize(
    "path", ["/srv/memory", "/srv/my memory", "/srv/it's", r"C:\memory\1", "/é"]
)
def test_a_directory_and_a_provider_go_in_and_out_again(path: str) -> None:
    """Quoted as a shell needs it; a model's user is told that they are needed, the model not what."""
    reaching = hint_reaching(HINT, {"--root": path, "--provider": path})
    quoted = shlex.quote(path)
    assert reaching.count(f" --root {quoted} --provider {quoted}`") == 2
    told = hint_for_model(reaching, {})
    assert (
        told
        == f"{hint_for_model(HINT, {})} Give the command this host's own --root and --provider."
    )


def test_without_flags_a_hint_stays_as_it_is() -> None:
    """A command line finds the configured memory by itself."""
    assert hint_reaching(HINT, {}) == HINT


@pytest.mark.parametrize("root", ["/srv/`id`", "/srv/a\nb"])
def test_a_root_that_would_break_a_command_is_not_written_out(root: str) -> None:
    """What is left says that it is needed."""
    told = hint_reaching(HINT, {"--root": root})
    assert root not in told
    assert hint_for_model(told, {}).endswith(" this host's own --root.")


@pytest.mark.parametrize("root", ["/srv/memory", "/srv/`id`"])
def test_a_command_is_completed_once(root: str) -> None:
    """One call of the host is made within another."""
    told = hint_reaching(HINT, {"--root": root})
    assert hint_reaching(told, {"--root": root}) == told


@pytest.mark.parametrize(("path", "quoted"), [("/a b", "'/a b'"), ("/a`b", "FILE"), ("/é", "'/é'")])
def test_a_file_is_named_where_a_shell_can_be_given_it(path: str, quoted: str) -> None:
    """Quoted as it needs it."""
    hint = "Type `ironclaw-memory component install FILE`."
    assert hint_naming(hint, "FILE", path) == hint.replace("FILE", quoted)


def test_a_hint_without_a_command_stays_as_it_is() -> None:
    """Nothing in it could reach another memory."""
    assert hint_reaching("Choose another path.", {"--root": "/srv/`id`"}) == "Choose another path."
