"""What an error says to who sees no more of it than its traceback."""

import copy
import pickle
import traceback

import pytest

from ironclaw_memory.errors import (
    AccessDenied,
    HostClosed,
    HostFault,
    InvalidScope,
    IronclawMemoryError,
    LimitExceeded,
    MissingExtra,
)


def _shown(error: IronclawMemoryError) -> list[str]:
    """Return the lines of a traceback that stand below the error's own."""
    lines = "".join(traceback.format_exception(error)).splitlines()
    return lines[1:]


def test_a_traceback_ends_with_the_hint() -> None:
    """Where there is one."""
    assert _shown(AccessDenied("No.", hint="Ask.")) == ["Hint: Ask."]
    assert _shown(LimitExceeded("Too long.", limit="deadline_ms", hint="Wait.")) == ["Hint: Wait."]
    assert _shown(AccessDenied("No.")) == []


@pytest.mark.parametrize(("later", "shown"), [("Ask Ann.", ["Hint: Ask Ann."]), ("", [])])
def test_a_hint_that_is_changed_is_shown_as_it_is_now(later: str, shown: list[str]) -> None:
    """Once, and beside what others noted."""
    error = AccessDenied("No.", hint="Ask.")
    error.add_note("Of another library.")
    error.hint = later
    error.hint = later
    assert (error.hint, _shown(error)) == (later, ["Of another library.", *shown])


@pytest.mark.parametrize("hint", ["Ask.", ""])
def test_a_copy_of_an_error_has_its_hint_once(hint: str) -> None:
    """Pickled, as a pool of processes does, or copied."""
    error = HostFault("Broken.", code="c", hint=hint)
    error.hint = hint  # as on the way through a host
    for made in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301 - our own
        assert (type(made), vars(made)) == (HostFault, vars(error))
        assert (str(made), made.code, made.hint) == ("Broken.", "c", hint)
        assert _shown(made) == _shown(error)


@pytest.mark.parametrize(
    "error",
    [
        InvalidScope("No.", field="user", hint="Name one."),
        LimitExceeded("Too long.", limit="deadline_ms"),
        HostClosed(),
        MissingExtra("A server", extra="mcp"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_is_copied_whatever_it_is_made_from(error: IronclawMemoryError) -> None:
    """With every field that it has."""
    for made in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301 - our own
        assert (type(made), vars(made), str(made)) == (type(error), vars(error), str(error))
