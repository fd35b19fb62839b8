"""Questions at a terminal, and the answer no."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.cli.conftest import CommandLine
from tests.unit.cli.test_documents import SNAPSHOT

from ironclaw_memory.errors import AccessRefused


@pytest.fixture
def person(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """A command line with somebody at its terminal."""
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    for module in ("removal", "transfer"):
        monkeypatch.setattr(f"ironclaw_memory.adapters.cli.commands.{module}.sys", terminal)
    return run


def test_no_to_an_erasure_changes_nothing_and_is_no_error(person: CommandLine) -> None:
    """It ends like every other refusal, in a sentence without blame."""
    person.documents["a.md"] = "tea\n"
    ran = person("erase", "a.md", stdin=b"n\n")
    assert (ran.code, person.documents) == (AccessRefused.exit_code, {"a.md": "tea\n"})
    assert ran.err.splitlines()[-1].endswith("Nothing was changed.")
    assert "error" not in ran.err


@pytest.mark.parametrize(
    ("number", "said"), [(0, "known of it, for good?"), (2, ", and 2 snapshots of this scope, ")]
)
def test_whoever_is_asked_about_an_erasure_learns_what_it_takes_along(
    person: CommandLine, number: int, said: str
) -> None:
    """The snapshots hold all the other documents, too."""
    person.documents["a.md"] = "tea\n"
    person.host.taken += number * [SNAPSHOT]
    assert said in person("erase", "a.md", stdin=b"n\n").err


def test_no_to_an_import_changes_nothing(person: CommandLine, tmp_path: Path) -> None:
    """Programs are told by the code `declined`."""
    (tmp_path / "a.md").write_text("tea\n")
    ran = person("--json", "import", str(tmp_path), stdin=b"n\n")
    assert (ran.code, person.documents) == (AccessRefused.exit_code, {})
    assert ran.envelope["error"]["code"] == "declined"


def test_an_end_of_input_is_no_answer(person: CommandLine) -> None:
    """It interrupts, as Ctrl-C does."""
    person.documents["a.md"] = "tea\n"
    assert (person("erase", "a.md").code, len(person.documents)) == (130, 1)
