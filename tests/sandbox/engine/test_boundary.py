"""Values across the boundary: every function of the contract, both ways."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sandbox.engine.conftest import Bench

from ironclaw_memory.errors import InvalidArguments, UndeclaredTool
from ironclaw_memory.model import Failure, Message, Role
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.contract import SIGNATURES
from ironclaw_memory.sandbox.engine import Engine
from ironclaw_memory.sandbox.instance import Program


pytestmark = pytest.mark.sandbox

WRITE = {
    "target": "memory",
    "content": "é",
    "append": True,
    "old_string": None,
    "new_string": None,
    "replace_all": False,
    "metadata": None,
    "timezone": None,
}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=50)


def test_the_contract_table_is_the_wit(probe: Artifact, cache: Cache) -> None:
    """A component built from ``wit/`` has exactly the functions and types of the table."""
    engine = Engine()
    program = Program(engine, cache.load(engine, probe))

    program.check_contract()
    assert program.interfaces() == {interface for interface, _ in SIGNATURES}


def test_records_arrive_as_dictionaries(threads: Bench) -> None:
    """Numbers at their limits, enums as words, absent options as none."""
    assert threads.plain("tools", "read", request={"path": "x"}) == {
        "path": "x",
        "content": "xx",
        "word_count": 2**32 - 1,
    }
    assert threads.plain("tools", "write", request=WRITE) == {
        "status": "written",
        "path": "memory",
        "append": True,
        "content_length": 2,
        "replacements": None,
        "message": None,
    }
    assert threads.plain("upkeep", "history", request={"path": "x"})["versions"] == [
        {
            "number": 1,
            "hash": "sha256:" + "0" * 64,
            "size": 2**64 - 1,
            "unix_ms": 0,
            "changed_by": "me",
            "erased": False,
        }
    ]


def test_lists_of_objects_and_several_parameters(threads: Bench) -> None:
    """Frozen dataclasses and enums lower like dictionaries and words."""
    messages = [Message(role=Role.USER, content="a"), Message(role=Role.ASSISTANT, content="b")]

    answer = threads.plain(
        "lifecycle", "record-interaction", messages=messages, thread_id=None, run_id="r"
    )

    assert answer == {"recorded": True}


def test_options_arrive_and_stay_away(threads: Bench) -> None:
    """A thread that is given is told from one that is not."""
    request = {"query": "q", "max_snippets": 1, "context_profile": "default"}

    lane = threads.plain("lifecycle", "read-short-term", request=request, thread_id="th")
    other = threads.plain("lifecycle", "read-short-term", request=request, thread_id=None)

    assert [lane["snippets"][0]["path"], other["snippets"][0]["path"]] == ["th", ""]
    assert lane["snippets"][0]["agent_id"] == "a"
    assert lane["snippets"][0]["project_id"] is None


@pytest.mark.parametrize(
    ("interface", "function"), [pair for pair in SIGNATURES if pair[0] == "upkeep"]
)
def test_every_function_of_upkeep_answers(threads: Bench, interface: str, function: str) -> None:
    """One request that has all fields anybody asks for serves them all."""
    row = {"number": 1, "hash": "h", "size": 1, "unix_ms": 2, "changed_by": "", "erased": True}
    request = {
        "path": "p",
        "number": 1,
        "to": "q",
        "after": None,
        "dry_run": True,
        "paths": ["a", "b"],
        "everything": False,
        "budget_ms": 10,
        "repair": False,
        "row": row,
        "content": None,
        "query": "q",
        "limit": 1,
    }

    assert isinstance(threads.plain(interface, function, request=request), dict)


def test_a_failure_of_the_provider_is_a_value(bench: Bench) -> None:
    """The error side of a result is no exception here: the caller knows the sentences."""
    answer = bench.ask("fail", kind="unavailable", code="index-stale", field="query")

    assert answer == Failure(kind="unavailable", code="index-stale", field_name="query")


@given(text=TEXT)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_text_crosses_unchanged(threads: Bench, text: str) -> None:
    """Any text, NUL and emoji included."""
    reply = threads.plain("tools", "read", request={"path": text})

    assert reply["path"] == text
    assert reply["content"] == text * 2


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"limit": -1}, "limit"),
        ({"limit": 2**32}, "limit"),
        ({"limit": True}, "limit"),
        ({"limit": 1.0}, "limit"),
        ({"limit": None}, "limit"),
        ({"query": 1}, "query"),
        ({"query": b"x"}, "query"),
        ({"query": "\ud800"}, "query"),
    ],
)
def test_what_does_not_fit_never_enters(bench: Bench, change: dict[str, Any], field: str) -> None:
    """The engine would wrap, truncate or abort; the host names the field instead."""
    with pytest.raises(InvalidArguments) as caught:
        bench.plain("tools", "search", request={"query": "q", "limit": 1, **change})

    assert caught.value.field == field
    assert bench.ask("echo", text="alive") == "alive"


def test_missing_fields_and_foreign_forms_are_named(threads: Bench) -> None:
    """A request that lacks a field, and one that is no record at all."""
    for request, field in (({"query": "q"}, "limit"), ("q", "query"), (None, "query")):
        with pytest.raises(InvalidArguments) as caught:
            threads.plain("tools", "search", request=request)
        assert caught.value.field == field


def test_an_enum_word_is_checked_before_it_enters(threads: Bench) -> None:
    """A word that the type does not have would kill the instance (tech-notes.md section 0.2)."""
    message = {"role": "developer", "content": "", "name": None}

    with pytest.raises(InvalidArguments, match="one of user, assistant"):
        threads.plain(
            "lifecycle", "record-interaction", messages=[message], thread_id=None, run_id=None
        )


def test_a_function_that_is_not_there_is_named(threads: Bench) -> None:
    """Asking for what the contract does not have is the host's mistake, and no crash."""
    with pytest.raises(UndeclaredTool, match=r"tools\.format-disk"):
        threads.plain("tools", "format-disk", request={})
