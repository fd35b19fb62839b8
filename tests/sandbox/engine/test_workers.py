"""Worker processes: what kills one costs a call, and none outlives its host."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.sandbox.engine.conftest import SHORT, Bench

from ironclaw_memory.errors import InvalidOutput, LimitExceeded, ProviderTrapped, ScopeBusy
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.engine import Engine
from ironclaw_memory.sandbox.runner import ThreadRunner
from ironclaw_memory.scopes import LocalStore, LockMode, MountKind


pytestmark = pytest.mark.sandbox

ORPHAN = """
import pathlib, sys, json
sys.path[:] = json.loads(sys.argv[1])
from tests.sandbox.engine.conftest import Bench
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.process import ProcessRunner
from ironclaw_memory.scopes import LocalStore
root = pathlib.Path(sys.argv[2])
artifact = Artifact(path=pathlib.Path(sys.argv[3]), digest=sys.argv[4])
bench = Bench(ProcessRunner(LocalStore(root), Cache(pathlib.Path(sys.argv[5]))), artifact, root)
def record(event):
    task = pathlib.Path("/proc/self/task")
    print(*[w for t in task.iterdir() for w in (t / "children").read_text().split()], flush=True)
    return True
bench.ask("tell", change={"record": record}, count=1)
bench.ask("loop", change={"deadline_ms": 600_000})
"""


def test_a_pipe_does_not_hold_the_host(processes: Bench) -> None:
    """No epoch reaches a guest that opens a pipe; its process is killed."""
    processes.home.mkdir(parents=True)
    os.mkfifo(processes.home / "pipe")

    with pytest.raises(LimitExceeded) as caught:
        processes.ask("cat", change=SHORT, path="/memory/pipe")
    assert caught.value.limit == "deadline_ms"
    assert processes.ask("echo", text="next") == "next"


def test_a_planted_link_fails_the_call(processes: Bench) -> None:
    """A guest can make a link that leads out; the call is not acknowledged."""
    with pytest.raises(InvalidOutput) as caught:
        processes.ask("link", source="../../../../secret", target="link")
    assert caught.value.code == "link-in-scope"
    assert processes.ask("echo", text="next") == "next"


def _workers() -> list[int]:
    """Return the children of this process."""
    lists = [task / "children" for task in Path("/proc/self/task").iterdir()]
    return [int(word) for file in lists for word in file.read_text().split()]


def test_a_killed_worker_fails_its_call_alone(processes: Bench) -> None:
    """Whoever kills a worker in the middle of a call costs that call and nothing more."""
    started = threading.Event()

    def record(event: object) -> bool:
        started.set()
        for pid in _workers():
            os.kill(pid, signal.SIGKILL)
        return True

    with pytest.raises(ProviderTrapped) as caught:
        processes.ask("tell", change={"record": record}, count=1)

    assert started.is_set()
    assert caught.value.code == "worker-died"
    assert processes.ask("echo", text="next") == "next"


@pytest.mark.skipif(sys.platform != "linux", reason="death with the parent is Linux's")
def test_a_worker_dies_with_its_host_and_frees_the_scope(
    probe: Artifact, cache: Cache, tmp_path: Path
) -> None:
    """A killed host leaves no orphan that goes on writing, and no lock."""
    cache.load(Engine(), probe)
    store = LocalStore(tmp_path / "root")
    command = [sys.executable, "-c", ORPHAN, json.dumps(sys.path), str(store.root)]
    where = [str(probe.path), probe.digest, str(cache.directory_of(probe))]
    with subprocess.Popen([*command, *where], stdout=subprocess.PIPE, text=True) as host:
        assert host.stdout is not None
        (worker,) = map(int, host.stdout.readline().split())
        host.kill()
        host.wait()

        call = Bench(ThreadRunner(store, cache), probe, store.root).call
        with store.lock(
            call.scope,
            kind=MountKind.DOCUMENTS,
            mode=LockMode.EXCLUSIVE,
            deadline=time.monotonic() + 60,
        ):
            assert not _is_running(worker)


def _is_running(pid: int) -> bool:
    """Say whether a process is there and no zombie, which has no command line."""
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return False


def test_the_worker_holds_the_lock(processes: Bench) -> None:
    """While the guest runs, its process is the one that others wait for."""
    store, seen = LocalStore(processes.root), []

    def record(event: object) -> bool:
        try:
            with store.lock(
                processes.call.scope,
                kind=MountKind.DOCUMENTS,
                mode=LockMode.SHARED,
                deadline=0,
            ):
                pass
        except ScopeBusy as busy:
            seen.append(busy.holder)
        return True

    processes.ask("tell", change={"record": record}, count=1)

    assert seen in [[f"process {pid}"] for pid in _workers()]
