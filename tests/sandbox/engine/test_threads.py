"""Threads and signals: callers beside each other, a fork, Ctrl-C, and a call from inside a call."""

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox.engine.conftest import Bench

from ironclaw_memory.errors import HostFault, ProviderTrapped
from ironclaw_memory.model import Access
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.engine import Engine


pytestmark = pytest.mark.sandbox

INTERRUPTED = """
import pathlib, signal, sys, json
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
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
