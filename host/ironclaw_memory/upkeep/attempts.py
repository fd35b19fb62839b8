"""Steps after a turn: each is tried, bounded in time, and its failure is a value."""

from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from ironclaw_memory.errors import HostFault, IronclawMemoryError, LimitExceeded


T = TypeVar("T")


def attempted(action: Callable[[], T]) -> T | IronclawMemoryError:
    """Return the result or the error; a turn that is over must not fail, whatever broke."""
    try:
        return action()
    except IronclawMemoryError as error:
        return error
    except Exception as error:  # noqa: BLE001 - see above; the type is named, the text is not
        return HostFault(
            f"An unexpected {type(error).__name__} in the memory host.",
            code="internal",
            hint="Please report it.",
        )


def within(seconds: float, action: Callable[[], T]) -> T:
    """Return what *action* returns, waiting *seconds* at most.

    Raises `LimitExceeded` where it takes longer; it then goes on in the background, under
    the host's own deadline, and its result is not looked at.
    """
    outcomes: list[T | IronclawMemoryError] = []
    thread = Thread(target=lambda: outcomes.append(attempted(action)), daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcomes:
        raise LimitExceeded(
            f"It took longer than {seconds:g} seconds.",
            limit="recording_seconds",
            hint="The transcript of this turn may be missing.",
        )
    if isinstance(outcomes[0], IronclawMemoryError):
        raise outcomes[0]
    return outcomes[0]
