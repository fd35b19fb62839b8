"""Profiles for a few seconds, so that a turn does not read one document ten times.

Rules (reference.md section 6): 5 seconds, 1,024 users, keyed by tenant and
user; an absent profile is not kept, so that a new one is seen at once; two
threads that miss the same user cause one reading.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Final

from ironclaw_memory.model import Scope
from ironclaw_memory.recall.profile import Profile


LIFETIME_SECONDS: Final = 5.0
CAPACITY: Final = 1_024

_Key = tuple[str, str]


@dataclass
class _Flight:
    """One reading in progress, and what became of it."""

    landed: Event = field(default_factory=Event)
    profile: Profile | None = None
    error: Exception | None = None


class ProfileCache:
    """Reads a profile through *read*, at most once per user at a time.

    *clock* returns seconds and never goes back. Safe for threads.
    """

    def __init__(
        self, read: Callable[[Scope], Profile | None], *, clock: Callable[[], float]
    ) -> None:
        """Start empty."""
        self._read = read
        self._clock = clock
        self._lock = Lock()
        self._kept: OrderedDict[_Key, tuple[float, Profile]] = OrderedDict()
        self._flights: dict[_Key, _Flight] = {}

    def get(self, scope: Scope) -> Profile | None:
        """Return the profile of the scope's user. Raises what *read* raises."""
        key = (scope.tenant, scope.user)
        with self._lock:
            kept = self._fresh(key)
            if kept is not None:
                return kept
            flight = self._flights.get(key)
            leads = flight is None
            if flight is None:
                flight = self._flights[key] = _Flight()
        if leads:
            self._fly(key, flight, scope)
        flight.landed.wait()
        if flight.error is not None:
            raise flight.error
        return flight.profile

    def forget(self, scope: Scope) -> None:
        """Read again next time, because the profile was just written.

        A reading in progress serves those who wait for it and is not kept.
        """
        key = (scope.tenant, scope.user)
        with self._lock:
            self._kept.pop(key, None)
            self._flights.pop(key, None)

    def _fresh(self, key: _Key) -> Profile | None:
        entry = self._kept.get(key)
        if entry is None or self._clock() - entry[0] >= LIFETIME_SECONDS:
            return None
        self._kept.move_to_end(key)
        return entry[1]

    def _fly(self, key: _Key, flight: _Flight, scope: Scope) -> None:
        """Read for everyone who waits."""
        started = self._clock()
        try:
            flight.profile = self._read(scope.user_level())
        except Exception as error:  # noqa: BLE001 - raised again in `get`, for each who waited
            flight.error = error
        finally:
            self._land(key, flight, started)

    def _land(self, key: _Key, flight: _Flight, started: float) -> None:
        with self._lock:
            if self._flights.get(key) is flight:
                del self._flights[key]
                self._keep(key, flight.profile, started)
        flight.landed.set()

    def _keep(self, key: _Key, profile: Profile | None, started: float) -> None:
        if profile is None:
            self._kept.pop(key, None)
            return
        self._kept[key] = (started, profile)
        self._kept.move_to_end(key)
        while len(self._kept) > CAPACITY:
            self._kept.popitem(last=False)
