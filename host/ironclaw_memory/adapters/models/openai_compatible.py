"""Models behind the chat completions interface of OpenAI and of those who copy it.

    model = OpenAICompatibleModel.connect("gpt-5-mini")
    model = OpenAICompatibleModel.connect("qwen3", base_url="http://localhost:11434/v1", api_key="-")

Needs ``pip install "ironclaw-memory[openai]"``.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Self

from ironclaw_memory.errors import MissingExtra, ModelUnavailable
from ironclaw_memory.upkeep.dialogue import ModelMessage, ModelReply, ToolCall, ToolDefinition


class OpenAICompatibleModel:
    """A `Model` on an ``openai.OpenAI`` client, which stays the caller's to close."""

    def __init__(self, client: Any, *, model: str) -> None:
        """Use *client* for every reply."""
        self._client = client
        self._model = model

    @classmethod
    def connect(
        cls, model: str, *, base_url: str | None = None, api_key: str | None = None
    ) -> Self:
        """Make a client; what is not given comes from the SDK's own configuration.

        Raises `MissingExtra` where the SDK is not installed, and `ModelUnavailable` where
        it finds no key.
        """
        try:
            import openai  # noqa: PLC0415 - an extra
        except ImportError:
            raise MissingExtra("The OpenAI-compatible model adapter", extra="openai") from None
        try:
            client = openai.OpenAI(base_url=base_url, api_key=api_key)
        except openai.OpenAIError:
            raise ModelUnavailable(
                "The OpenAI SDK is not configured.",
                hint="Set OPENAI_API_KEY; a server that wants no key takes any text.",
            ) from None
        return cls(client, model=model)

    def reply(
        self,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolDefinition],
        *,
        timeout_seconds: float,
    ) -> ModelReply:
        """Return the first choice. Raises `ModelUnavailable`."""
        try:
            completion = self._client.chat.completions.create(
                model=self._model,
                messages=[_message(message) for message in messages],
                **({"tools": [_tool(tool) for tool in tools]} if tools else {}),
                timeout=timeout_seconds,
            )
            answer = completion.choices[0].message
            calls = tuple(_call(call) for call in answer.tool_calls or ())
        except Exception as error:
            raise ModelUnavailable(
                f"The language model did not answer ({type(error).__name__}).",
                hint="Check its name, address and key.",
            ) from error
        return ModelReply(text=answer.content or "", tool_calls=calls)


def _message(message: ModelMessage) -> dict[str, Any]:
    base: dict[str, Any] = {"role": message.role.value, "content": message.content}
    if message.tool_call_id:
        base["tool_call_id"] = message.tool_call_id
    if message.tool_calls:
        base["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
            }
            for call in message.tool_calls
        ]
    return base


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.input_schema),
        },
    }


def _call(call: Any) -> ToolCall:
    return ToolCall(
        id=call.id, name=call.function.name, arguments=_arguments(call.function.arguments)
    )


def _arguments(text: str) -> Mapping[str, Any]:
    """Return the arguments; what is no JSON object counts as none, and the tool says what lacks."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
