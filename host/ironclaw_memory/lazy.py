"""Packages whose names are imported when they are first used.

A command that needs no provider does not load the sandbox then.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attribute_of(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a ``__getattr__`` for *package*; *homes* is the submodule of each of its names."""

    def attribute(name: str) -> Any:
        if name not in homes:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return attribute
