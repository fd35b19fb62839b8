"""Whether a provider was entered on behalf of a permitted call.

What was entered may have stored something, and says what it likes about it: its word
cannot give back a one-shot approval or a use of a grant, which would be a call more than
a person allowed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ironclaw_memory.errors import ScopeBusy


class Visit:
    """What one permitted call entered."""

    def __init__(self, outer: "Visit | None") -> None:
        """Have entered nothing; what this call enters, the one around it entered too."""
        self._outer = outer
        self.entered = False

    def enter(self) -> None:
        """Note that a provider runs from here on."""
        self.entered = True
        if self._outer is not None:
            self._outer.enter()


_VISIT: ContextVar[Visit | None] = ContextVar("visit", default=None)


@contextmanager
def visiting() -> Iterator[Visit]:
    """Watch whether anything in the block enters a provider, in this context or a copy of it."""
    outer = _VISIT.get()
    visit = Visit(outer)
    _VISIT.set(visit)
    try:
        yield visit
    finally:
        _VISIT.set(outer)  # no token: the block may end in another context than it began in


@contextmanager
def entering() -> Iterator[None]:
    """Run a provider in the block. Only a busy scope is known to have kept it out."""
    try:
        yield
    except ScopeBusy:
        raise
    except BaseException:
        _enter()
        raise
    _enter()


def _enter() -> None:
    visit = _VISIT.get()
    if visit is not None:
        visit.enter()
