"""Models behind Anthropic's messages interface.

    model = AnthropicModel.connect("claude-sonnet-4-5")

Needs ``pip install "ironclaw-memory[anthropic]"``.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Final, Self

from ironclaw_memory.errors import MissingExtra, ModelUnavailable
from ironclaw_memory.model import Role
from ironclaw_memory.upkeep.dialogue import ModelMessage, ModelReply, ToolCall, ToolDefinition


MAX_TOKENS: Final = 16_384  # of a reply; the largest curated document fits, 64 KiB of text
_KEY_HEADERS: Final = frozenset({"authorization", "x-api-key"})


class AnthropicModel:
    """A `Model` on an ``anthropic.Anthropic`` client, which stays the caller's to close."""

    def __init__(self, client: Any, *, model: str, max_tokens: int = MAX_TOKENS) -> None:
        """Use *client* for every reply of at most *max_tokens*."""
        self._client = client
        self._model = model
        self._max_tokens = max_tokens

    @classmethod
    def connect(cls, model: str, *, api_key: str | None = None) -> Self:
        """Make a client; what is not given comes from the SDK's own configuration.

        Raises `MissingExtra` where the SDK is not installed, and `ModelUnavailable` where
        it finds no key.
        """
        try:
            import anthropic  # noqa: PLC0415 - an extra
        except ImportError:
            raise MissingExtra("The Anthropic model adapter", extra="anthropic") from None
        try:
            client = anthropic.Anthropic(api_key=api_key)
        except anthropic.AnthropicError:  # a profile that is named and not there
            client = None
        if client is None or not _has_key(client):
            raise ModelUnavailable(
                "The Anthropic SDK is not configured.", hint="Set ANTHROPIC_API_KEY."
            ) from None
        return cls(client, model=model)

    def reply(
        self,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolDefinition],
        *,
        timeout_seconds: float,
    ) -> ModelReply:
        """Return the text and the tool calls of the next message. Raises `ModelUnavailable`."""
        try:
            message = self._client.messages.create(
                model=self._model,
                max_tokens=self._max_tokens,
                system=_system(messages),
                messages=_turns(messages),
                tools=[_tool(tool) for tool in tools],
                timeout=timeout_seconds,
            )
            return _reply(message.content)
        except Exception as error:
            raise ModelUnavailable(
                f"The language model did not answer ({type(error).__name__}).",
                hint="Check its name and key.",
            ) from error


def _has_key(client: Any) -> bool:
    """Tell whether *client* found a key or a token, which it looks for only when it is asked."""
    if getattr(client, "credentials", None):  # fetches tokens; older SDKs have none
        return True
    sent = client.default_headers
    return any(value for name, value in sent.items() if name.lower() in _KEY_HEADERS)


def _system(messages: Sequence[ModelMessage]) -> str:
    return "\n\n".join(message.content for message in messages if message.role is Role.SYSTEM)


def _turns(messages: Sequence[ModelMessage]) -> list[dict[str, Any]]:
    """Return the dialogue; results of one reply's tools travel in one message, as is required."""
    spoken = (message for message in messages if message.role is not Role.SYSTEM)
    return [
        {"role": speaker, "content": [block for message in group for block in _blocks(message)]}
        for speaker, group in groupby(spoken, key=_speaker)
    ]


def _speaker(message: ModelMessage) -> str:
    return "assistant" if message.role is Role.ASSISTANT else "user"


def _blocks(message: ModelMessage) -> list[dict[str, Any]]:
    if message.role is Role.TOOL:
        return [
            {
                "type": "tool_result",
                "tool_use_id": message.tool_call_id,
                "content": message.content,
            }
        ]
    text = [{"type": "text", "text": message.content}] if message.content.strip() else []
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)}
        for call in message.tool_calls
    ]
    return [*text, *calls]


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": dict(tool.input_schema),
    }


def _reply(blocks: Sequence[Any]) -> ModelReply:
    return ModelReply(
        text="".join(block.text for block in blocks if block.type == "text"),
        tool_calls=tuple(
            ToolCall(id=block.id, name=block.name, arguments=block.input)
            for block in blocks
            if block.type == "tool_use"
        ),
    )
