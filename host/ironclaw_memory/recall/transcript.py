"""The transcript of a run: this run's messages, as they were said (reference.md section 6)."""

from collections.abc import Iterable, Mapping
from typing import Any

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.model import Message, Role


GivenMessage = Message | Mapping[str, Any]


def transcript_of(messages: Iterable[GivenMessage]) -> tuple[Message, ...]:
    """Return the messages that hold something, verbatim and in order.

    Empty where neither a user nor an assistant said anything. Raises what `message_of` does.
    """
    given = [message_of(message) for message in messages]
    kept = tuple(message for message in given if message.content.strip())
    spoken = any(message.role in {Role.USER, Role.ASSISTANT} for message in kept)
    return kept if spoken else ()


def message_of(value: GivenMessage) -> Message:
    """Return *value*, a `Message` or a mapping with ``role``, ``content`` and perhaps ``name``.

    A content of ``None`` is empty, as where an assistant only called tools; whatever else a
    vendor's message carries is left out. Raises `InvalidArguments` for what is no message.
    """
    if isinstance(value, Message):
        return value
    role, content, name = (value.get(key) for key in ("role", "content", "name"))
    if not isinstance(role, str) or role not in {r.value for r in Role}:
        raise _not_a_message("role", f"is none of {', '.join(r.value for r in Role)}")
    if "content" not in value or not isinstance(content, str | None):
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
