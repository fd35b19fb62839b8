"""Calls, replies, events and errors as the JSON that crosses to a worker and back."""

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

from ironclaw_memory import errors
from ironclaw_memory.model import Access, Failure, Moment, ProviderEvent, Scope
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.ports import Record
from ironclaw_memory.sandbox.request import GuestCall, GuestReply
from ironclaw_memory.scopes import MountKind


_ERRORS: Final[Mapping[str, type[errors.IronclawMemoryError]]] = {
    name: found
    for name, found in vars(errors).items()
    if isinstance(found, type) and issubclass(found, errors.IronclawMemoryError)
}
_NOTES: Final = "__notes__"  # for a traceback; what the error itself notes follows from its facts
_AXES: Final = ("tenant", "user", "agent", "project")


def call_to_wire(call: GuestCall, deadline_ms: int) -> dict[str, Any]:
    """Return *call* for the worker of its component, with what is left of its time."""
    return {
        "scope": dict(zip(_AXES, call.scope.axes(), strict=True)),
        "kind": call.kind.value,
        "access": call.access.value,
        "interface": call.interface,
        "function": call.function,
        "arguments": _plain(call.arguments),
        "moment": asdict(call.moment),
        "deadline_ms": deadline_ms,
        "fresh": call.fresh,
    }


def call_from_wire(wire: Mapping[str, Any], artifact: Artifact, record: Record) -> GuestCall:
    """Return the call that the host sent."""
    return GuestCall(
        artifact=artifact,
        scope=Scope(**wire["scope"]),
        kind=MountKind(wire["kind"]),
        access=Access(wire["access"]),
        interface=wire["interface"],
        function=wire["function"],
        arguments=wire["arguments"],
        moment=Moment(**wire["moment"]),
        deadline_ms=wire["deadline_ms"],
        record=record,
        fresh=wire["fresh"],
    )


def reply_to_wire(reply: GuestReply) -> dict[str, Any]:
    """Return *reply* without its events: the host has recorded them itself."""
    failed = isinstance(reply.value, Failure)
    return {
        "failure": asdict(reply.value) if isinstance(reply.value, Failure) else None,
        "value": None if failed else reply.value,
        "log_bytes": reply.log_bytes,
        "waited_ms": reply.waited_ms,
        "started_ms": reply.started_ms,
        "ran_ms": reply.ran_ms,
    }


def reply_from_wire(wire: Mapping[str, Any]) -> GuestReply:
    """Return the reply that the worker sent; the events are the host's to add."""
    failure = wire["failure"]
    return GuestReply(
        value=dict(wire["value"]) if failure is None else Failure(**failure),
        log_bytes=int(wire["log_bytes"]),
        waited_ms=float(wire["waited_ms"]),
        started_ms=float(wire["started_ms"]),
        ran_ms=float(wire["ran_ms"]),
    )


def event_to_wire(event: ProviderEvent) -> dict[str, Any]:
    """Return *event* for the host to record."""
    return asdict(event)


def event_from_wire(wire: Mapping[str, Any]) -> ProviderEvent:
    """Return the event that a guest offered in a worker."""
    size = wire["size"]
    texts = {
        name: None if wire[name] is None else str(wire[name])
        for name in ("path_hash", "reason", "registry")
    }
    return ProviderEvent(kind=str(wire["kind"]), size=None if size is None else int(size), **texts)


def error_to_wire(error: errors.IronclawMemoryError) -> dict[str, Any]:
    """Return *error*: its class by name and its facts, all of them short texts."""
    facts = {name: fact for name, fact in vars(error).items() if name != _NOTES}
    return {"class": type(error).__name__, "facts": facts}


def error_from_wire(wire: Mapping[str, Any]) -> errors.IronclawMemoryError:
    """Return the error that a worker raised, as an instance of the same class."""
    found = _ERRORS[wire["class"]]
    error = found.__new__(found)
    facts = {str(name): str(value) for name, value in wire["facts"].items() if name != _NOTES}
    Exception.__init__(error, facts["message"])
    vars(error).update(facts)
    error.hint = facts["hint"]  # notes it
    return error


def artifact_to_wire(artifact: Artifact) -> dict[str, Any]:
    """Return *artifact* for a worker."""
    return {"path": str(artifact.path), "digest": artifact.digest}


def artifact_from_wire(wire: Mapping[str, Any]) -> Artifact:
    """Return the artifact that a worker serves."""
    return Artifact(path=Path(wire["path"]), digest=wire["digest"])


def _plain(value: object) -> Any:
    """Return *value* as JSON can say it; what it cannot say is refused in the worker."""
    match value:
        case Enum():
            return value.value
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _ if is_dataclass(value) and not isinstance(value, type):
            return _plain(vars(value))
        case None | bool() | int() | float() | str():
            return value
        case _:
            return {"unspeakable": type(value).__name__}
