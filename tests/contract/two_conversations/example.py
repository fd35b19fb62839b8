"""An agent that remembers: told something in one conversation, it uses it in the next.

    python tests/contract/two_conversations/example.py

Nothing is downloaded: `ScriptedModel` stands in for a language model. It really
depends on memory all the same, since it answers from the prompt that it is given.
Put `adapters.models.anthropic_messages.AnthropicModel.connect("…")` in its place and
nothing else changes.
"""

import tempfile
from pathlib import Path

from ironclaw_memory import MemoryHost, MemorySession, Scope
from ironclaw_memory.model import Role
from ironclaw_memory.session import SessionHost
from ironclaw_memory.testing import ModelCall, ScriptedModel
from ironclaw_memory.upkeep.dialogue import Model, ModelMessage, ModelReply, ToolCall


INSTRUCTIONS = "You are a helpful assistant."
FACT = "Alice prefers metric units (said 2026-03-04)."


def take_turn(memory: MemorySession, model: Model, user_message: str) -> str:
    """Run one turn of an agent: recall, talk, call tools, record. Return the answer."""
    context = memory.before_turn(user_message)
    messages = [
        ModelMessage(role=Role.SYSTEM, content=f"{INSTRUCTIONS}\n\n{context.text}"),
        ModelMessage(role=Role.USER, content=user_message),
    ]
    while True:
        reply = model.reply(messages, memory.tools(), timeout_seconds=60)
        messages.append(
            ModelMessage(role=Role.ASSISTANT, content=reply.text, tool_calls=reply.tool_calls)
        )
        if not reply.tool_calls:
            break
        for call in reply.tool_calls:
            result = memory.call(call.name, call.arguments)
            messages.append(
                ModelMessage(role=Role.TOOL, content=result.content, tool_call_id=call.id)
            )
    memory.after_turn([{"role": m.role.value, "content": m.content} for m in messages[1:]])
    return reply.text


def first_conversation(host: SessionHost) -> str:
    """Tell the agent something worth keeping."""
    save = ToolCall(
        id="call-1",
        name="ironclaw__memory__write",
        arguments={"target": "memory", "content": FACT},
    )
    model = ScriptedModel([ModelReply(tool_calls=(save,)), _confirm])
    scope = Scope(tenant="acme", user="alice", thread="monday")
    with MemorySession(host, scope, model=model) as memory:
        return take_turn(memory, model, "Please use metric units from now on.")


def second_conversation(host: SessionHost) -> str:
    """Ask about something else, in another thread, without a word about units."""
    model = ScriptedModel([_answer_from_the_prompt])
    scope = Scope(tenant="acme", user="alice", thread="friday")
    with MemorySession(host, scope, model=model) as memory:
        return take_turn(memory, model, "How far is it from Graz to Vienna?")


def _confirm(call: ModelCall) -> ModelReply:
    """Say that it is saved only if the tool said so."""
    saved = '"status": "written"' in call.messages[-1].content
    return ModelReply(text="Noted: metric units." if saved else "I could not save that.")


def _answer_from_the_prompt(call: ModelCall) -> ModelReply:
    """Use metric units only if the prompt says that the user prefers them."""
    metric = "metric" in call.messages[0].content
    return ModelReply(text="About 200 km by road." if metric else "About 120 miles by road.")


def main() -> None:
    """Hold both conversations in a directory that is thrown away."""
    with tempfile.TemporaryDirectory() as root, MemoryHost.open(root=Path(root)) as host:
        host.grant("ironclaw.memory.write", scope=Scope(tenant="acme", user="alice"))
        print("Monday: ", first_conversation(host))  # noqa: T201 - an example shows something
        print("Friday: ", second_conversation(host))  # noqa: T201


if __name__ == "__main__":
    main()
