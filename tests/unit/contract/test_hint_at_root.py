"""A hint's commands name the data directory for a person, and lose it again for a model."""

import shlex

import pytest

from ironclaw_memory.contract.for_models import hint_at_root, hint_for_model


HINT = "Type `ironclaw-memory grant x --origin loop_run`. Or `ironclaw-memory approve r --once`."


@pytest.mark.parametrize(
    "root", ["/srv/memory", "/srv/my memory", "/srv/it's", r"C:\memory\1", "/é"]
)
def test_a_root_goes_in_and_out_again(root: str) -> None:
    """Quoted as a shell needs it, and gone without a trace."""
    reaching = hint_at_root(HINT, root)
    assert reaching.count(f" --root {shlex.quote(root)}`") == 2
    assert hint_for_model(reaching) == hint_for_model(HINT)


@pytest.mark.parametrize("root", ["/srv/`id`", "/srv/a\nb"])
def test_a_root_that_would_break_a_command_is_not_written_out(root: str) -> None:
    """What is left says that it is needed."""
    assert root not in hint_at_root(HINT, root)
    assert "--root" in hint_at_root(HINT, root)
