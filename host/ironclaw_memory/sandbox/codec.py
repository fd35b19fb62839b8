"""Lower plain Python values into the guest and lift its answers, in this one place.

wasmtime-py reads a function's type tree anew for every call and checks no ranges
(tech-notes.md sections 1.2 and 2). Here the tree is read once into codecs. Lowering is
two steps: `check` refuses what does not fit before anything enters wasm, `lower` cannot
fail. Lifting takes every string and list out of a `Budget` before it touches them.

Records are mappings or objects with snake_case names on the way in and dictionaries
with snake_case keys on the way out; an enum is its WIT word; an option is ``None``.
"""

import ctypes
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Protocol

from wasmtime import _ffi as ffi
from wasmtime import component as wit

from ironclaw_memory.errors import (
    InvalidArguments,
    InvalidOutput,
    LimitExceeded,
    UnacceptableComponent,
)


MAX_TYPE_NODES: Final = 500
"""Ten times the largest function of the contract; a hostile type may expand to a million."""

_BOOL: Final = ffi.WASMTIME_COMPONENT_BOOL.value
_STRING: Final = ffi.WASMTIME_COMPONENT_STRING.value
_LIST: Final = ffi.WASMTIME_COMPONENT_LIST.value
_RECORD: Final = ffi.WASMTIME_COMPONENT_RECORD.value
_ENUM: Final = ffi.WASMTIME_COMPONENT_ENUM.value
_OPTION: Final = ffi.WASMTIME_COMPONENT_OPTION.value
_F64: Final = ffi.WASMTIME_COMPONENT_F64.value


@dataclass
class Budget:
    """What is left of a reply's size: bytes of text and elements of lists."""

    bytes_left: int
    items_left: int

    def text(self, size: int) -> None:
        """Take *size* bytes; raises `LimitExceeded` when they are not there."""
        self.bytes_left -= size
        if self.bytes_left < 0:
            raise LimitExceeded(
                "The provider's answer is larger than allowed.",
                limit="reply_bytes",
                hint="Ask for less, or mend the provider.",
            )

    def items(self, count: int) -> None:
        """Take *count* elements; raises `LimitExceeded` when they are not there."""
        self.items_left -= count
        if self.items_left < 0:
            raise LimitExceeded(
                "The provider's answer has more parts than allowed.",
                limit="reply_items",
                hint="Ask for less, or mend the provider.",
            )


class Codec(Protocol):
    """One WIT type; ``spelled`` is the type as the contract table writes it."""

    spelled: str

    def check(self, value: object, where: str) -> Any:
        """Return *value* in the form that `lower` takes; raises `InvalidArguments`."""
        ...

    def lower(self, checked: Any, into: Any) -> None:
        """Write a checked value into a C value that is still empty."""
        ...

    def lift(self, value: Any, budget: Budget) -> Any:
        """Return a C value as plain Python; the C value stays as it is."""
        ...


def _wrong(where: str, expected: str) -> InvalidArguments:
    return InvalidArguments(f"{where or 'the value'} must be {expected}.", field=where)


def _fill(vector: Any, data: bytes) -> None:
    ffi.wasm_byte_vec_new_uninitialized(ctypes.byref(vector), len(data))
    ctypes.memmove(vector.data, data, len(data))


def _text(vector: Any) -> str:
    size: int = vector.size
    return ctypes.string_at(vector.data, size).decode() if size else ""


class BoolCodec:
    """``bool``."""

    spelled = "bool"

    def check(self, value: object, where: str) -> bool:
        """Take true and false only."""
        if not isinstance(value, bool):
            raise _wrong(where, "true or false")
        return value

    def lower(self, checked: Any, into: Any) -> None:
        """Write it."""
        into.kind = _BOOL
        into.of.boolean = checked

    def lift(self, value: Any, budget: Budget) -> bool:
        """Read it."""
        return bool(value.of.boolean)


class IntCodec:
    """``u32`` and ``u64``, the integers of the contract."""

    def __init__(self, bits: int, kind: int) -> None:
        """Hold *bits* bits, tagged *kind* in C."""
        self.spelled = f"u{bits}"
        self._top = 1 << bits
        self._kind = kind

    def check(self, value: object, where: str) -> int:
        """Take whole numbers in range; a bool is none."""
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < self._top:
            raise _wrong(where, f"a whole number from 0 to {self._top - 1}")
        return value

    def lower(self, checked: int, into: Any) -> None:
        """Write it."""
        into.kind = self._kind
        setattr(into.of, self.spelled, checked)

    def lift(self, value: Any, budget: Budget) -> int:
        """Read it."""
        number: int = getattr(value.of, self.spelled)
        return number


class FloatCodec:
    """``f64``, finite numbers only in both directions."""

    spelled = "f64"

    def check(self, value: object, where: str) -> float:
        """Take finite numbers."""
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            raise _wrong(where, "a finite number")
        return float(value)

    def lower(self, checked: float, into: Any) -> None:
        """Write it."""
        into.kind = _F64
        into.of.f64 = checked

    def lift(self, value: Any, budget: Budget) -> float:
        """Read it; raises `InvalidOutput` for what JSON cannot say."""
        number: float = value.of.f64
        if not math.isfinite(number):
            raise InvalidOutput("The provider answered a number that is not finite.")
        return number


class StringCodec:
    """``string``."""

    spelled = "string"

    def check(self, value: object, where: str) -> bytes:
        """Take text without lone surrogates."""
        if not isinstance(value, str):
            raise _wrong(where, "text")
        try:
            return value.encode()
        except UnicodeEncodeError:
            raise _wrong(where, "valid Unicode text") from None

    def lower(self, checked: bytes, into: Any) -> None:
        """Write it."""
        into.kind = _STRING
        _fill(into.of.string, checked)

    def lift(self, value: Any, budget: Budget) -> str:
        """Read it."""
        vector = value.of.string
        budget.text(vector.size)
        return _text(vector)


class EnumCodec:
    """An enum, as its WIT word."""

    def __init__(self, names: Iterable[str]) -> None:
        """Know the words."""
        self._names = {name: name.encode() for name in names}
        self.spelled = f"enum{{{', '.join(self._names)}}}"

    def check(self, value: object, where: str) -> bytes:
        """Take one of the words, or a Python enum whose value is one."""
        word = value.value if isinstance(value, Enum) else value
        if not isinstance(word, str) or word not in self._names:
            raise _wrong(where, f"one of {', '.join(self._names)}")
        return self._names[word]

    def lower(self, checked: bytes, into: Any) -> None:
        """Write it."""
        into.kind = _ENUM
        _fill(into.of.enumeration, checked)

    def lift(self, value: Any, budget: Budget) -> str:
        """Read it."""
        return _text(value.of.enumeration)


class OptionCodec:
    """An option: ``None`` or the value."""

    def __init__(self, payload: Codec) -> None:
        """Wrap *payload*."""
        self._payload = payload
        self.spelled = f"option<{payload.spelled}>"

    def check(self, value: object, where: str) -> Any:
        """Take ``None`` or what the payload takes."""
        return None if value is None else self._payload.check(value, where)

    def lower(self, checked: Any, into: Any) -> None:
        """Write it; the C side owns a copy on its own heap."""
        into.kind = _OPTION
        if checked is None:
            into.of.option = None
            return
        held = ffi.wasmtime_component_val_t()
        self._payload.lower(checked, held)
        into.of.option = ffi.wasmtime_component_val_new(ctypes.byref(held))

    def lift(self, value: Any, budget: Budget) -> Any:
        """Read it."""
        held = value.of.option
        return self._payload.lift(held.contents, budget) if held else None


class ListCodec:
    """A list of one type."""

    def __init__(self, element: Codec) -> None:
        """Hold *element*s."""
        self._element = element
        self.spelled = f"list<{element.spelled}>"

    def check(self, value: object, where: str) -> list[Any]:
        """Take lists and tuples."""
        if not isinstance(value, list | tuple):
            raise _wrong(where, "a list")
        return [self._element.check(item, f"{where}[{n}]") for n, item in enumerate(value)]

    def lower(self, checked: list[Any], into: Any) -> None:
        """Write it."""
        into.kind = _LIST
        vector = into.of.list
        ffi.wasmtime_component_vallist_new_uninit(ctypes.byref(vector), len(checked))
        for n, item in enumerate(checked):
            self._element.lower(item, vector.data[n])

    def lift(self, value: Any, budget: Budget) -> list[Any]:
        """Read it."""
        vector = value.of.list
        budget.items(vector.size)
        data, lift = vector.data, self._element.lift
        return [lift(data[n], budget) for n in range(vector.size)]


class RecordCodec:
    """A record, as a dictionary with snake_case keys."""

    def __init__(self, fields: Iterable[tuple[str, Codec]]) -> None:
        """Know the fields by their WIT names, in order."""
        self._fields = [(n.encode(), n.replace("-", "_"), codec) for n, codec in fields]
        inside = ", ".join(f"{name.decode()}: {codec.spelled}" for name, _, codec in self._fields)
        self.spelled = f"record{{{inside}}}"

    def check(self, value: object, where: str) -> list[Any]:
        """Take a mapping or an object that has every field."""
        fields = value if isinstance(value, Mapping) else getattr(value, "__dict__", {})
        missing = next((key for _, key, _ in self._fields if key not in fields), None)
        if missing is not None:
            raise _wrong(missing, "given")
        return [codec.check(fields[key], key) for _, key, codec in self._fields]

    def lower(self, checked: list[Any], into: Any) -> None:
        """Write it, names included: the C interface compares them."""
        into.kind = _RECORD
        vector = into.of.record
        ffi.wasmtime_component_valrecord_new_uninit(ctypes.byref(vector), len(self._fields))
        data = vector.data
        for n, (name, _, codec) in enumerate(self._fields):
            entry = data[n]
            _fill(entry.name, name)
            codec.lower(checked[n], entry.val)

    def lift(self, value: Any, budget: Budget) -> dict[str, Any]:
        """Read it."""
        data = value.of.record.data
        return {
            key: codec.lift(data[n].val, budget) for n, (_, key, codec) in enumerate(self._fields)
        }


SCALARS: Final[Mapping[type, Codec]] = {
    wit.Bool: BoolCodec(),
    wit.String: StringCodec(),
    wit.U32: IntCodec(32, ffi.WASMTIME_COMPONENT_U32.value),
    wit.U64: IntCodec(64, ffi.WASMTIME_COMPONENT_U64.value),
    wit.F64: FloatCodec(),
}


class TypeReader:
    """Turns wasmtime's type objects into codecs; refuses types the contract never uses."""

    def __init__(self) -> None:
        """Allow `MAX_TYPE_NODES` nodes in all."""
        self._left = MAX_TYPE_NODES
        self._compound: Mapping[type, Callable[[Any], Codec]] = {
            wit.EnumType: lambda ty: EnumCodec(ty.names),
            wit.OptionType: lambda ty: OptionCodec(self.codec(ty.payload)),
            wit.ListType: lambda ty: ListCodec(self.codec(ty.element)),
            wit.RecordType: lambda ty: RecordCodec([(n, self.codec(t)) for n, t in ty.fields]),
        }

    def codec(self, ty: object) -> Codec:
        """Return the codec of *ty*; raises `UnacceptableComponent`."""
        self._left -= 1
        if self._left >= 0:
            if type(ty) in SCALARS:
                return SCALARS[type(ty)]
            if type(ty) in self._compound:
                return self._compound[type(ty)](ty)
        raise UnacceptableComponent(
            "The component exports a function of a type that the contract does not have.",
            hint="Build it against the world memory-provider of this version.",
        )
