"""What crosses between the host and a worker."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from ironclaw_memory import errors
from ironclaw_memory.model import Access, Failure, Message, Moment, ProviderEvent, Role, Scope
from ironclaw_memory.sandbox import wire
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.framing import MAX_FRAME, Broken, Receiver, TooLate, send
from ironclaw_memory.sandbox.request import GuestCall, GuestReply
from ironclaw_memory.scopes import MountKind


ARTIFACT = Artifact(path=Path("p.wasm"), digest="0" * 64)
CALL = GuestCall(
    artifact=ARTIFACT,
    scope=Scope(tenant="t", user="u", agent="a"),
    kind=MountKind.DOCUMENTS,
    access=Access.WRITE,
    interface="lifecycle",
    function="record-interaction",
    arguments={"messages": (Message(role=Role.USER, content="é\0"),), "run_id": None},
    moment=Moment(unix_ms=1, zone="UTC"),
    deadline_ms=5_000,
    record=lambda event: True,
)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Return the two ends of a pipe."""
    ends = os.pipe()
    yield ends
    for end in ends:
        with suppress(OSError):
            os.close(end)


def test_a_call_arrives_as_it_was_sent() -> None:
    """Only the arguments change their form, and the deadline is what is left."""
    sent = wire.call_to_wire(CALL, 700)
    arrived = wire.call_from_wire(sent, ARTIFACT, CALL.record)

    message = {"role": "user", "content": "é\0", "name": None}
    assert arrived == replace(
        CALL, deadline_ms=700, arguments={"messages": [message], "run_id": None}
    )


@pytest.mark.parametrize(
    "value", [{"path": "a", "hits": []}, Failure(kind="input", code="blank", field_name="query")]
)
def test_a_reply_arrives_as_it_was_sent(value: dict[str, object] | Failure) -> None:
    """A value and a failure of the provider are told apart."""
    reply = GuestReply(value=value, log_bytes=3, waited_ms=0.5, started_ms=1.5, ran_ms=2.5)

    assert wire.reply_from_wire(wire.reply_to_wire(reply)) == reply


@pytest.mark.parametrize(
    "error",
    [
        errors.LimitExceeded("m", limit="deadline_ms", hint="h"),
        errors.ScopeBusy("m", holder="process 1"),
        errors.InvalidArguments("m", field="path", code="c"),
        errors.ProviderTrapped("m", code="sleep-refused"),
        errors.HostFault("m"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_arrives_as_it_was_raised(error: errors.IronclawMemoryError) -> None:
    """Class, message, code, hint and facts survive the way."""
    arrived = wire.error_from_wire(wire.error_to_wire(error))

    assert type(arrived) is type(error)
    assert vars(arrived) == vars(error)
    assert (str(arrived), arrived.code) == (str(error), error.code)


def test_a_worker_notes_nothing_on_an_error_but_its_hint() -> None:
    """What is shown below a traceback is made here, of the facts."""
    sent = wire.error_to_wire(errors.HostFault("m", hint="h"))
    assert "__notes__" not in sent["facts"]
    sent["facts"]["__notes__"] = "anything"
    assert wire.error_from_wire(sent).__notes__ == ["Hint: h"]


def test_a_worker_cannot_name_a_class_of_its_choice() -> None:
    """Only errors of our tree come back to life."""
    with pytest.raises(KeyError):
        wire.error_from_wire({"class": "SystemExit", "facts": {"message": "m"}})


def test_events_are_read_as_texts_and_numbers() -> None:
    """A worker that sends other types cannot confuse what looks at an event."""
    event = ProviderEvent(kind="document-written", reason="ok", size=1)
    assert wire.event_from_wire(wire.event_to_wire(event)) == event

    odd = wire.event_to_wire(event) | {"reason": ["x"]}
    assert wire.event_from_wire(odd).reason == "['x']"


def test_messages_arrive_whole_and_in_order(pipe: tuple[int, int]) -> None:
    """Two messages in one read are two messages."""
    receiver = Receiver(pipe[0])
    send(pipe[1], {"n": 1})
    send(pipe[1], {"n": "é" * 1000})

    assert receiver.receive(None) == {"n": 1}
    assert receiver.receive(time.monotonic()) == {"n": "é" * 1000}


def test_half_a_message_is_waited_for(pipe: tuple[int, int]) -> None:
    """Time running out loses nothing of what has arrived."""
    receiver = Receiver(pipe[0])
    os.write(pipe[1], b"\0\0\0\x08{")
    with pytest.raises(TooLate):
        receiver.receive(time.monotonic())
    os.write(pipe[1], b'"n":12}')

    assert receiver.receive(None) == {"n": 12}


@pytest.mark.parametrize(
    "data",
    [
        (MAX_FRAME + 1).to_bytes(4, "big"),
        b"\0\0\0\x02[]",
        b"\0\0\0\x01{",
        b"\0\x01\x86\xa0" + b"[" * 100_000,
    ],
    ids=["too large", "no object", "no JSON", "nested without end"],
)
def test_nonsense_breaks_the_line(pipe: tuple[int, int], data: bytes) -> None:
    """What is no message ends the conversation instead of the host."""
    receiver = Receiver(pipe[0])
    threading.Thread(target=os.write, args=(pipe[1], data), daemon=True).start()

    with pytest.raises(Broken):
        receiver.receive(None)


def test_a_closed_pipe_breaks_the_line(pipe: tuple[int, int]) -> None:
    """A process that is gone is noticed on both ends."""
    os.close(pipe[1])

    with pytest.raises(Broken):
        Receiver(pipe[0]).receive(None)
