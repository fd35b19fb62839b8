"""Every fault by its name: the class's name in lower case with hyphens."""

import re
from typing import Final

from mutants import errors, keeping, naming, recall, searching, writing
from mutants.base import Mutant


def _name(kind: type[Mutant]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


MUTANTS: Final[dict[str, type[Mutant]]] = {
    _name(kind): kind
    for module in (errors, writing, naming, searching, recall, keeping)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Mutant) and "rule" in vars(kind)
}


def fault_of(tenant: str) -> str:
    """Return the fault that a tenant's id names: ``lost-update.other`` is ``lost-update``."""
    return tenant.split(".", maxsplit=1)[0]
