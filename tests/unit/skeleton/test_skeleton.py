"""What ``component new`` writes, and that the tutorial shows the code that is there."""

import re
import tomllib
from pathlib import Path

import pytest

from ironclaw_memory.assets import data_root
from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.manifest import read_package
from ironclaw_memory.package import Carried
from ironclaw_memory.skeleton import TEMPLATE, write_skeleton


REPOSITORY = Path(__file__).parents[3]
MINIMAL = REPOSITORY / "component" / "minimal"


def test_a_new_provider_has_its_own_names(tmp_path: Path) -> None:
    """Nothing of the tutorial's names is left in the files or in what they say."""
    written = write_skeleton(tmp_path / "my-notes")

    names = {path.relative_to(tmp_path / "my-notes").as_posix() for path in written}
    assert {"manifest.toml", "README.md", "requirements.txt", "my_notes/app.py"} <= names
    left = [
        path.name
        for path in written
        if re.search("minimal_memory|example.minimal", path.read_text())
    ]
    assert left == []


def test_a_new_manifest_holds(tmp_path: Path) -> None:
    """What is written can be built: its manifest is valid and has an id of its own."""
    write_skeleton(tmp_path / "notes")
    text = (tmp_path / "notes" / "manifest.toml").read_text(encoding="utf-8")
    schemas = {
        path.relative_to(data_root()).as_posix(): path.read_text(encoding="utf-8")
        for path in (data_root() / "schemas").rglob("*.json")
    }

    package = read_package(Carried(manifest=text, files=schemas))

    assert package.manifest.id == "example.notes"
    assert [tool.id for tool in package.manifest.tools] == [
        "example.notes.read",
        "example.notes.write",
    ]


@pytest.mark.parametrize(
    "name",
    [
        *("9lives", "My Memory", "näme", "a" * 60, "minimal_memory", "json", "class"),
        *("wit_world", "wit-world", "poll-loop", "componentize_py_types", "componentize-py-mine"),
    ],
)
def test_a_name_that_is_no_package_is_refused(name: str, tmp_path: Path) -> None:
    """Nothing is written then."""
    with pytest.raises(InvalidArguments):
        write_skeleton(tmp_path / name)

    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    """A directory with anything in it is left alone."""
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "manifest.toml").write_text("mine", encoding="utf-8")

    with pytest.raises(InvalidArguments):
        write_skeleton(tmp_path / "taken")

    assert (tmp_path / "taken" / "manifest.toml").read_text(encoding="utf-8") == "mine"


def test_the_wheel_carries_the_template_where_it_is_looked_for() -> None:
    """The same relative place in a checkout and in the wheel's data."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    carried = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]

    assert carried[TEMPLATE.as_posix()] == f"ironclaw_memory/_data/{TEMPLATE.as_posix()}"


@pytest.mark.parametrize(
    "snippet",
    re.findall(
        r"```(?:toml|python)\n(.*?)\n```", (MINIMAL / "README.md").read_text("utf-8"), re.DOTALL
    ),
)
def test_the_tutorial_shows_code_that_is_there(snippet: str) -> None:
    """Every snippet of the README stands in one of the files, to the letter."""
    sources = [
        path.read_text(encoding="utf-8")
        for path in MINIMAL.rglob("*.*")
        if path.suffix in {".py", ".toml"}
    ]

    assert any(snippet in source for source in sources)
