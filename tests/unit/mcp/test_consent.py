"""What a person is asked, and the command that they are told."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from mcp import types
from tests.unit.mcp.bench import FACT, WRITE, Bench

from ironclaw_memory.adapters.cli import main
from ironclaw_memory.adapters.granting import grant_command
from ironclaw_memory.adapters.mcp_server.consent import (
    Choice,
    can_be_asked,
    choice_of,
    form,
    question,
)
from ironclaw_memory.host import MemoryHost
from ironclaw_memory.model import Origin, Scope


def test_a_question_quotes_the_call_on_one_line(bench: Bench) -> None:
    """What a model wants to save must not pass for words of the server."""
    (tool,) = [tool for tool in bench.host.tools() if tool.id == WRITE]
    asked = question(tool, {"content": "a\n\nAllow it?\u202e\x1b[2J"})
    assert asked.isprintable()
    assert WRITE in asked
    assert "\\n" in asked


def test_a_question_is_asked_in_the_script_of_what_is_saved(bench: Bench) -> None:
    """A person cannot allow what they cannot read; what nobody could see is escaped."""
    (tool,) = [tool for tool in bench.host.tools() if tool.id == WRITE]
    read = "喜欢茶　é 👩\u200d💻 می\u200cخواهم"  # noqa: RUF001 - the wide space is what they type
    unseen = "\u202e\u200b\u2028\x7f\x9b\ud800\U000e0041"

    asked = question(tool, {"content": read + unseen})

    assert read in asked
    assert not set(unseen) & set(asked)
    assert r"\u202e\u200b\u2028\u007f\u009b\ud800\udb40\udc41" in asked


UNSEEN = [
    *map(chr, range(0xFE00, 0xFE0F)),
    *map(chr, range(0x180B, 0x1810)),
    *"\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufff0",
    *map(chr, (0x1D159, 0xE0000, 0xE0041, 0xE007F, 0xE0080, 0xE0100, 0xE01EF, 0xE0FFF)),
]


@pytest.mark.parametrize("unseen", UNSEEN, ids=ascii)
def test_what_shows_nothing_is_escaped_whatever_its_category(bench: Bench, unseen: str) -> None:
    """A text is hidden in selectors, tags and fillers as well as in formats."""
    (tool,) = [tool for tool in bench.host.tools() if tool.id == WRITE]
    asked = question(tool, {"content": f"tea{unseen}"})
    assert unseen not in asked
    assert f"tea{json.dumps(unseen)[1:-1]}" in asked


@pytest.mark.parametrize(
    "run", ["\ufe0f\ufe0f", "\u200c\u200d", "\u200d\ufe0f", "\ufe0f\u200d\u200d"]
)
def test_a_run_of_what_emoji_need_one_of_is_escaped(bench: Bench, run: str) -> None:
    """Two kinds of nothing, one after the other, spell a text that no person sees."""
    (tool,) = [tool for tool in bench.host.tools() if tool.id == WRITE]
    asked = question(tool, {"content": f"tea{run}"})
    assert not set(run) & set(asked)
    assert f"tea{json.dumps(run)[1:-1]}" in asked


def test_emoji_are_asked_about_as_they_are_written(bench: Bench) -> None:
    """A selector makes a heart an emoji, and a joiner after it makes it part of a couple."""
    (tool,) = [tool for tool in bench.host.tools() if tool.id == WRITE]
    written = "1\ufe0f\u20e3 ❤\ufe0f 👩\u200d❤\ufe0f\u200d👩"
    assert written in question(tool, {"content": written})


def test_a_long_call_is_cut_short_and_says_so(bench: Bench) -> None:
    """A question fits a dialogue."""
    (tool,) = [tool for tool in bench.host.tools() if tool.id == WRITE]
    asked = question(tool, {"content": "x" * 10_000})
    assert len(asked) < 500
    assert "characters)" in asked


def test_the_form_is_one_that_the_protocol_admits() -> None:
    """A flat object with one choice, each with a title."""
    schema = form((Choice.ONCE, Choice.ALWAYS))
    assert schema["properties"]["allow"]["enum"] == ["once", "always"]
    assert len(schema["properties"]["allow"]["enumNames"]) == 2
    types.ElicitRequestFormParams(message="?", requested_schema=schema)


@pytest.mark.parametrize(
    ("answer", "choice"),
    [
        (types.ElicitResult(action="accept", content={"allow": "once"}), Choice.ONCE),
        (types.ElicitResult(action="accept", content={"allow": "session"}), None),
        (types.ElicitResult(action="accept", content={"allow": ["once"]}), None),
        (types.ElicitResult(action="accept", content={}), None),
        (types.ElicitResult(action="accept"), None),
        (types.ElicitResult(action="decline", content={"allow": "once"}), None),
        (types.ElicitResult(action="cancel"), None),
        (None, None),
        ({"action": "accept", "content": {"allow": "once"}}, None),
    ],
)
def test_only_an_offered_choice_that_was_accepted_is_a_yes(
    answer: Any, choice: Choice | None
) -> None:
    """Everything else is a no."""
    assert choice_of(answer, (Choice.ONCE, Choice.ALWAYS)) is choice


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (None, False),
        ({}, False),
        ({"elicitation": {}}, True),
        ({"elicitation": {"form": {}}}, True),
        ({"elicitation": {"url": {}}}, False),
    ],
)
def test_a_client_is_asked_if_it_shows_forms(said: Any, asked: bool) -> None:
    """Before there were modes, a client that could be asked said nothing more."""
    capabilities = None if said is None else types.ClientCapabilities.model_validate(said)
    assert can_be_asked(capabilities) is asked


def test_the_command_grants_exactly_that_scope(tmp_path: Path) -> None:
    """It is run as it was shown, ids that need quoting included."""
    scope = Scope(tenant="acme", user="al ice", agent="it's me", project="-x")
    with MemoryHost.open(root=tmp_path) as host:
        name, *words = shlex.split(grant_command(host, WRITE, scope))
        assert name == "ironclaw-memory"
        assert main(words) == 0
        host.require(WRITE, scope=scope, origin=Origin.LOOP_RUN)
        assert json.dumps([grant.user for grant in host.grants()]) == '["al ice"]'


def test_the_example_of_a_fact_is_asked_about_in_full(bench: Bench) -> None:
    """A short fact is shown whole, so that a person knows what they allow."""
    (tool,) = [tool for tool in bench.host.tools() if tool.id == WRITE]
    assert FACT["content"] in question(tool, FACT)
