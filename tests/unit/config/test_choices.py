"""What a caller of `MemoryHost.open` may choose; a misspelt choice opens nothing."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ironclaw_memory import AsyncMemoryHost, MemoryHost
from ironclaw_memory.config import chosen
from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.sandbox.limits import Limits


WRONG: list[tuple[str, Any, str]] = [
    ("isolation", "proces", "thread, process or call"),
    ("isolation", "", "thread, process or call"),
    ("isolation", True, "thread, process or call"),
    ("secrets", "rejcet", "reject, redact or allow"),
    ("transcript_secrets", 3, "reject, redact or allow"),
    ("root", "", "the path of a directory"),
    ("provider", "", "the path of a file"),
    ("limits", {"deadline_ms": 1}, "Limits(deadline_ms=5000)"),
    ("limits", Limits(deadline_ms="1"), "Limits(deadline_ms=5000)"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("name", "given", "advice"), WRONG)
def test_a_choice_that_is_none_is_refused_by_its_name(
    name: str, given: Any, advice: str, tmp_path: Path
) -> None:
    """Falling back on a weaker isolation, or failing at the first call, would be worse."""
    with pytest.raises(InvalidArguments) as refused:
        MemoryHost.open(**{"root": tmp_path / "root", name: given})
    assert refused.value.field == name
    assert refused.value.message.startswith(name)
    assert advice in f"{refused.value.message} {refused.value.hint}"
    assert not (tmp_path / "root").exists()


def test_an_event_loop_is_told_the_same(tmp_path: Path) -> None:
    """When the opening is awaited."""

    async def opened() -> None:
        await AsyncMemoryHost.open(root=tmp_path, isolation="proces")

    with pytest.raises(InvalidArguments, match=r"^isolation"):
        asyncio.run(opened())


def test_a_choice_wins_over_the_configured_one_and_none_leaves_it() -> None:
    """As a flag does on a command line."""
    assert chosen("isolation", "call", "process") == "call"
    assert chosen("isolation", None, "process") == "process"
