"""Messages as vendors' interfaces have them, and what of them is kept."""

from types import SimpleNamespace
from typing import Any

import pytest

from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.model import Message, Role
from ironclaw_memory.recall.transcript import messages_of, transcript_of


def text(words: str) -> dict[str, str]:
    """A block of what was said."""
    return {"type": "text", "text": words}


CALL = {"type": "tool_use", "id": "c1", "name": "memory", "input": {"command": "view"}}
IMAGE = {"type": "image", "source": {"type": "base64", "data": "aGk="}}


def said(content: object, role: str = "user") -> list[tuple[str, str]]:
    """Return who said what in one message with this content."""
    return [(m.role.value, m.content) for m in messages_of([{"role": role, "content": content}])]


def test_the_texts_of_blocks_are_kept_verbatim_one_to_a_line() -> None:
    """Words of two blocks must not run into one."""
    assert said([text(" Hi "), text("there\n")]) == [("user", " Hi \nthere\n")]
    assert said((text("Hi"),)) == [("user", "Hi")]


@pytest.mark.parametrize("kind", ["text", "input_text", "output_text"])
def test_each_interface_has_its_own_word_for_text(kind: str) -> None:
    """None of them is lost silently."""
    assert said([{"type": kind, "text": "Hi"}]) == [("user", "Hi")]


def test_blocks_may_be_objects_of_an_sdk() -> None:
    """An assistant's reply is handed on as it came."""
    reply = [SimpleNamespace(type="text", text="Hello"), SimpleNamespace(**CALL)]
    assert said(reply, "assistant") == [("assistant", "Hello")]


def test_calls_and_images_are_left_out() -> None:
    """A message of nothing else is blank, and no error."""
    assert said([IMAGE, text("What is it?"), CALL]) == [("user", "What is it?")]
    assert transcript_of([{"role": "user", "content": [IMAGE]}]) == ()
    assert said([]) == []


def test_what_a_tool_answered_is_not_what_the_user_said() -> None:
    """Though it travels in the user's message; it is kept as from an interface with that role."""
    results = [
        {"type": "tool_result", "tool_use_id": "c1", "content": "sunny"},
        {"type": "tool_result", "tool_use_id": "c2", "content": [text("21 °C"), IMAGE]},
        {"type": "tool_result", "tool_use_id": "c3"},
    ]
    assert said([*results, text("Thanks")]) == [
        ("tool", "sunny"),
        ("tool", "21 °C"),
        ("tool", ""),
        ("user", "Thanks"),
    ]


def test_a_name_belongs_to_whoever_speaks() -> None:
    """Not to a tool that answered in the same message."""
    content = [{"type": "tool_result", "content": "x"}, text("Hi")]
    names = [m.name for m in messages_of([{"role": "user", "content": content, "name": "Ada"}])]
    assert names == [None, "Ada"]


def test_what_openai_has_besides_messages_is_taken_for_what_it_is() -> None:
    """Developers give instructions; a call among the items says nothing; a reply is an object."""
    given: list[Any] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "function_call", "name": "memory", "arguments": "{}"},
        SimpleNamespace(role="assistant", content="Hello", type="message"),
    ]
    assert [(m.role.value, m.content) for m in messages_of(given)] == [
        ("system", "Be brief."),
        ("user", "Hi"),
        ("assistant", "Hello"),
    ]


def test_a_role_may_be_given_as_either() -> None:
    """`Role.USER` in a mapping is as clear as "user" in a `Message`."""
    loose: Any = "user"
    given: list[Any] = [{"role": Role.USER, "content": "a"}, Message(role=loose, content="b")]
    assert [m.role for m in messages_of(given)] == [Role.USER, Role.USER]


GOOD = {"role": "user", "content": "Hi"}
WRONG: list[tuple[Any, str, str]] = [
    ("hello", "messages: is no list of messages.", "in a list"),
    (GOOD, "messages: is no list of messages.", "in a list"),
    (None, "messages: is no list of messages.", "in a list"),
    ([GOOD, "hello"], "messages: message 2 is none.", '"role"'),
    ([GOOD, {"content": "x"}], "messages: role of message 2 is none of user, ", '"role"'),
    ([{"role": "user", "content": "x", "name": 3}], "name of message 1 is not text.", '"role"'),
    ([{"role": "user"}], "content of message 1 is neither text nor", '"type"'),
    ([GOOD, GOOD, {"role": "user", "content": 3}], "content of message 3 is neither", '"type"'),
    ([{"role": "user", "content": ["x"]}], "content of message 1 has a block that", '"type"'),
    ([{"role": "user", "content": [{"type": "text"}]}], "of message 1 has a block", '"type"'),
    ([{"role": "user", "content": [{"type": "tool_result", "content": 3}]}], "neither", '"type"'),
]


@pytest.mark.parametrize(("messages", "problem", "advice"), WRONG)
def test_what_is_no_message_is_named_with_what_to_give_instead(
    messages: Any, problem: str, advice: str
) -> None:
    """By its number, and without a word of it."""
    with pytest.raises(InvalidArguments) as refused:
        transcript_of(messages)
    assert refused.value.field == "messages"
    assert problem in refused.value.message
    assert advice in refused.value.hint
