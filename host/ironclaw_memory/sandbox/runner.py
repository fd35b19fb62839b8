"""Guest calls in threads of this process: the bundled provider, and inside every worker."""

import errno
import os
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock
from typing import Final

from wasmtime import WasmtimeError

from ironclaw_memory.errors import HostFault, ProviderUnavailable, RootUnusable
from ironclaw_memory.model import Access
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.engine import Engine
from ironclaw_memory.sandbox.instance import Instance, Preopen, Program
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS, Limits
from ironclaw_memory.sandbox.ports import HERE, Running
from ironclaw_memory.sandbox.request import GuestCall, GuestReply
from ironclaw_memory.sandbox.threads import GuestThreads
from ironclaw_memory.scopes import Mount, Store, clear_stale_locks
from ironclaw_memory.scopes.mounts import identity, open_beneath
from ironclaw_memory.scopes.walk import STORE


Key = tuple[object, ...]

_MS: Final = 1000
_SCARCE: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})


class InstancePool:
    """Warm instances by what they are bound to; the least recently used go first.

    An instance is lent to one call at a time and comes back only alive.
    """

    def __init__(self, limits: Limits) -> None:
        """Hold none."""
        self._most = limits.warm_instances
        self._warm: OrderedDict[int, tuple[Key, Instance]] = OrderedDict()
        self._lock = Lock()

    def take(self, key: Key) -> Instance | None:
        """Return a warm instance bound to *key*, most recently used first."""
        with self._lock:
            for number in reversed(self._warm):
                if self._warm[number][0] == key:
                    return self._warm.pop(number)[1]
        return None

    def give(self, key: Key, instance: Instance) -> None:
        """Keep *instance* for the next call with *key*."""
        with self._lock:
            self._warm[id(instance)] = (key, instance)
            surplus = [
                self._warm.popitem(last=False)[1][1] for _ in range(len(self._warm) - self._most)
            ]
        for old in surplus:
            old.close()

    def close(self) -> None:
        """Close every warm instance."""
        with self._lock:
            instances = [instance for _, instance in self._warm.values()]
            self._warm.clear()
        for instance in instances:
            instance.close()


class ThreadRunner:
    """Runs guest calls in this process. Lifetime: until `close`."""

    def __init__(self, store: Store, cache: Cache, limits: Limits = DEFAULT_LIMITS) -> None:
        """Mount from *store*, compile through *cache*; nothing starts yet."""
        self._store = store
        self._cache = cache
        self._limits = limits
        self._engine = Engine(limits)
        self._programs: dict[Artifact, Program] = {}
        self._loading = Lock()
        self._pool = InstancePool(limits)
        self._live = BoundedSemaphore(limits.live_instances)
        self._threads = GuestThreads()

    def program(self, artifact: Artifact) -> Program:
        """Return the loaded component; raises what `Cache.load` and `Program` raise."""
        self._engine.check_process()
        found = self._programs.get(artifact)
        if found is None:
            with self._loading:
                found = self._programs.get(artifact)
                if found is None:
                    component = self._cache.load(self._engine, artifact)
                    found = self._programs[artifact] = Program(self._engine, component)
        return found

    def run(self, call: GuestCall) -> GuestReply:
        """Run one call; see `Runner.run`.

        Loading the component is not part of the deadline, waiting for the scope is.
        """
        if HERE.running is not None:
            raise HostFault(
                "A provider's call led to another call of a provider.",
                code="reentered",
                hint="Record events without calling the host again.",
            )
        program = self.program(call.artifact)
        return self._threads.run(lambda: self._run(program, call))

    def cool(self) -> None:
        """Give back every warm instance, and with them what their guests keep open."""
        self._pool.close()

    def close(self) -> None:
        """Give back the instances and end the threads."""
        self._pool.close()
        self._threads.close()
        self._engine.close()

    def _run(self, program: Program, call: GuestCall) -> GuestReply:
        begun = time.monotonic()
        deadline = begun + call.deadline_ms / _MS
        running = Running(
            scope=call.scope,
            moment=call.moment,
            record=call.record,
            most_events=self._limits.audit_events,
        )
        mount = self._store.mount(call.scope, kind=call.kind, access=call.access)
        with (
            self._store.lock(call.scope, kind=call.kind, mode=call.lock_mode, deadline=deadline),
            self._a_place(deadline),
        ):
            locked = time.monotonic()
            with self._instance(program, call, mount, running, deadline) as instance:
                started = time.monotonic()
                value, logged = instance.call(
                    call.interface, call.function, call.arguments, running, deadline
                )
            ended = time.monotonic()
        if running.fault is not None:
            raise HostFault("An event of the provider could not be taken.") from running.fault
        return GuestReply(
            value=value,
            events=tuple(running.events),
            log_bytes=logged,
            waited_ms=(locked - begun) * _MS,
            started_ms=(started - locked) * _MS,
            ran_ms=(ended - started) * _MS,
        )

    @contextmanager
    def _a_place(self, deadline: float) -> Iterator[None]:
        """Take one of the places for live instances, waiting if need be."""
        if not self._live.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise ProviderUnavailable(
                "Too many calls are running at once.", hint="Repeat the call a little later."
            )
        try:
            yield
        finally:
            self._live.release()

    def _made(self, program: Program, directory: int, mount: Mount) -> Instance:
        """Make an instance; what the machine refuses here is no fault of the provider."""
        if mount.access is not Access.READ:
            clear_stale_locks(directory)
        try:
            with _preopens(directory, mount) as preopens:
                return Instance(program, preopens, self._limits)
        except (OSError, WasmtimeError) as problem:
            raise HostFault(
                f"No instance of the provider could be made ({type(problem).__name__}).",
                hint="The machine may be out of memory or descriptors.",
            ) from None

    @contextmanager
    def _instance(
        self, program: Program, call: GuestCall, mount: Mount, running: Running, deadline: float
    ) -> Iterator[Instance]:
        """Lend an instance that is bound to exactly this component, scope and access.

        A warm one holds its directory open, so it still is the scope's as long as the
        same directory stands there; nothing has to be opened then. One for indexing also
        holds the ``.store``, which nobody compares, so it is never kept.
        """
        once = call.fresh or call.access is Access.INDEX
        bound = (call.artifact, call.scope.axes(), call.kind, call.access)
        key = (*bound, mount.stands_for())
        instance = None if once else self._pool.take(key)
        made = instance is None
        if instance is None:
            with mount.opened() as directory:
                key = (*bound, identity(directory))
                instance = self._made(program, directory, mount)
        try:
            if made:
                instance.start(running, deadline)
            yield instance
        finally:
            if instance.dead or once:
                instance.close()
            else:
                self._pool.give(key, instance)


@contextmanager
def _preopens(directory: int, mount: Mount) -> Iterator[tuple[Preopen, ...]]:
    """Yield what a guest gets of *mount*; closes what it opened, not *directory*."""
    whole = Preopen(directory, mount.guest_path, writable=mount.access is Access.WRITE)
    if mount.access is not Access.INDEX:
        yield (whole,)
        return
    store = _opened_store(directory)
    try:
        yield (whole, Preopen(store, f"{mount.guest_path}/{STORE}", writable=True))
    finally:
        os.close(store)


def _opened_store(directory: int) -> int:
    """Return a descriptor of the provider's own directory in *directory*, made where it is missing.

    Raises `RootUnusable` for what stands in its place, and `OSError` where the machine has no
    more to give.
    """
    try:
        return open_beneath(os.dup(directory), (STORE,), make=True)
    except OSError as problem:
        if problem.errno in _SCARCE:
            raise
        raise RootUnusable(
            f"The {STORE} of the scope cannot be opened: {os.strerror(problem.errno or 0)}.",
            hint=f"{STORE} must be a real directory that this user can read and write, not a link. "
            "Give it back to this user if it is one; if not, move away what stands there, and "
            "the next call makes it. `ironclaw-memory doctor` names the scope.",
        ) from None
