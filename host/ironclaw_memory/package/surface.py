"""What a component imports and exports, read from its bytes in a few milliseconds."""

from collections.abc import Callable
from typing import Final, NamedTuple

from ironclaw_memory.package.binary import EXPORTS, IMPORTS, Cursor, damaged, sections


_CORE_SORT: Final = 0
_TYPE_DESC: Final = 3
_VALUE_DESC: Final = 2
_FRESH_RESOURCE: Final = 1
_NAME_FORMS: Final = (0, 1)


class Surface(NamedTuple):
    """The names a component imports and exports, as it spells them, sorted."""

    imports: tuple[str, ...]
    exports: tuple[str, ...]


def surface(component: bytes) -> Surface:
    """Return the top-level imports and exports of *component*.

    Raises `ComponentUnreadable` if *component* is not a well-formed component.
    """
    found: dict[int, list[str]] = {IMPORTS: [], EXPORTS: []}
    readers: dict[int, Callable[[Cursor], str]] = {IMPORTS: _import, EXPORTS: _export}
    for section in sections(component):
        reader = readers.get(section.id)
        if reader is None:
            continue
        cursor = Cursor(component, section.start, section.end)
        found[section.id] += [reader(cursor) for _ in range(cursor.u32())]
    return Surface(imports=tuple(sorted(found[IMPORTS])), exports=tuple(sorted(found[EXPORTS])))


def _import(cursor: Cursor) -> str:
    name = _extern_name(cursor)
    _extern_desc(cursor)
    return name


def _export(cursor: Cursor) -> str:
    name = _extern_name(cursor)
    if cursor.byte() == _CORE_SORT:
        cursor.byte()
    cursor.u32()
    if cursor.byte():
        _extern_desc(cursor)
    return name


def _extern_name(cursor: Cursor) -> str:
    if cursor.byte() not in _NAME_FORMS:
        raise damaged()
    return cursor.name()


def _extern_desc(cursor: Cursor) -> None:
    kind = cursor.byte()
    if kind in (_CORE_SORT, _VALUE_DESC):
        cursor.byte()
    elif kind == _TYPE_DESC and cursor.byte() == _FRESH_RESOURCE:
        return  # no index follows
    cursor.u32()
