"""Room in a scope: counted by a walk, guessed in between, and never asked of those who make room."""

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event

import pytest

from ironclaw_memory import quota
from ironclaw_memory.errors import LimitExceeded
from ironclaw_memory.model import Scope
from ironclaw_memory.quota import KEPT_SECONDS, Addition, Quota
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.scopes import LocalStore, Mount, directory_of, scan
from ironclaw_memory.scopes.walk import Scan


SCOPE = Scope(tenant="acme", user="alice")
OTHER = Scope(tenant="acme", user="bob")
PATIENCE = 30.0  # seconds; only a failure takes so long
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


def _write(room: Quota, addition: Addition, scope: Scope = SCOPE) -> None:
    """Let a write in, which is over at once."""
    with room.reserved(scope, addition):
        pass


def test_a_scope_that_is_not_there_has_room_and_is_not_made(room: Quota, tmp_path: Path) -> None:
    """Asking leaves no trace."""
    _write(room, Addition(size=100, path="a.md"))

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
        _write(room, addition)
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

    _write(room, addition)


def test_a_scope_over_its_quota_may_shrink(room: Quota, disk: Path) -> None:
    """A patch or a rewrite that makes a document smaller is how a person gets out of it."""
    for number in range(5):
        (disk / f"{number}.md").write_text("x" * 50)

    _write(room, Addition(size=49, path="1.md", replaces=True))
    _write(room, Addition(size=-5, path="2.md"))
    with pytest.raises(LimitExceeded):
        _write(room, Addition(size=51, path="1.md", replaces=True))


def test_the_store_of_the_provider_is_not_counted(room: Quota, disk: Path) -> None:
    """Versions and the index are counted apart."""
    (disk / ".store").mkdir()
    (disk / ".store" / "index").write_text("x" * 1000)

    _write(room, Addition(size=100, path="a.md"))


def test_what_was_promised_counts_until_the_next_walk(
    room: Quota, disk: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One walk serves until the guess is full or old; others' documents are seen then."""
    walks: list[float] = []

    def counting(mount: Mount) -> Scan:
        walks.append(clock.seconds)
        return scan(mount)

    monkeypatch.setattr(quota, "scan", counting)

    _write(room, Addition(size=10, path="a.md"))
    _write(room, Addition(size=10, path="b.md"))
    assert walks == [0.0]
    clock.seconds = KEPT_SECONDS
    for number in range(3):
        (disk / f"{number}.md").write_text("x")
    with pytest.raises(LimitExceeded):
        _write(room, Addition(size=10, path="c.md"))
    assert walks == [0.0, KEPT_SECONDS]
    (disk / "0.md").unlink()
    _write(room, Addition(size=10, path="c.md"))


@pytest.mark.parametrize("path", ["same.md", None])
@pytest.mark.parametrize("replaces", [True, False])
def test_of_writers_at_once_no_more_are_let_in_than_fit(
    room: Quota, disk: Path, path: str | None, replaces: bool
) -> None:
    """Each walk finds room for one, because what the others add is not on disk yet."""
    (disk / "a.md").write_text("x" * 40)
    everybody = Barrier(8)

    def write(number: int) -> bool:
        name = f"{number}.md" if path is None else path
        try:
            with room.reserved(SCOPE, Addition(size=60, path=name, replaces=replaces)):
                everybody.wait(PATIENCE)  # it runs until all others were answered
        except LimitExceeded:
            everybody.wait(PATIENCE)
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        let_in = sum(threads.map(write, range(8)))
    assert let_in == (8 if path and replaces else 1)


def test_a_write_that_is_over_is_not_counted_twice(room: Quota, disk: Path) -> None:
    """Neither one that failed, once a walk was made, nor one that is on disk."""
    for number in range(3):
        with room.reserved(SCOPE, Addition(size=33, path=f"{number}.md")):
            (disk / f"{number}.md").write_text("x" * 33)
            _write(room, Addition(size=0, path="0.md"))
    for _ in range(9):
        _write(room, Addition(size=1, path="0.md"))


def test_a_walk_holds_up_nobody_in_another_scope(
    room: Quota, disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scope of 20,000 files takes a while."""
    tmp_path.joinpath(*directory_of(OTHER)).mkdir(parents=True)
    walking, may_end = Event(), Event()

    def slow(mount: Mount) -> Scan:
        if mount.parts == directory_of(SCOPE):
            walking.set()
            assert may_end.wait(PATIENCE)
        return scan(mount)

    monkeypatch.setattr(quota, "scan", slow)
    with ThreadPoolExecutor(2) as threads:
        held = threads.submit(_write, room, Addition(size=1))
        try:
            assert walking.wait(PATIENCE)
            threads.submit(_write, room, Addition(size=1), OTHER).result(PATIENCE)
            assert not held.done()
        finally:
            may_end.set()
        held.result(PATIENCE)


def test_no_more_scopes_are_known_than_are_kept_and_none_is_lost_while_written(
    room: Quota, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a second writer would not know of the first."""
    monkeypatch.setattr(quota, "KEPT_SCOPES", 2)
    with room.reserved(SCOPE, Addition(size=100, path="a.md")):
        for user in "abcd":
            _write(room, Addition(size=1), Scope(tenant="acme", user=user))
        with pytest.raises(LimitExceeded):
            _write(room, Addition(size=1, path="b.md"))
    assert len(room._rooms) == 2
