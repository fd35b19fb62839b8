"""What a guest finds behind its imports: WASI with the unsafe parts replaced.

wasmtime-py can only offer all of WASI 0.2 at once. Sockets and name lookup are denied
there already; they are replaced all the same, so that no socket code of the engine is
reachable. The monotonic clock is replaced because a sleeping guest is in the engine,
where no epoch reaches it (tech-notes.md section 5): a guest that asks to sleep is
stopped. Environment, arguments and standard input are empty because nobody fills them.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import wasmtime
from wasmtime import component as wit

from ironclaw_memory.sandbox import ports
from ironclaw_memory.sandbox.admission import PACKAGE
from ironclaw_memory.sandbox.emission import add_emit
from ironclaw_memory.sandbox.functions import interface


_SOCKETS: Final = "wasi:sockets/"
_CLOCK: Final = "wasi:clocks/monotonic-clock@"
_OWNERS: Final = {
    "network": "network",
    "tcp-socket": "tcp",
    "udp-socket": "udp",
    "incoming-datagram-stream": "udp",
    "outgoing-datagram-stream": "udp",
    "resolve-address-stream": "ip-name-lookup",
}
"""The resources of ``wasi:sockets`` and the interface that defines each."""

_NUMBERS: Final = {name: 1000 + n for n, name in enumerate(_OWNERS)}
"""Host resource types are told apart by a number of our choice."""

_CONTEXT: Final[Mapping[str, Callable[..., object]]] = {
    "bound-scope": ports.bound_scope,
    "now": ports.now,
}


def linker_for(engine: wasmtime.Engine, component: wit.Component) -> wit.Linker:
    """Return the linker of *component*, whose imports have been admitted."""
    linker = wit.Linker(engine)
    linker.add_wasip2()
    linker.allow_shadowing = True
    resources = {name: wit.ResourceType.host(number) for name, number in _NUMBERS.items()}
    with linker.root() as root:
        for name, item in component.type.imports(engine).items():
            ty = interface(item)
            if name.startswith(_SOCKETS):
                _deny(root, name, ty.exports(engine), resources)
            elif name.startswith(_CLOCK):
                _still_clock(root, name)
            elif name.startswith(PACKAGE):
                _own(root, name, ty.exports(engine))
    return linker


def _deny(
    root: wit.LinkerInstance,
    name: str,
    items: Mapping[str, Any],
    resources: Mapping[str, wit.ResourceType],
) -> None:
    here = _short(name)
    with root.add_instance(name) as instance:
        for item_name, item in items.items():
            if _OWNERS.get(item_name) == here:
                instance.add_resource(item_name, resources[item_name], _drop)
            elif isinstance(item.ty, wit.FuncType):
                instance.add_func(item_name, _SOCKET_ANSWERS.get(item_name, _unreachable))


def _still_clock(root: wit.LinkerInstance, name: str) -> None:
    with root.add_instance(name) as instance:
        instance.add_func("now", lambda _store: time.monotonic_ns())
        instance.add_func("resolution", lambda _store: 1)
        instance.add_func("subscribe-instant", _refuse_sleep)
        instance.add_func("subscribe-duration", _refuse_sleep)


def _own(root: wit.LinkerInstance, name: str, items: Mapping[str, Any]) -> None:
    with root.add_instance(name) as instance:
        match _short(name):
            case "context":
                for function, answer in _CONTEXT.items():
                    instance.add_func(function, answer)
            case "audit" if "emit" in items:
                add_emit(instance, items["emit"].ty)


def _drop(_store: object, _handle: int) -> None:
    """Nothing is behind a denied resource."""


def _network(store: Any, *_arguments: object) -> object:
    """Give out the network, which nobody can do anything with."""
    return wit.ResourceHost.own(0, _NUMBERS["network"]).to_any(store)


def _denied(store: Any, *arguments: object) -> str:
    """Say no; a borrowed handle has to be let go first."""
    for handle in arguments:
        if isinstance(handle, wit.ResourceAny):
            handle.drop(store)
    return "access-denied"


def _unreachable(_store: object, *_arguments: object) -> None:
    """Stop the guest: this needs a socket, and nobody gives one out."""
    raise wasmtime.WasmtimeError("there is no socket")


_SOCKET_ANSWERS: Final[Mapping[str, Callable[..., object]]] = {
    "instance-network": _network,
    "create-tcp-socket": _denied,
    "create-udp-socket": _denied,
    "resolve-addresses": _denied,
}
"""The functions of ``wasi:sockets`` that a guest can call without having a socket."""


def _refuse_sleep(_store: object, _when: int) -> None:
    """Stop the guest: wasmtime's own error is the one kind that stays on its thread."""
    if ports.HERE.running is not None:
        ports.HERE.running.slept = True
    raise wasmtime.WasmtimeError("sleeping is not offered")


def _short(name: str) -> str:
    return name.split("/", 1)[1].split("@", 1)[0]
