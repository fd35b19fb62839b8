"""Room in a scope: counted by a walk, guessed in between, and never asked of those who make room."""

import unicodedata
from pathlib import Path

import pytest

from ironclaw_memory import quota
from ironclaw_memory.errors import LimitExceeded
from ironclaw_memory.model import Scope
from ironclaw_memory.quota import KEPT_SECONDS, Addition, Quota
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.scopes import LocalStore, Mount, directory_of, scan
from ironclaw_memory.scopes.walk import Scan


SCOPE = Scope(tenant="acme", user="alice")
LIMITS = Limits(scope_files=3, scope_bytes=100)


class Clock:
    """A clock that a test moves."""

    seconds = 0.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.seconds


@pytest.fixture(name="clock")
def _clock() -> Clock:
    return Clock()


@pytest.fixture(name="room")
def _room(tmp_path: Path, clock: Clock) -> Quota:
    return Quota(LocalStore(tmp_path), LIMITS, clock=clock)


@pytest.fixture(name="disk")
def _disk(tmp_path: Path) -> Path:
    path = tmp_path.joinpath(*directory_of(SCOPE))
    path.mkdir(parents=True)
    return path


def test_a_scope_that_is_not_there_has_room_and_is_not_made(room: Quota, tmp_path: Path) -> None:
    """Asking leaves no trace."""
    room.reserve(SCOPE, Addition(size=100, path="a.md"))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("addition", "limit"),
    [
        (Addition(size=1, path="d.md"), "scope_files"),
        (Addition(size=1), "scope_files"),
        (Addition(size=71, path="a.md"), "scope_bytes"),
        (Addition(size=81, path="a.md", replaces=True), "scope_bytes"),
    ],
)
def test_what_does_not_fit_is_refused_naming_the_limit(
    room: Quota, disk: Path, addition: Addition, limit: str
) -> None:
    """Three documents of ten bytes each, where three and a hundred are allowed."""
    for name in ("a.md", "b.md", "c.md"):
        (disk / name).write_text("x" * 10)

    with pytest.raises(LimitExceeded) as refused:
        room.reserve(SCOPE, addition)
    assert refused.value.limit == limit


@pytest.mark.parametrize(
    "addition",
    [
        Addition(size=70, path="a.md"),
        Addition(size=80, path="a.md", replaces=True),
        Addition(size=0, path="caf\u00e9.md"),
    ],
)
def test_a_full_scope_takes_what_fits_into_its_documents(
    room: Quota, disk: Path, addition: Addition
) -> None:
    """Both limits are inclusive, and a decomposed name is the same document."""
    for name in ("a.md", "b.md", unicodedata.normalize("NFD", "caf\u00e9.md")):
        (disk / name).write_text("x" * 10)

    room.reserve(SCOPE, addition)


def test_a_scope_over_its_quota_may_shrink(room: Quota, disk: Path) -> None:
    """A patch or a rewrite that makes a document smaller is how a person gets out of it."""
    for number in range(5):
        (disk / f"{number}.md").write_text("x" * 50)

    room.reserve(SCOPE, Addition(size=49, path="1.md", replaces=True))
    room.reserve(SCOPE, Addition(size=-5, path="2.md"))
    with pytest.raises(LimitExceeded):
        room.reserve(SCOPE, Addition(size=51, path="1.md", replaces=True))


def test_the_store_of_the_provider_is_not_counted(room: Quota, disk: Path) -> None:
    """Versions and the index are counted apart."""
    (disk / ".store").mkdir()
    (disk / ".store" / "index").write_text("x" * 1000)

    room.reserve(SCOPE, Addition(size=100, path="a.md"))


def test_what_was_promised_counts_until_the_next_walk(
    room: Quota, disk: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One walk serves until the guess is full or old; others' documents are seen then."""
    walks: list[float] = []

    def counting(mount: Mount) -> Scan:
        walks.append(clock.seconds)
        return scan(mount)

    monkeypatch.setattr(quota, "scan", counting)

    room.reserve(SCOPE, Addition(size=10, path="a.md"))
    room.reserve(SCOPE, Addition(size=10, path="b.md"))
    assert walks == [0.0]
    clock.seconds = KEPT_SECONDS
    for number in range(3):
        (disk / f"{number}.md").write_text("x")
    with pytest.raises(LimitExceeded):
        room.reserve(SCOPE, Addition(size=10, path="c.md"))
    assert walks == [0.0, KEPT_SECONDS]
    (disk / "0.md").unlink()
    room.reserve(SCOPE, Addition(size=10, path="c.md"))
