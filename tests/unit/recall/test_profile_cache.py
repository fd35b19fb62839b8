"""The short memory for profiles (statement 191)."""

from threading import Barrier, Event, Thread

import pytest

from ironclaw_memory.errors import ProviderUnavailable
from ironclaw_memory.model import Scope
from ironclaw_memory.recall import Profile, ProfileCache
from ironclaw_memory.recall.profile_cache import CAPACITY, LIFETIME_SECONDS


ALICE = Scope(tenant="acme", user="alice", agent="coder", project="p", thread="t")
GRAZ = Profile(location="Graz")


class _Store:
    """A provider's profile and a clock, both set by the test."""

    def __init__(self, profile: Profile | None = GRAZ) -> None:
        self.profile = profile
        self.now = 100.0
        self.read: list[Scope] = []
        self.cache = ProfileCache(self._read, clock=lambda: self.now)

    def _read(self, scope: Scope) -> Profile | None:
        self.read.append(scope)
        return self.profile


def test_a_hit_is_served_until_its_time_is_over() -> None:
    """Five seconds, then the document is read again."""
    store = _Store()
    store.cache.get(ALICE)
    store.profile = Profile(location="Wien")

    store.now += LIFETIME_SECONDS - 0.001
    assert store.cache.get(ALICE) == GRAZ
    store.now += 0.001
    assert Profile(location="Wien") == store.cache.get(ALICE)
    assert len(store.read) == 2


def test_the_key_is_tenant_and_user_and_the_reading_is_at_the_user_level() -> None:
    """Agents and projects of one user share it; another tenant does not."""
    store = _Store()

    store.cache.get(ALICE)
    store.cache.get(Scope(tenant="acme", user="alice"))
    store.cache.get(Scope(tenant="other", user="alice"))

    assert [Scope(tenant="acme", user="alice"), Scope(tenant="other", user="alice")] == store.read


def test_a_new_profile_is_seen_at_once_after_a_miss() -> None:
    """Absence is never kept."""
    store = _Store(None)

    assert store.cache.get(ALICE) is None
    store.profile = GRAZ
    assert store.cache.get(ALICE) == GRAZ


def test_forgetting_reads_again() -> None:
    """A profile that was just written is not hidden by the old one."""
    store = _Store()
    store.cache.get(ALICE)
    store.profile = Profile(location="Wien")

    store.cache.forget(ALICE)

    assert Profile(location="Wien") == store.cache.get(ALICE)


def test_a_failed_reading_is_raised_and_not_kept() -> None:
    """The next reading may succeed."""
    outcomes: list[Profile | Exception] = [ProviderUnavailable("down"), GRAZ]

    def read(_: Scope) -> Profile:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    cache = ProfileCache(read, clock=lambda: 0.0)

    with pytest.raises(ProviderUnavailable):
        cache.get(ALICE)
    assert cache.get(ALICE) == GRAZ


def test_the_oldest_user_makes_room() -> None:
    """The cache never holds more than its capacity."""
    store = _Store()
    users = [Scope(tenant="acme", user=f"u{number}") for number in range(CAPACITY + 1)]

    for user in users:
        store.cache.get(user)
    store.cache.get(users[-1])
    store.cache.get(users[0])

    assert len(store.read) == CAPACITY + 2


def test_many_threads_that_miss_cause_one_reading() -> None:
    """The others wait for the first and get its answer."""
    release = Event()
    readings: list[Scope] = []

    def read(scope: Scope) -> Profile:
        readings.append(scope)
        release.wait(30)
        return GRAZ

    cache = ProfileCache(read, clock=lambda: 0.0)
    start = Barrier(8, timeout=30)
    answers: list[Profile | None] = []

    def ask() -> None:
        start.wait()
        answers.append(cache.get(ALICE))

    threads = [Thread(target=ask) for _ in range(7)]
    for thread in threads:
        thread.start()
    start.wait()
    release.set()
    for thread in threads:
        thread.join(30)

    assert answers == [GRAZ] * 7
    assert len(readings) == 1


def test_a_reading_overtaken_by_a_write_is_not_kept() -> None:
    """What was read before the write must not be served after it."""
    reading, release = Event(), Event()
    answers = [Profile(location="old"), Profile(location="new")]

    def read(_: Scope) -> Profile:
        reading.set()
        release.wait(30)
        return answers.pop(0)

    cache = ProfileCache(read, clock=lambda: 0.0)
    slow = Thread(target=cache.get, args=(ALICE,))
    slow.start()
    reading.wait(30)
    cache.forget(ALICE)
    release.set()
    slow.join(30)

    assert Profile(location="new") == cache.get(ALICE)
