"""Guest calls in worker processes: every provider that is not the bundled one.

An epoch deadline does not reach a guest that the engine holds in a system call, and the
guest shares its process's descriptors (tech-notes.md section 5). A process can be
killed and bounded, so each provider and scope gets one. What a worker says is checked
like anything else that comes from a guest.
"""

import os
import time
from threading import Lock, local
from typing import Final

from ironclaw_memory.errors import HostFault, ProviderTrapped
from ironclaw_memory.model import Access
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.conversation import Conversation, Said
from ironclaw_memory.sandbox.engine import Engine
from ironclaw_memory.sandbox.framing import Broken
from ironclaw_memory.sandbox.instance import Program
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS, Limits
from ironclaw_memory.sandbox.request import GuestCall, GuestReply
from ironclaw_memory.sandbox.spawn import Child
from ironclaw_memory.sandbox.threads import LastingThread
from ironclaw_memory.sandbox.watch import Watch
from ironclaw_memory.sandbox.workers import Key, Slot, Workers
from ironclaw_memory.scopes import LocalStore, Usage, usage


_MS: Final = 1000
_REMEMBERED: Final = 1000  # scopes whose usage is known from their last writing call


class ProcessRunner:
    """Runs guest calls in worker processes. Lifetime: until `close`.

    With ``watched``, the disk is watched during writing calls and links are refused
    after them; that is for providers nobody trusts.
    """

    def __init__(
        self,
        store: LocalStore,
        cache: Cache,
        limits: Limits = DEFAULT_LIMITS,
        *,
        watched: bool = True,
    ) -> None:
        """Mount from *store*, compile through *cache*; nothing starts yet."""
        self._store = store
        self._cache = cache
        self._limits = limits
        self._watched = watched
        self._pid = os.getpid()
        self._admitted: set[Artifact] = set()
        self._admitting = Lock()
        self._workers = Workers(limits.workers)
        self._spawner = LastingThread()
        self._usages: dict[Key, Usage] = {}
        self._inside = local()

    def run(self, call: GuestCall) -> GuestReply:
        """Run one call; see `Runner.run`.

        Starting a worker is not part of the deadline, waiting for one is. A worker that
        dies fails this call alone.
        """
        self._check_use()
        self._admit(call.artifact)
        deadline = time.monotonic() + call.deadline_ms / _MS
        key: Key = (call.artifact, call.scope.axes())
        self._inside.now = True
        try:
            with self._workers.lent(key, deadline) as slot:
                return self._run(slot, call, deadline)
        finally:
            self._inside.now = False

    def close(self) -> None:
        """Kill every worker."""
        if os.getpid() == self._pid:
            self._workers.close()
            self._spawner.close()

    def _check_use(self) -> None:
        if os.getpid() != self._pid:
            raise HostFault(
                "The sandbox was opened before this process was forked.",
                code="used-after-fork",
                hint="Open a MemoryHost of its own in each process.",
            )
        if getattr(self._inside, "now", False):
            raise HostFault(
                "A provider's call led to another call of a provider.",
                code="reentered",
                hint="Record events without calling the host again.",
            )

    def _admit(self, artifact: Artifact) -> None:
        """Compile and look at a component once, before any worker is started for it."""
        with self._admitting:
            if artifact not in self._admitted:
                engine = Engine(self._limits)
                Program(engine, self._cache.load(engine, artifact)).check_contract()
                self._admitted.add(artifact)

    def _run(self, slot: Slot, call: GuestCall, deadline: float) -> GuestReply:
        begun = time.monotonic()
        child = self._child(slot, call.artifact)
        watch = self._watch(call)
        deadline += time.monotonic() - begun
        try:
            reply = Conversation(child, call, watch, deadline, self._limits).run()
        except Said as said:
            raise said.error from None
        except Broken:
            slot.clear()
            raise _died() from None
        except BaseException:
            slot.clear()
            raise
        if watch is not None:
            if len(self._usages) >= _REMEMBERED:
                self._usages.clear()  # each is only a walk saved
            self._usages[_place(call)] = watch.now
        return reply

    def _child(self, slot: Slot, artifact: Artifact) -> Child:
        """Return the slot's worker, starting one if there is none or it is dead."""
        if slot.child is not None and slot.child.is_alive():
            return slot.child
        slot.clear()
        slot.child = self._spawner.run(Child)
        try:
            slot.child.set_up(
                self._store.root, self._cache.directory_of(artifact), artifact, self._limits
            )
        except BaseException:
            slot.clear()
            raise
        return slot.child

    def _watch(self, call: GuestCall) -> Watch | None:
        if not self._watched or call.access is Access.READ:
            return None
        mount = self._store.mount(call.scope, kind=call.kind, access=Access.READ)
        known = self._usages.pop(_place(call), None)
        return Watch(
            mount=mount,
            limits=self._limits,
            before=usage(mount) if known is None else known,
            due=time.monotonic() + self._limits.watch_after_ms / _MS,
        )


def _place(call: GuestCall) -> Key:
    return (call.scope.axes(), call.kind)


def _died() -> ProviderTrapped:
    return ProviderTrapped(
        "The provider's process ended in the middle of the call.",
        code="worker-died",
        hint="Repeat the call: it gets a new process. If it fails again, report it to the "
        "provider's author.",
    )
