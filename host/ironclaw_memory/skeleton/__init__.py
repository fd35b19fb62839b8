"""What ``component new`` writes: the tutorial's provider under a name of your own.

The files are those of ``component/minimal``, which the contract suite holds to the
contract; nothing is generated that was not tested.
"""

import keyword
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ironclaw_memory.assets import data_root
from ironclaw_memory.errors import InvalidArguments, RootUnusable


TEMPLATE: Final = Path("component", "minimal")
_PACKAGE: Final = "minimal_memory"
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_TAKEN: Final = frozenset({*keyword.kwlist, *sys.stdlib_module_names})
_BINDINGS: Final = re.compile(r"wit_world|poll_loop|componentize_py_.*")
"""The modules that componentize-py puts beside a provider."""

_FOR_INSTANCE: Final = "For instance: `ironclaw-memory component new my-memory`."
_LEFT_OUT: Final = frozenset({"__pycache__"})


def write_skeleton(directory: Path) -> tuple[Path, ...]:
    """Write a provider named after *directory* into it and return the files that were written.

    The directory must be absent or empty, and its name, with hyphens read as underscores,
    the name of a Python package. Raises `InvalidArguments` otherwise, and `RootUnusable`
    if the files cannot be written.
    """
    name = _package_name(directory)
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise InvalidArguments(
            f"{directory.name} is already there and not empty.",
            field="name",
            hint="Choose another name, or an empty directory.",
        )
    try:
        return tuple(_written(directory, name))
    except OSError:
        raise RootUnusable(
            "The provider's files cannot be written.",
            hint="Check that the directory above can be written.",
        ) from None


def _package_name(directory: Path) -> str:
    name = directory.resolve().name.replace("-", "_")
    if not _NAME.fullmatch(name) or name == _PACKAGE:
        raise InvalidArguments(
            "name: must be a letter followed by at most 39 lower-case letters, digits, - and _.",
            field="name",
            hint=_FOR_INSTANCE,
        )
    if name in _TAKEN:
        raise InvalidArguments(
            "name: is a word of Python or a module of its library, which no package can be.",
            field="name",
            hint=_FOR_INSTANCE,
        )
    if _BINDINGS.fullmatch(name):
        raise InvalidArguments(
            "name: is a module of the bindings that every provider is built with.",
            field="name",
            hint=_FOR_INSTANCE,
        )
    return name


def _written(directory: Path, name: str) -> Iterator[Path]:
    template = data_root() / TEMPLATE
    for source in sorted(path for path in template.rglob("*") if path.is_file()):
        if _LEFT_OUT & set(source.parts):
            continue
        place = source.relative_to(template).as_posix().replace(_PACKAGE, name)
        target = directory / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_renamed(source.read_text(encoding="utf-8"), name), encoding="utf-8")
        yield target


def _renamed(text: str, name: str) -> str:
    """Return *text* with the tutorial's names replaced by those of *name*."""
    own = name.replace("_", "-")
    title = name.replace("_", " ").capitalize()
    for old, new in (
        (_PACKAGE, name),
        ("example.minimal", f"example.{own}"),
        ("component/minimal", own),
        ("minimal.wasm", f"{own}.wasm"),
        ("Minimal memory", title),
    ):
        text = text.replace(old, new)
    return text
