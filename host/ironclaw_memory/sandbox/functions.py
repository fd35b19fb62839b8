"""One exported function: its types read once, and the call itself."""

import ctypes
from collections.abc import Mapping
from typing import Any, NamedTuple

import wasmtime
from wasmtime import _ffi as ffi
from wasmtime import component as wit

from ironclaw_memory.errors import UnacceptableComponent
from ironclaw_memory.model import Failure
from ironclaw_memory.sandbox.codec import Budget, Codec, TypeReader


class Signature(NamedTuple):
    """A function ``(parameters) -> result<reply, failure>`` with codecs for each part."""

    parameters: tuple[tuple[str, Codec], ...]
    reply: Codec
    failure: Codec

    @property
    def spelled(self) -> str:
        """The signature as the contract table writes it."""
        inside = ", ".join(f"{name}: {codec.spelled}" for name, codec in self.parameters)
        return f"func({inside}) -> result<{self.reply.spelled}, {self.failure.spelled}>"


def interface(item: Any) -> wit.ComponentInstanceType:
    """Return the type of an imported or exported interface.

    Raises `UnacceptableComponent` if *item* has an interface's name and is something else.
    """
    ty = item.ty
    if not isinstance(ty, wit.ComponentInstanceType):
        raise UnacceptableComponent(
            "The component imports or exports under the name of an interface what is none.",
            hint="Build it against the world memory-provider of this version.",
        )
    return ty


def read_signature(ty: Any) -> Signature:
    """Read wasmtime's function type; raises `UnacceptableComponent` for a foreign form."""
    result = ty.result if isinstance(ty, wit.FuncType) else None
    if not isinstance(result, wit.ResultType):
        raise UnacceptableComponent(
            "The component exports something of the contract in a form that is not a function "
            "returning a result of two records.",
            hint="Build it against the world memory-provider of this version.",
        )
    reader = TypeReader()
    return Signature(
        parameters=tuple((name, reader.codec(part)) for name, part in ty.params),
        reply=reader.codec(result.ok),
        failure=reader.codec(result.err),
    )


def check(signature: Signature, arguments: Mapping[str, object]) -> list[Any]:
    """Return *arguments*, by parameter name in snake_case, ready to lower.

    Raises `InvalidArguments` naming the field; nothing has entered the guest then.
    """
    return [
        codec.check(arguments.get(name.replace("-", "_")), name.replace("-", "_"))
        for name, codec in signature.parameters
    ]


def invoke(
    store: wasmtime.Store,
    function: wit.Func,
    signature: Signature,
    checked: list[Any],
    budget: Budget,
) -> dict[str, Any] | Failure:
    """Call *function* and lift its answer.

    Raises `wasmtime.WasmtimeError` for a trap and `LimitExceeded` for an answer that is too
    large. wasmtime-py's own call would hand over exceptions of other threads' host
    functions (tech-notes.md section 0.3), so the C interface is called directly.
    """
    count = len(checked)
    parameters = (ffi.wasmtime_component_val_t * count)()
    result = ffi.wasmtime_component_val_t()
    for n, (_, codec) in enumerate(signature.parameters):
        codec.lower(checked[n], parameters[n])
    try:
        error = ffi.wasmtime_component_func_call(
            ctypes.byref(function._func),  # noqa: SLF001 - the handle has no public name
            store._context(),  # noqa: SLF001 - likewise
            parameters,
            count,
            ctypes.byref(result),
            1,
        )
        if bool(error):
            raise wasmtime.WasmtimeError._from_ptr(error)  # noqa: SLF001 - takes ownership
        return _lift(signature, result, budget)
    finally:
        for n in range(count):
            ffi.wasmtime_component_val_delete(ctypes.byref(parameters[n]))
        ffi.wasmtime_component_val_delete(ctypes.byref(result))


def _lift(signature: Signature, result: Any, budget: Budget) -> dict[str, Any] | Failure:
    payload = result.of.result.val.contents
    if result.of.result.is_ok:
        reply: dict[str, Any] = signature.reply.lift(payload, budget)
        return reply
    failure = signature.failure.lift(payload, budget)
    return Failure(kind=failure["kind"], code=failure["code"], field_name=failure["field"])
