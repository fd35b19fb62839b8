"""Talking to a language model: messages and tool definitions in, tool calls or text out.

The protocol that curation and the adapters share. It knows no vendor.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ironclaw_memory.errors import InvalidArguments, ModelUnavailable
from ironclaw_memory.model import Role


_REFUSED_AT_THE_TOP: Final = frozenset({"$schema", "oneOf", "anyOf", "allOf", "not"})


def offered_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return *schema* without what models' interfaces refuse at its top level.

    The model is told a little less; the host validates against the full schema anyway.
    """
    return {key: value for key, value in schema.items() if key not in _REFUSED_AT_THE_TOP}


@dataclass(frozen=True, kw_only=True)
class ToolDefinition:
    """A tool as a model is told of it; ``input_schema`` is an `offered_schema`."""

    id: str
    description: str
    input_schema: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The id with ``__`` for dots, which models' interfaces refuse (reference.md section 2)."""
        return self.id.replace(".", "__")


def names_by_id(tools: Iterable[ToolDefinition]) -> dict[str, str]:
    """Return what a model knows each of *tools* by."""
    return {tool.id: tool.name for tool in tools}


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A model wants a tool. ``id`` ties the result to the call, ``name`` is a definition's name."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ModelMessage:
    """One message of a dialogue.

    An assistant's message may carry ``tool_calls``; a tool's message answers the call
    that ``tool_call_id`` names.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, kw_only=True)
class ModelReply:
    """What a model answers: tool calls, else its final text."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()


class Model(Protocol):
    """A language model, as `MemorySession` and `MemoryHost.curate` take one.

    `ironclaw_memory.adapters.models` has those of two vendors.
    """

    def reply(
        self,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolDefinition],
        *,
        timeout_seconds: float,
    ) -> ModelReply:
        """Return the next reply within *timeout_seconds*.

        Raises `ModelUnavailable` where there is none; whatever else it raises is treated
        the same, since it is somebody else's code.
        """
        ...


def demand_reply(given: object) -> ModelReply:
    """Return what a model answered. Raises `ModelUnavailable` for what is no `ModelReply`.

    A model is somebody else's code: it may be asynchronous, or hand on its vendor's own reply.
    """
    if isinstance(given, ModelReply) and _is_whole(given):
        return given
    raise ModelUnavailable(
        f"The language model's reply is no ModelReply that holds ({type(given).__name__}).",
        hint="`reply` is a plain function and returns `ModelReply(text=…)`, or one with "
        "`ToolCall`s in a tuple, their arguments a dictionary.",
    )


def demand_model(given: object) -> None:
    """Raise `InvalidArguments` for what is no `Model`, such as the name of one."""
    if not callable(getattr(given, "reply", None)):
        raise InvalidArguments(
            "model: has no method `reply`.",
            field="model",
            hint="Give one of `ironclaw_memory.adapters.models`, or your own `Model`.",
        )


def _is_whole(reply: ModelReply) -> bool:
    calls = reply.tool_calls
    return _are((reply.text, str), (calls, tuple)) and all(map(_is_call, calls))


def _is_call(given: object) -> bool:
    return isinstance(given, ToolCall) and _are((given.name, str), (given.arguments, Mapping))


def _are(*typed: tuple[object, type]) -> bool:
    """Tell whether each value has the type beside it, whatever was declared."""
    return all(isinstance(value, wanted) for value, wanted in typed)
