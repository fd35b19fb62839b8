"""The dialogue of a pass: the model asks for tools, the rails decide, until it reports.

A rewrite is not carried out here. It is held back as a proposal, because the
report that must name what it drops comes after it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from ironclaw_memory.contract.for_models import as_offered, hint_for_model
from ironclaw_memory.errors import (
    AccessRefused,
    HostFault,
    IronclawMemoryError,
    ModelUnavailable,
)
from ironclaw_memory.model import Role
from ironclaw_memory.recall.admission import cut_bytes
from ironclaw_memory.upkeep.dialogue import (
    Model,
    ModelMessage,
    ModelReply,
    ToolCall,
    ToolDefinition,
    demand_reply,
    names_by_id,
)
from ironclaw_memory.upkeep.rails import (
    DOCUMENT,
    READING_TOOLS,
    WRITE_TOOL,
    CurationRules,
    rewrite_of,
)


_TASK: Final = (
    f"Curate {DOCUMENT} now. Propose at most one rewrite, then end with your report. The rewrite "
    "is held back until the report has been checked against it."
)
_HELD_BACK: Final = {"status": "held back", "path": DOCUMENT, "next": "Give your report now."}


@dataclass(frozen=True, kw_only=True)
class CurationPass:
    """A manifest's scheduled pass with everything it refers to.

    ``name`` tells passes of one provider apart; ``prompt`` is the text of the provider's
    curation prompt; ``tools`` are the definitions of its tools, and no others are run.
    """

    name: str
    prompt: str
    tools: tuple[ToolDefinition, ...]
    interval_turns: int
    max_model_calls: int


class GatedCall(Protocol):
    """One tool call on the ordinary path: gate, validation, limits, audit."""

    def __call__(self, tool_id: str, arguments: Mapping[str, Any]) -> object:
        """Return the tool's output. Raises `IronclawMemoryError`."""
        ...


class PassStopped(Exception):
    """A budget or a refusal ended the dialogue; ``reason`` is a sentence for a person."""

    def __init__(self, reason: str) -> None:
        """Say why."""
        super().__init__(reason)
        self.reason = reason


@dataclass
class Conversation:
    """One dialogue with its budgets; ``proposal`` is the rewrite that the model asked for."""

    curation: CurationPass
    model: Model
    call: GatedCall
    rules: CurationRules
    clock: Callable[[], float]
    proposal: str | None = None
    model_calls: int = 0
    tool_calls: int = 0
    _messages: list[ModelMessage] = field(default_factory=list)
    _started: float = 0.0

    def run(self) -> str:
        """Return the model's closing words.

        Raises `PassStopped` at a budget, `AccessRefused` and `HostFault` from a call, and
        `ModelUnavailable`.
        """
        self._started = self.clock()
        prompt = as_offered(self.curation.prompt, names_by_id(self.curation.tools))
        self._messages = [
            ModelMessage(role=Role.SYSTEM, content=prompt),
            ModelMessage(role=Role.USER, content=_TASK),
        ]
        while True:
            reply = self._ask()
            if not reply.tool_calls:
                return reply.text
            self._messages.append(
                ModelMessage(role=Role.ASSISTANT, content=reply.text, tool_calls=reply.tool_calls)
            )
            self._messages += [self._answered(call) for call in reply.tool_calls]

    def _ask(self) -> ModelReply:
        limit = min(self.curation.max_model_calls, self.rules.max_model_calls)
        if self.model_calls >= limit:
            raise PassStopped(f"The pass needed more than {limit} model calls.")
        remaining = self._remaining()
        self.model_calls += 1
        try:
            reply = self.model.reply(
                tuple(self._messages), self.curation.tools, timeout_seconds=remaining
            )
        except ModelUnavailable:
            raise
        except Exception as error:
            raise ModelUnavailable(
                "The language model failed.", hint="Check the model's own log."
            ) from error
        self._remaining()
        return demand_reply(reply)

    def _answered(self, call: ToolCall) -> ModelMessage:
        if self.tool_calls >= self.rules.max_tool_calls:
            raise PassStopped(f"The pass needed more than {self.rules.max_tool_calls} tool calls.")
        self._remaining()
        self.tool_calls += 1
        content = json.dumps(self._result(call), ensure_ascii=False)
        return ModelMessage(
            role=Role.TOOL,
            content=cut_bytes(content, self.rules.max_result_bytes),
            tool_call_id=call.id,
        )

    def _result(self, call: ToolCall) -> object:
        tool_id = next((t.id for t in self.curation.tools if call.name in {t.id, t.name}), "")
        if tool_id == WRITE_TOOL:
            return self._propose(call.arguments)
        if tool_id not in READING_TOOLS:
            return _error("undeclared", "This pass does not have that tool.")
        try:
            return self.call(tool_id, call.arguments)
        except (AccessRefused, HostFault):
            raise
        except IronclawMemoryError as error:
            names = names_by_id(self.curation.tools)
            message = as_offered(error.message, names)
            return _error(error.code, f"{message} {hint_for_model(error.hint, names)}")

    def _propose(self, arguments: Mapping[str, Any]) -> object:
        if self.proposal is not None:
            return _error("one-write", "One rewrite is held back already; give your report.")
        self.proposal = rewrite_of(arguments)
        if self.proposal is None:
            return _error(
                "not-a-rewrite", "Give the whole document: target memory, append false, content."
            )
        return _HELD_BACK

    def _remaining(self) -> float:
        remaining = self.rules.max_seconds - (self.clock() - self._started)
        if remaining <= 0:
            raise PassStopped(f"The pass took longer than {self.rules.max_seconds:g} seconds.")
        return remaining


def _error(code: str, message: str) -> dict[str, object]:
    return {"error": {"code": code, "message": message.strip()}}
