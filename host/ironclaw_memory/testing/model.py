"""A language model that says what a test wrote down for it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

from ironclaw_memory.upkeep.dialogue import ModelMessage, ModelReply, ToolDefinition


@dataclass(frozen=True, kw_only=True)
class ModelCall:
    """What the model was given in one call."""

    messages: tuple[ModelMessage, ...]
    tools: tuple[ToolDefinition, ...]
    timeout_seconds: float


Line = ModelReply | Exception | Callable[[ModelCall], ModelReply]
"""One scripted answer: a reply, an error to raise, or a function of what the model was given."""


class ScriptedModel:
    """Gives one scripted answer per call, in order, and keeps what it was given in ``calls``.

    Raises `AssertionError` when it is called more often than it has answers.
    """

    def __init__(self, script: Iterable[Line]) -> None:
        """Write down the answers."""
        self._script = list(script)
        self._lock = Lock()
        self.calls: list[ModelCall] = []

    def reply(
        self,
        messages: Sequence[ModelMessage],
        tools: Sequence[ToolDefinition],
        *,
        timeout_seconds: float,
    ) -> ModelReply:
        """Return the next answer of the script."""
        call = ModelCall(
            messages=tuple(messages), tools=tuple(tools), timeout_seconds=timeout_seconds
        )
        with self._lock:
            self.calls.append(call)
            if not self._script:
                raise AssertionError(f"The script ends before call {len(self.calls)}.")
            line = self._script.pop(0)
        match line:
            case ModelReply():
                return line
            case Exception():
                raise line
            case _:
                return line(call)
