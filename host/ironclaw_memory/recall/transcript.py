"""The transcript of a run: this run's messages, as they were said (reference.md section 6)."""

from collections.abc import Iterable, Mapping
from typing import Any

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.model import Message, Role


GivenMessage = Message | Mapping[str, Any]


def transcript_of(messages: Iterable[GivenMessage]) -> tuple[Message, ...]:
    """Return the messages that hold something, verbatim and in order.

    Each is a `Message` or a mapping with ``role``, ``content`` and perhaps ``name``.
    Empty where neither a user nor an assistant said anything. Raises `InvalidArguments`
    for what is no message.
    """
    given = [m if isinstance(m, Message) else _message(m) for m in messages]
    kept = tuple(message for message in given if message.content.strip())
    spoken = any(message.role in {Role.USER, Role.ASSISTANT} for message in kept)
    return kept if spoken else ()


def _message(value: Mapping[str, Any]) -> Message:
    role, content, name = (value.get(key) for key in ("role", "content", "name"))
    if not isinstance(role, str) or role not in {r.value for r in Role}:
        raise _not_a_message("role", f"is none of {', '.join(r.value for r in Role)}")
    if content is not None and not isinstance(content, str):
        raise _not_a_message("content", "is not text")
    if name is not None and not isinstance(name, str):
        raise _not_a_message("name", "is not text")
    return Message(role=Role(role), content=content or "", name=name)


def _not_a_message(field: str, problem: str) -> InvalidArguments:
    return InvalidArguments(
        f"messages: {field} {problem}.",
        field="messages",
        hint='Give messages such as {"role": "user", "content": "…"}.',
    )
