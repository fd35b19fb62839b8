"""``audit.emit`` on wasmtime's C interface: every search and every write calls it.

wasmtime-py reads the function's type anew for each call and turns the event into objects by
it, which takes a tenth of a small search. Here the type is compared with the contract's when the
component is linked, and the codec of that type reads the event.
"""

import ctypes
from typing import Any, Final

import wasmtime
from wasmtime import _ffi as ffi
from wasmtime import component as wit

from ironclaw_memory.errors import LimitExceeded, UnacceptableComponent
from ironclaw_memory.sandbox import ports
from ironclaw_memory.sandbox.codec import (
    SCALARS,
    Budget,
    EnumCodec,
    OptionCodec,
    RecordCodec,
    TypeReader,
)


EVENT_BYTES: Final = 4_096
"""Bytes of text in one event; a well-formed one has some 200 (wit/audit.wit)."""

EVENT: Final = RecordCodec(
    [
        (
            "kind",
            EnumCodec(
                [
                    *("document-written", "document-deleted", "document-indexed"),
                    "search-performed",
                    *("safety-checked", "safety-warned", "safety-rejected", "safety-bypassed"),
                ]
            ),
        ),
        ("path-hash", OptionCodec(SCALARS[wit.String])),
        ("reason", OptionCodec(SCALARS[wit.String])),
        ("registry", OptionCodec(SCALARS[wit.String])),
        ("size", OptionCodec(SCALARS[wit.U64])),
    ]
)
_ANSWER: Final = SCALARS[wit.Bool]
_NAME: Final = b"emit"


def add_emit(instance: wit.LinkerInstance, ty: object) -> None:
    """Answer ``emit`` of *instance*, which the component imports as *ty*.

    Raises `UnacceptableComponent` if that is not the contract's type: the C interface gives out
    values by their types unchecked.
    """
    if not _is_contracts(ty):
        raise UnacceptableComponent(
            "The component's audit.emit does not have the contract's types.",
            hint="Build it against the world memory-provider of this version.",
        )
    error = ffi.wasmtime_component_linker_instance_add_func(
        instance.ptr(), ctypes.create_string_buffer(_NAME), len(_NAME), _emit, None, _nothing
    )
    if bool(error):
        raise wasmtime.WasmtimeError._from_ptr(error)  # noqa: SLF001 - takes ownership


def _is_contracts(ty: object) -> bool:
    if not isinstance(ty, wit.FuncType):
        return False
    parameters = [part for _, part in ty.params]
    if len(parameters) != 1 or not isinstance(ty.result, wit.Bool):
        return False
    return TypeReader().codec(parameters[0]).spelled == EVENT.spelled


@ffi.wasmtime_component_func_callback_t  # type: ignore[untyped-decorator]
def _emit(
    _data: Any, _store: Any, _ty: Any, arguments: Any, _count: int, results: Any, _room: int
) -> int:
    """Answer one call; nothing gets out but false (see `ports`).

    An interrupt on its way in would: guests run off the main thread for that (see `threads`).
    """
    said = False
    try:
        said = ports.emit(EVENT.lift(arguments[0], Budget(EVENT_BYTES, 0)))
    except LimitExceeded:  # of a text that no event has: it is not taken
        pass
    except BaseException as fault:  # noqa: BLE001 - it would end the process
        ports.note(fault)
    _ANSWER.lower(said, results[0])
    return 0


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)  # type: ignore[untyped-decorator]
def _nothing(_data: Any) -> None:
    """Free what was given to wasmtime with the function: nothing was."""
