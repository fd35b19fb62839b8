"""The public doubles behave as their documentation says."""

import pytest

from ironclaw_memory.errors import InvalidArguments, OperationFailed, UndeclaredTool
from ironclaw_memory.model import Message, ProviderEvent, Role, Scope
from ironclaw_memory.recall import Lane
from ironclaw_memory.testing import InMemoryProvider, RecordingSink, ScriptedModel
from ironclaw_memory.upkeep.dialogue import ModelMessage, ModelReply


ALICE = Scope(tenant="acme", user="alice", thread="t1")
BOB = Scope(tenant="acme", user="bob", thread="t1")
HELLO = (ModelMessage(role=Role.USER, content="Hi"),)


def test_a_scripted_model_says_its_lines_and_keeps_what_it_was_given() -> None:
    """Replies, functions and errors, in order."""
    model = ScriptedModel(
        [
            ModelReply(text="one"),
            lambda call: ModelReply(text=call.messages[0].content),
            ValueError("three"),
        ]
    )

    assert model.reply(HELLO, (), timeout_seconds=1).text == "one"
    assert model.reply(HELLO, (), timeout_seconds=2).text == "Hi"
    with pytest.raises(ValueError, match="three"):
        model.reply(HELLO, (), timeout_seconds=3)
    with pytest.raises(AssertionError, match="call 4"):
        model.reply(HELLO, (), timeout_seconds=4)
    assert [call.timeout_seconds for call in model.calls] == [1, 2, 3, 4]


def test_a_sink_records_until_it_is_broken() -> None:
    """A broken sink answers false and keeps nothing."""
    sink, event = RecordingSink(), ProviderEvent(kind="document-written")

    assert sink.emit(event, now_ms=1)
    sink.broken = True
    assert not sink.emit(event, now_ms=2)
    assert sink.events == [event]


def _write(provider: InMemoryProvider, **arguments: object) -> object:
    return provider.call("ironclaw.memory.write", arguments, ALICE)


def test_the_provider_appends_replaces_and_patches() -> None:
    """The three ways to write, and reading back."""
    provider = InMemoryProvider()

    _write(provider, target="memory", content="likes tea ")
    _write(provider, target="memory", content="lives in Graz")
    assert provider.of(ALICE)["MEMORY.md"] == "likes tea\nlives in Graz\n"
    _write(provider, target="MEMORY.md", old_string="Graz", new_string="Wien")
    assert "Wien" in str(provider.call("ironclaw.memory.read", {"path": "MEMORY.md"}, ALICE))
    _write(provider, target="memory", content="x", append=False)
    assert provider.of(ALICE)["MEMORY.md"] == "x"


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("read", {"path": "none.md"}, InvalidArguments),
        ("write", {"target": "memory", "content": " "}, InvalidArguments),
        ("write", {"target": "a.md", "old_string": "x", "new_string": "y"}, OperationFailed),
        ("write", {"target": "b.md", "old_string": "z", "new_string": "y"}, InvalidArguments),
        ("delete", {}, UndeclaredTool),
    ],
)
def test_the_provider_fails_as_a_real_one_does(
    tool: str, arguments: dict[str, object], error: type[Exception]
) -> None:
    """The same kinds of error for the same mistakes."""
    provider = InMemoryProvider()
    provider.of(ALICE)["b.md"] = "text"

    with pytest.raises(error):
        provider.call(f"ironclaw.memory.{tool}", arguments, ALICE)


def test_scopes_and_lanes_stay_apart() -> None:
    """Another user finds nothing, and a transcript is short-term only."""
    provider = InMemoryProvider()
    provider.of(ALICE).update({"MEMORY.md": "likes tea", "notes/a.md": "green tea", "b.md": "x"})
    provider.record(ALICE, [Message(role=Role.USER, content="tea please")], "r1")

    def paths(lane: Lane, scope: Scope) -> list[str]:
        return [s.path for s in provider.read_lane(lane, scope, "tea", 8, "default")]

    assert paths(Lane.LONG_TERM, ALICE) == ["MEMORY.md", "notes/a.md"]
    assert paths(Lane.SHORT_TERM, ALICE) == ["threads/t1/r1.md"]
    assert paths(Lane.LONG_TERM, BOB) == paths(Lane.SHORT_TERM, BOB) == []
    assert provider.call("ironclaw.memory.tree", {}, BOB) == []


def test_search_returns_what_shares_words() -> None:
    """Most shared words first."""
    provider = InMemoryProvider()
    provider.of(ALICE).update({"a.md": "green tea", "b.md": "tea", "c.md": "coffee"})

    output = provider.call("ironclaw.memory.search", {"query": "Green TEA"}, ALICE)

    assert isinstance(output, dict)
    assert [hit["path"] for hit in output["results"]] == ["a.md", "b.md"]


def test_nothing_is_recorded_without_a_thread_or_messages() -> None:
    """As the contract says: no error, not recorded."""
    provider = InMemoryProvider()

    assert not provider.record(ALICE, [], "r1")
    assert not provider.record(
        Scope(tenant="acme", user="alice"), [Message(role=Role.USER, content="x")], "r1"
    )
