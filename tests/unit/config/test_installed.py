"""What the build wrote beside the bundled component is read as it was written, or not at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ironclaw_memory import installed
from ironclaw_memory.errors import ComponentUnreadable


@pytest.fixture
def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file beside a component that is there."""
    (tmp_path / "memory.wasm").write_bytes(b"")
    monkeypatch.setattr(installed, "BUNDLED", tmp_path / "memory.wasm")
    installed._described.cache_clear()
    yield tmp_path / "memory.wasm.json"
    installed._described.cache_clear()


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        "{",
        "{}",
        "[]",
        "7",
        '{"sha256": 7, "package": {}}',
        '{"sha256": "", "package": {}}',
        '{"sha256": null}',
        '{"sha256": "' + "0" * 64 + '"}',
        "[" * 100_000,
    ],
    ids=range(10),
)
def test_a_damaged_description_of_the_component_is_named_as_such(
    described: Path, damaged: str
) -> None:
    """Whether it is no JSON, or JSON of another form; every command needs it."""
    described.write_text(damaged)
    with pytest.raises(ComponentUnreadable, match="missing or damaged"):
        installed.bundled()
