"""Scope locks, with real threads and real processes."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ironclaw_memory.errors import RootUnusable, ScopeBusy
from ironclaw_memory.scopes import LockMode
from ironclaw_memory.scopes.locks import held


FOREVER = 1e12
HOLD = """
import sys, time, pathlib
from ironclaw_memory.scopes.locks import LockMode, held
with held(pathlib.Path(sys.argv[1]), "scope", LockMode(sys.argv[2]), deadline=1e12):
    print("held", flush=True)
    sys.stdin.read()
"""
COUNT = """
import sys, pathlib
from ironclaw_memory.scopes.locks import LockMode, held
root = pathlib.Path(sys.argv[1])
for _ in range(100):
    with held(root, "scope", LockMode.EXCLUSIVE, deadline=1e12):
        number = int((root / "count").read_text())
        (root / "count").write_text(str(number + 1))
"""


@contextmanager
def _holder(root: Path, mode: LockMode) -> Iterator[subprocess.Popen[str]]:
    """Run another process that holds the lock until its input ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(root), mode.value],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (LockMode.EXCLUSIVE, LockMode.SHARED),
        (LockMode.EXCLUSIVE, LockMode.EXCLUSIVE),
        (LockMode.SHARED, LockMode.EXCLUSIVE),
    ],
)
def test_waiting_ends_and_names_the_holder(
    tmp_path: Path, theirs: LockMode, ours: LockMode
) -> None:
    """Whoever waits in vain learns which process holds the scope."""
    with _holder(tmp_path, theirs) as other:
        with pytest.raises(ScopeBusy) as caught, held(tmp_path, "scope", ours, deadline=0):
            pass
        assert caught.value.holder == f"process {other.pid}"


def test_readers_share(tmp_path: Path) -> None:
    """Reading does not wait for reading, in another process or in this one."""
    with (
        _holder(tmp_path, LockMode.SHARED),
        held(tmp_path, "scope", LockMode.SHARED, deadline=0),
        held(tmp_path, "scope", LockMode.SHARED, deadline=0),
    ):
        pass


def test_a_killed_holder_gives_the_lock_back(tmp_path: Path) -> None:
    """Nothing is left behind by a process that is gone."""
    with _holder(tmp_path, LockMode.EXCLUSIVE) as other:
        other.kill()
        other.wait()

        with held(tmp_path, "scope", LockMode.EXCLUSIVE, deadline=0):
            pass


def test_threads_exclude_one_another(tmp_path: Path) -> None:
    """A second thread of the same process is as foreign as another process."""
    with held(tmp_path, "scope", LockMode.EXCLUSIVE, deadline=0):
        outcome: list[BaseException] = []

        def attempt() -> None:
            try:
                with held(tmp_path, "scope", LockMode.SHARED, deadline=0):
                    pass
            except ScopeBusy as busy:
                outcome.append(busy)

        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
    assert len(outcome) == 1


def test_no_update_is_lost_between_processes(tmp_path: Path) -> None:
    """Three processes that read, add and write end at the sum."""
    (tmp_path / "count").write_text("0")
    command = [sys.executable, "-c", COUNT, str(tmp_path)]

    for process in [subprocess.Popen(command) for _ in range(3)]:
        assert process.wait() == 0
    assert (tmp_path / "count").read_text() == "300"


def test_a_waiting_writer_keeps_later_readers_out(tmp_path: Path) -> None:
    """A writer that waits for a reader is not overtaken by readers that come later."""
    waiting = threading.Event()

    def clock() -> float:
        waiting.set()  # asked for the first time when the first attempt has failed
        return time.monotonic()

    def write() -> None:
        with held(tmp_path, "scope", LockMode.EXCLUSIVE, deadline=FOREVER, clock=clock):
            pass

    with held(tmp_path, "scope", LockMode.SHARED, deadline=0):
        writer = threading.Thread(target=write)
        writer.start()
        waiting.wait()
        with pytest.raises(ScopeBusy), held(tmp_path, "scope", LockMode.SHARED, deadline=0):
            pass
    writer.join()


def test_other_scopes_are_not_held(tmp_path: Path) -> None:
    """A lock holds one scope."""
    with (
        held(tmp_path, "one", LockMode.EXCLUSIVE, deadline=0),
        held(tmp_path, "other", LockMode.EXCLUSIVE, deadline=0),
    ):
        pass


def test_a_link_among_the_locks_is_refused(tmp_path: Path) -> None:
    """Nobody makes the host lock, and write into, a file of their choice."""
    (tmp_path / "host/locks").mkdir(parents=True)
    (tmp_path / "target").write_text("mine")
    (tmp_path / "host/locks/scope.lock").symlink_to(tmp_path / "target")

    with (
        pytest.raises(RootUnusable),
        held(tmp_path, "scope", LockMode.EXCLUSIVE, deadline=0),
    ):
        pass
    assert (tmp_path / "target").read_text() == "mine"
