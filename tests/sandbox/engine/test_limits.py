"""Limits: each is named, costs one call, and leaves the host serving."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox.engine.conftest import Bench

from ironclaw_memory.errors import (
    HostFault,
    InvalidOutput,
    LimitExceeded,
    ProviderTrapped,
    ScopeBusy,
)
from ironclaw_memory.model import Access
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.engine import Engine
from ironclaw_memory.sandbox.limits import MIB, Limits
from ironclaw_memory.sandbox.process import ProcessRunner
from ironclaw_memory.sandbox.runner import ThreadRunner
from ironclaw_memory.scopes import LocalStore, LockMode, MountKind


pytestmark = pytest.mark.sandbox

SMALL = Limits(scope_bytes=20 * MIB, file_bytes=10 * MIB, scope_files=300, worker_files=64)
SHORT = {"deadline_ms": 300}


@pytest.fixture
def small(probe: Artifact, cache: Cache, tmp_path: Path) -> Iterator[Bench]:
    """Ask the probe in workers with little room on disk."""
    runner = ProcessRunner(LocalStore(tmp_path / "root"), cache, SMALL)
    yield Bench(runner, probe, tmp_path / "root")
    runner.close()


@pytest.mark.parametrize(
    ("verb", "words", "limit"),
    [
        ("loop", {}, "deadline_ms"),
        ("deep", {"levels": 5_000}, "stack_bytes"),
        ("log", {"size": 200_000}, "stderr_bytes"),
    ],
)
def test_a_crossed_limit_is_named_and_the_next_call_works(
    bench: Bench, verb: str, words: dict[str, Any], limit: str
) -> None:
    """The instance is gone, with whatever it remembered."""
    bench.ask("remember", word="before")
    with pytest.raises(LimitExceeded) as caught:
        bench.ask(verb, change=SHORT, **words)

    assert caught.value.limit == limit
    assert bench.ask("remember", word="after") == ["after"]


@pytest.mark.parametrize(("verb", "words"), [("crash", {}), ("leave", {"status": 3})])
def test_a_trap_costs_one_call(bench: Bench, verb: str, words: dict[str, Any]) -> None:
    """The error is ours, without a word of the guest's traceback or the engine's."""
    with pytest.raises(ProviderTrapped) as caught:
        bench.ask(verb, **words)

    assert "ZeroDivisionError" not in f"{caught.value.message}{caught.value.hint}"
    assert "wasm" not in caught.value.message
    assert bench.ask("echo", text="next") == "next"


def test_a_call_without_time_is_refused_and_harms_nothing(bench: Bench) -> None:
    """Time that is used up before the guest is reached does not leave half an instance."""
    with pytest.raises(LimitExceeded) as caught:
        bench.ask("echo", change={"deadline_ms": 0}, text="x")

    assert caught.value.limit == "deadline_ms"
    assert bench.ask("echo", text="next") == "next"


def test_memory_is_bounded(bench: Bench) -> None:
    """A guest that asks for too much is told no, and may go on."""
    assert bench.ask("grow", mebibytes=50) == 50 * MIB
    assert bench.ask("grow", mebibytes=400) == "MemoryError: None"


def test_a_large_answer_is_not_taken(threads: Bench) -> None:
    """Bytes and parts of an answer are counted before they are read."""
    with pytest.raises(LimitExceeded) as caught:
        threads.ask("echo", text="x" * 2 * MIB)
    assert caught.value.limit == "reply_bytes"

    assert len(threads.plain("tools", "read", request={"path": "x" * MIB})["content"]) == 2 * MIB
    with pytest.raises(LimitExceeded) as caught:
        threads.plain("tools", "search", request={"query": "", "limit": 70_000})
    assert caught.value.limit == "reply_items"


def test_a_log_within_the_limit_is_counted_per_call(bench: Bench) -> None:
    """An honest provider may log a little in every call for ever."""
    sizes = [bench.reply("log", size=40_000).log_bytes for _ in range(5)]

    assert sizes == [40_000] * 5


def test_a_database_is_not_locked_for_ever(bench: Bench) -> None:
    """A guest that is stopped while it holds a lock does not lock out those after it."""
    with pytest.raises(LimitExceeded):
        bench.ask("seize", change=SHORT)

    assert bench.ask("tables", count=5) == 5


def test_a_pipe_does_not_hold_the_host(processes: Bench) -> None:
    """No epoch reaches a guest that opens a pipe; its process is killed."""
    processes.home.mkdir(parents=True)
    os.mkfifo(processes.home / "pipe")

    with pytest.raises(LimitExceeded) as caught:
        processes.ask("cat", change=SHORT, path="/memory/pipe")
    assert caught.value.limit == "deadline_ms"
    assert processes.ask("echo", text="next") == "next"


def test_descriptors_are_the_workers_own(small: Bench) -> None:
    """A guest that hoards files meets the worker's limit, and the next call starts afresh."""
    assert small.ask("hoard", count=10_000) == -1
    assert small.ask("remember", word="next") == ["next"]


def test_a_flood_in_one_file_stops_at_its_size(small: Bench) -> None:
    """The system cuts a single file off; the guest is told."""
    assert small.ask("flood", mebibytes=50).startswith("OSError")
    assert (small.home / "flood").stat().st_size <= SMALL.file_bytes


def test_a_hole_is_as_large_as_it_looks(small: Bench) -> None:
    """A sparse file meets the same limit."""
    assert small.ask("hole", size=1 << 40).startswith("OSError")


def test_many_files_are_noticed(small: Bench) -> None:
    """Files are counted during the call, and the call fails."""
    with pytest.raises(LimitExceeded) as caught:
        small.ask("sprinkle", count=100_000)
    assert caught.value.limit == "scope_files"
    assert len(list(small.home.iterdir())) < 100_000

    assert small.ask("echo", text="next") == "next"


def test_a_quick_flood_is_noticed_before_it_is_acknowledged(small: Bench) -> None:
    """A call that ends before the first look is looked at all the same."""
    with pytest.raises(LimitExceeded) as caught:
        small.ask("sprinkle", count=SMALL.scope_files + 1)
    assert caught.value.limit == "scope_files"


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

    assert seen == [f"process {_workers()[0]}"]


def test_calling_back_into_the_sandbox_is_refused(bench: Bench) -> None:
    """An event's record that calls a provider would wait for itself."""
    faults: list[str] = []

    def record(event: object) -> bool:
        try:
            bench.ask("echo", text="again")
        except HostFault as fault:
            faults.append(fault.code)
        return True

    bench.ask("tell", change={"record": record}, count=1)

    assert faults == ["reentered"]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_use_after_fork_is_refused(bench: Bench) -> None:
    """A forked child has none of the threads; it is told, instead of hanging."""
    bench.ask("echo", text="x")
    child = os.fork()
    if child == 0:
        try:
            bench.ask("echo", text="x")
        except HostFault as fault:
            os._exit(7 if fault.code == "used-after-fork" else 1)
        os._exit(0)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 7


def test_scopes_do_not_wait_for_each_other(bench: Bench) -> None:
    """Two scopes run at the same time, from two threads."""
    meeting = threading.Barrier(2, timeout=60)
    met: list[bool] = []

    def record(event: object) -> bool:
        meeting.wait()
        met.append(True)
        return True

    def run(name: str) -> None:
        scope = replace(bench.call.scope, tenant=name)
        bench.ask("tell", change={"record": record, "scope": scope}, count=1)

    callers = [threading.Thread(target=run, args=(name,)) for name in ("a", "b")]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert met == [True, True]


def test_reads_of_one_scope_share_and_writes_do_not(threads: Bench) -> None:
    """Two reads meet inside the guest; a write in between would have to wait."""
    threads.ask("put", path="/memory/a.md", text="x")
    meeting = threading.Barrier(2, timeout=60)

    def record(event: object) -> bool:
        meeting.wait()
        return True

    def read() -> None:
        change = {"record": record, "access": Access.READ}
        threads.ask("tell", change=change, count=1)

    callers = [threading.Thread(target=read) for _ in range(2)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not meeting.broken


INTERRUPTED = """
import pathlib, sys, json
sys.path[:] = json.loads(sys.argv[1])
from tests.sandbox.engine.conftest import Bench
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.runner import ThreadRunner
from ironclaw_memory.scopes import LocalStore
root = pathlib.Path(sys.argv[2])
artifact = Artifact(path=pathlib.Path(sys.argv[3]), digest=sys.argv[4])
bench = Bench(ThreadRunner(LocalStore(root), Cache(pathlib.Path(sys.argv[5]))), artifact, root)
def record(event):
    print("inside", flush=True)
    return True
while True:
    bench.ask("tell", change={"record": record}, count=32)
"""


def test_an_interrupt_from_the_keyboard_ends_the_host_cleanly(
    probe: Artifact, cache: Cache, tmp_path: Path
) -> None:
    """Inside an import the engine would crash; the guest is on another thread, so it does not."""
    cache.load(Engine(), probe)
    command = [sys.executable, "-c", INTERRUPTED, json.dumps(sys.path), str(tmp_path / "root")]
    where = [str(probe.path), probe.digest, str(cache.directory_of(probe))]
    with subprocess.Popen(
        [*command, *where], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == "inside\n"
        host.send_signal(signal.SIGINT)
        _, said = host.communicate()

    assert host.returncode in (1, 130, -signal.SIGINT)
    assert said.rstrip().endswith("KeyboardInterrupt")


def test_a_fault_of_one_thread_stays_there(threads: Bench) -> None:
    """Guests that trap beside guests that do not: each caller gets its own outcome."""
    outcomes: dict[str, list[str]] = {"echo": [], "nap": [], "crash": []}

    def call(verb: str, words: dict[str, Any], tenant: str) -> None:
        scope = replace(threads.call.scope, tenant=tenant)
        for _ in range(10):
            try:
                answer = threads.ask(verb, change={"scope": scope}, **words)
            except ProviderTrapped as trapped:
                answer = trapped.code
            outcomes[verb].append(answer)

    callers = [
        threading.Thread(target=call, args=("echo", {"text": "fine"}, "a")),
        threading.Thread(target=call, args=("nap", {"seconds": 1}, "b")),
        threading.Thread(target=call, args=("crash", {}, "c")),
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert outcomes == {
        "echo": ["fine"] * 10,
        "nap": ["sleep-refused"] * 10,
        "crash": ["trapped"] * 10,
    }
