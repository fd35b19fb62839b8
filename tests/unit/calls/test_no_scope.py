"""Whose memory a call is about is asked before anything else."""

import inspect
from pathlib import Path
from typing import Any

import pytest
from tests.unit.calls.bench_of_one import ScriptedGuest, native_package, wired
from tests.unit.calls.scripted_host import ScriptedHost

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.host import MemoryHost


IDS: Any = {"tenant": "acme", "user": "ada"}
RECALLS = {"read_lane"}  # reached through `load_context`
TEXT = {"origin": "loop_run", "tool_id": "ironclaw.memory.write"}


def parameters_of(name: str) -> dict[str, inspect.Parameter]:
    """Return what a method takes besides the host, without what can be left out."""
    found = inspect.signature(getattr(MemoryHost, name)).parameters.values()
    return {one.name: one for one in found if one.name != "self" and one.default is one.empty}


def methods() -> list[str]:
    """Every public method that is about one scope."""
    names = (name for name in dir(MemoryHost) if callable(getattr(MemoryHost, name)))
    public = {name for name in names if not name.startswith("_")} - {"open"} - RECALLS
    return sorted(name for name in public if "scope" in parameters_of(name))


@pytest.mark.parametrize("name", methods())
def test_a_dictionary_is_no_scope(name: str, tmp_path: Path) -> None:
    """It says what to give instead; nothing runs and nothing is written."""
    guest = ScriptedGuest()
    host = ScriptedHost(wired(tmp_path, guest, package=native_package()))
    before = sorted(tmp_path.rglob("*"))
    given = {one: IDS if one == "scope" else TEXT.get(one, "x") for one in parameters_of(name)}
    with pytest.raises(InvalidArguments) as refused:
        getattr(host, name)(**given)
    assert (refused.value.field, guest.calls) == ("scope", [])
    assert "Scope(tenant=" in refused.value.hint
    assert sorted(tmp_path.rglob("*")) == before
