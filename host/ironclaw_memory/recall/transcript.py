"""The transcript of a run: this run's messages, as they were said (reference.md section 6)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.model import Message, Role


GivenMessage = Message | Mapping[str, Any]
GivenContent = str | Sequence[Any]
"""What a user said: text, or a list of blocks as vendors have them."""

TEXTS: Final = frozenset({"text", "input_text", "output_text"})
"""The types of blocks that hold what was said, in Anthropic's interface and OpenAI's two."""

TOOL_RESULT: Final = "tool_result"
MESSAGE_FORM: Final = 'Give messages such as {"role": "user", "content": "…"}.'
BLOCK_FORM: Final = 'Give text, or a list of blocks such as {"type": "text", "text": "…"}.'


def transcript_of(messages: Iterable[GivenMessage]) -> tuple[Message, ...]:
    """Return the messages that hold something, verbatim and in order.

    Empty where neither a user nor an assistant said anything. Raises what `messages_of` does.
    """
    kept = tuple(message for message in messages_of(messages) if message.content.strip())
    spoken = any(message.role in {Role.USER, Role.ASSISTANT} for message in kept)
    return kept if spoken else ()


def messages_of(given: Iterable[GivenMessage]) -> list[Message]:
    """Return what was said in *given*: `Message` values, or mappings as vendors have them.

    A mapping has ``role``, ``content`` and perhaps ``name``. A content of ``None`` is empty, as
    where an assistant only called tools. Of a content that is a list of blocks the texts are
    kept, one to a line, and a tool's result becomes a message of the role ``tool``; calls,
    images and whatever else it or the message carries are left out, and so are items that have
    a type and no role, as calls are in OpenAI's second interface. Its ``developer`` is a system.
    Raises `InvalidArguments` naming the message that is none, counted from 1.
    """
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise _wrong("is no list of messages", hint=f"{MESSAGE_FORM[:-1]}, in a list.")
    return [said for number, value in enumerate(given, 1) for said in _said(value, number)]


def query_of(content: object) -> str:
    """Return what a user said in *content*, in one text; what tools answered is left out.

    Raises `InvalidArguments` for what is neither text nor a list of blocks.
    """
    given = ... if content is None else content  # a message may be empty, a question is not
    try:
        said = [_text(part) for part, answered in _parts(given) if not answered]
    except ValueError as problem:
        raise InvalidArguments(
            f"user_message {problem}.", field="user_message", hint=BLOCK_FORM
        ) from None
    return "\n".join(said)


def no_thread(hint: str) -> InvalidArguments:
    """Return the error for a transcript that has no thread; *hint* says where to give one."""
    return InvalidArguments(
        "Nothing was recorded: a transcript belongs to a thread, and none is named.",
        field="thread",
        hint=hint,
    )


def _said(value: object, number: int) -> Iterator[Message]:
    """Yield what message *number* says, and what tools answered in it."""
    role, name = _part(value, "role"), _part(value, "name")
    if role is None and _part(value, "type") is not None:
        return
    if role is None and not isinstance(value, Mapping):
        raise _wrong(f"message {number} is none")
    role = Role.SYSTEM if role == "developer" else role
    speaker = next((one for one in Role if role in (one, one.value)), None)
    if speaker is None:
        names = ", ".join(one.value for one in Role)
        raise _wrong(f"role of message {number} is none of {names}")
    if name is not None and not isinstance(name, str):
        raise _wrong(f"name of message {number} is not text")
    try:
        for part, answered in _parts(_part(value, "content", absent=...)):
            if answered:
                yield Message(role=Role.TOOL, content=_text(part))
            else:
                yield Message(role=speaker, content=_text(part), name=name)
    except ValueError as problem:
        raise _wrong(f"content of message {number} {problem}", hint=BLOCK_FORM) from None


def _parts(content: object) -> Iterator[tuple[object, bool]]:
    """Yield *content* in parts, and of each whether a tool answered it."""
    if not isinstance(content, list | tuple):
        yield content, False
        return
    for answered, blocks in groupby(content, lambda block: _part(block, "type") == TOOL_RESULT):
        if answered:
            yield from ((_part(block, "content"), True) for block in blocks)
        else:
            yield list(blocks), False


def _text(content: object) -> str:
    """Return a content's text. Raises `ValueError` with what is wrong with it."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list | tuple):
        raise ValueError("is neither text nor a list of blocks")  # noqa: TRY004 - see `_said`
    return "\n".join(_texts(content))


def _texts(blocks: Sequence[object]) -> Iterator[str]:
    for block in blocks:
        kind, text = _part(block, "type"), _part(block, "text")
        if not isinstance(kind, str) or (kind in TEXTS and not isinstance(text, str)):
            raise ValueError("has a block that is none")
        if kind in TEXTS:
            yield str(text)


def _part(value: object, name: str, *, absent: object = None) -> object:
    """Return an item of a mapping or an attribute of an object, as SDKs have for blocks."""
    if isinstance(value, Mapping):
        return value.get(name, absent)
    return getattr(value, name, absent)


def _wrong(problem: str, *, hint: str = MESSAGE_FORM) -> InvalidArguments:
    return InvalidArguments(f"messages: {problem}.", field="messages", hint=hint)
