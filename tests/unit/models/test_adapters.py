"""The adapters against the vendors' own clients, with the network replaced by a function."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import openai
import pytest

from ironclaw_memory.adapters.models.anthropic_messages import AnthropicModel
from ironclaw_memory.adapters.models.openai_compatible import OpenAICompatibleModel
from ironclaw_memory.errors import MissingExtra, ModelUnavailable
from ironclaw_memory.model import Role
from ironclaw_memory.upkeep.dialogue import (
    Model,
    ModelMessage,
    ModelReply,
    ToolCall,
    ToolDefinition,
)


SEARCH = ToolDefinition(
    id="ironclaw.memory.search",
    description="Search.",
    input_schema={"type": "object", "properties": {}},
)
CALL = ToolCall(id="c1", name=SEARCH.name, arguments={"query": "tea"})
DIALOGUE = (
    ModelMessage(role=Role.SYSTEM, content="Curate."),
    ModelMessage(role=Role.USER, content="Now."),
    ModelMessage(role=Role.ASSISTANT, content="", tool_calls=(CALL, CALL)),
    ModelMessage(role=Role.TOOL, content="{}", tool_call_id="c1"),
    ModelMessage(role=Role.TOOL, content="[]", tool_call_id="c1"),
)

Answer = dict[str, Any]
Sent = list[dict[str, Any]]


def _transport(answer: Answer | int, sent: Sent) -> httpx2.MockTransport:
    def respond(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content))
        if isinstance(answer, int):
            return httpx2.Response(answer, json={"error": {"message": "secret"}})
        return httpx2.Response(200, json=answer)

    return httpx2.MockTransport(respond)


def _openai(answer: Answer | int, sent: Sent) -> Model:
    client = openai.OpenAI(
        api_key="k", max_retries=0, http_client=httpx2.Client(transport=_transport(answer, sent))
    )
    return OpenAICompatibleModel(client, model="m")


def _anthropic(answer: Answer | int, sent: Sent) -> Model:
    client = anthropic.Anthropic(
        api_key="k", max_retries=0, http_client=httpx2.Client(transport=_transport(answer, sent))
    )
    return AnthropicModel(client, model="m")


def _completion(**message: Any) -> Answer:
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": None, **message},
    }
    return {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


def _function(arguments: str) -> Answer:
    return {
        "id": "c9",
        "type": "function",
        "function": {"name": SEARCH.name, "arguments": arguments},
    }


def _anthropic_message(*blocks: Answer) -> Answer:
    return {
        "id": "x",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": list(blocks),
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _ask(model: Model) -> ModelReply:
    return model.reply(DIALOGUE, (SEARCH,), timeout_seconds=5)


def test_openai_is_sent_the_dialogue_in_its_own_form() -> None:
    """Roles, tool calls as JSON text, and a schema that it accepts."""
    sent: Sent = []

    _ask(_openai(_completion(content="Done."), sent))

    messages = sent[0]["messages"]
    assert [m["role"] for m in messages] == ["system", "user", "assistant", "tool", "tool"]
    assert messages[2]["tool_calls"][0]["function"] == {
        "name": "ironclaw__memory__search",
        "arguments": '{"query": "tea"}',
    }
    assert messages[3]["tool_call_id"] == "c1"
    assert sent[0]["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}}


def test_openais_text_and_tool_calls_are_read() -> None:
    """Each in the protocol's form."""
    tools = _completion(tool_calls=[_function('{"query": "tea"}')])

    assert _ask(_openai(_completion(content="Done."), [])) == ModelReply(text="Done.")
    assert _ask(_openai(tools, [])) == ModelReply(
        tool_calls=(ToolCall(id="c9", name=SEARCH.name, arguments={"query": "tea"}),)
    )


@pytest.mark.parametrize("arguments", ["", "{", "[]", "[" * 100_000])
def test_arguments_that_are_no_object_are_none(arguments: str) -> None:
    """The tool then says what is missing, and the model can correct itself."""
    reply = _ask(_openai(_completion(tool_calls=[_function(arguments)]), []))

    assert reply.tool_calls[0].arguments == {}


def test_openai_without_tools_is_sent_none() -> None:
    """An empty list is refused by the interface."""
    sent: Sent = []

    _openai(_completion(content="x"), sent).reply(DIALOGUE[:2], (), timeout_seconds=5)

    assert "tools" not in sent[0]


def test_anthropic_is_sent_the_dialogue_in_its_own_form() -> None:
    """The system apart, and the results of one reply together."""
    sent: Sent = []

    _ask(_anthropic(_anthropic_message({"type": "text", "text": "Done."}), sent))

    assert sent[0]["system"] == "Curate."
    assert [m["role"] for m in sent[0]["messages"]] == ["user", "assistant", "user"]
    assert [b["type"] for b in sent[0]["messages"][1]["content"]] == ["tool_use", "tool_use"]
    assert [b["content"] for b in sent[0]["messages"][2]["content"]] == ["{}", "[]"]
    assert sent[0]["tools"][0]["input_schema"] == {"type": "object", "properties": {}}


def test_anthropics_text_and_tool_calls_are_read() -> None:
    """Several blocks make one reply."""
    answer = _anthropic_message(
        {"type": "text", "text": "Let me "},
        {"type": "text", "text": "look."},
        {"type": "tool_use", "id": "c9", "name": SEARCH.name, "input": {"query": "tea"}},
    )

    assert _ask(_anthropic(answer, [])) == ModelReply(
        text="Let me look.",
        tool_calls=(ToolCall(id="c9", name=SEARCH.name, arguments={"query": "tea"}),),
    )


@pytest.mark.parametrize("adapter", [_openai, _anthropic])
@pytest.mark.parametrize("answer", [500, 401, {"choices": []}])
def test_every_failure_is_one_error_without_foreign_words(
    adapter: Callable[[Answer | int, Sent], Model], answer: Answer | int
) -> None:
    """Refused, broken or malformed: the pass learns that there is no answer."""
    with pytest.raises(ModelUnavailable) as caught:
        _ask(adapter(answer, []))

    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("connect", "extra"),
    [(OpenAICompatibleModel.connect, "openai"), (AnthropicModel.connect, "anthropic")],
)
def test_a_missing_extra_prints_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, connect: Callable[[str], Model], extra: str
) -> None:
    """Word for word what to type."""
    monkeypatch.setitem(sys.modules, extra, None)

    with pytest.raises(MissingExtra) as caught:
        connect("m")

    assert f"pip install 'ironclaw-memory[{extra}]'" in caught.value.hint
    assert extra in caught.value.message
    assert "pip" not in caught.value.message


def test_connecting_makes_a_client_of_the_sdk() -> None:
    """The one line that the documentation shows."""
    openai_model = OpenAICompatibleModel.connect("m", base_url="http://localhost:1/v1", api_key="k")

    assert isinstance(openai_model._client, openai.OpenAI)
    assert isinstance(AnthropicModel.connect("m", api_key="k")._client, anthropic.Anthropic)


@pytest.fixture
def keyless(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Nothing that either SDK takes a key from."""
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "ANTHROPIC_"))]:
        monkeypatch.delenv(name)
    for place in ("HOME", "XDG_CONFIG_HOME"):  # of profiles
        monkeypatch.setenv(place, str(tmp_path))
    return monkeypatch


@pytest.mark.parametrize(
    ("connect", "variable"),
    [
        (OpenAICompatibleModel.connect, "OPENAI_API_KEY"),
        (AnthropicModel.connect, "ANTHROPIC_API_KEY"),
    ],
)
def test_a_missing_key_is_said_plainly(
    keyless: pytest.MonkeyPatch, connect: Callable[[str], Model], variable: str
) -> None:
    """Before any request is made; as much where a profile is named that is not there."""
    for _ in range(2):
        with pytest.raises(ModelUnavailable) as caught:
            connect("m")
        assert variable in caught.value.hint
        assert "SDK is not configured" in caught.value.message
        keyless.setenv("ANTHROPIC_PROFILE", "none-such")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ANTHROPIC_API_KEY", "k"),
        ("ANTHROPIC_AUTH_TOKEN", "t"),
        ("ANTHROPIC_CUSTOM_HEADERS", "x-api-key: k"),
    ],
)
def test_whatever_anthropics_sdk_takes_for_a_key_is_one(
    keyless: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """A gateway may want a token, or a header of its own."""
    keyless.setenv(variable, value)
    assert isinstance(AnthropicModel.connect("m")._client, anthropic.Anthropic)
