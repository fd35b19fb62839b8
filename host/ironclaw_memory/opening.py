"""Putting an open host together: where things are, what runs, who decides, who remembers.

Nothing is created on disk here, and the sandbox is loaded with the first guest call, so
a host that only lists grants starts as fast as the command line.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ironclaw_memory.calls import SecretPolicy, Wiring
from ironclaw_memory.capability.audit import AuditLog
from ironclaw_memory.capability.gate import Gate
from ironclaw_memory.config import Config, Isolation
from ironclaw_memory.contract.for_models import hint_naming, hint_reaching
from ironclaw_memory.errors import HostClosed, IronclawMemoryError
from ironclaw_memory.freshness import SEEN, Freshness
from ironclaw_memory.installed import BUNDLED, Provider, provider_at
from ironclaw_memory.model import Access, Scope
from ironclaw_memory.quota import Quota
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.sandbox.request import GuestCall, GuestReply, Runner
from ironclaw_memory.scopes import HOST_DIRECTORY, LocalStore, MountKind
from ironclaw_memory.scopes.store import SNAPSHOTS, lock_name


if TYPE_CHECKING:
    from ironclaw_memory.capability.pins import Pins
    from ironclaw_memory.recall import Profile, ProfileCache
    from ironclaw_memory.safekeeping import Safekeeping
    from ironclaw_memory.upkeep.schedule import CurationSchedule


NO_ZONE: Final = "UTC"


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What a caller chose, and what is configured where nothing was chosen; see `MemoryHost.open`."""

    settings: Config
    root: Path
    provider: Path | None
    isolation: Isolation
    limits: Limits
    model_writes: SecretPolicy
    transcripts: SecretPolicy
    say: Callable[[str], None]
    progress: Callable[[int, int], None]


class Opened:
    """Everything behind one `MemoryHost`, and how it ends."""

    def __init__(self, choices: Choices) -> None:
        """Resolve directories and provider; raises what `installed.provider_at` raises."""
        settings, self.root = choices.settings, choices.root
        host_directory = self.root / HOST_DIRECTORY
        self.store = LocalStore(self.root)
        self._snapshots = host_directory / SNAPSHOTS
        flags = _flags_to_reach(choices)
        with _hints_typeable(choices.provider, flags):
            self.provider = provider_at(choices.provider, lambda: _pins(host_directory))
        self.profiles = Profiles()
        self._runner = LazyRunner(
            lambda: _runner(choices, settings.cache, self.store, self.provider)
        )
        self.wiring = Wiring(
            package=self.provider.package,
            effective=self.provider.effective,
            artifact=self.provider.artifact,
            runner=self._runner,
            store=self.store,
            gate=Gate(host_directory),
            audit=AuditLog(host_directory),
            freshness=Freshness(host_directory / SEEN, self.provider.artifact.digest),
            quota=Quota(self.store, choices.limits),
            limits=choices.limits,
            now_ms=unix_ms,
            zone_of=self._zone_of,
            new_call_id=lambda: f"call-{secrets.token_hex(6)}",
            recover=self._recover,
            before_write=self._before_write,
            model_writes=choices.model_writes,
            transcripts=choices.transcripts,
            fresh_instances=choices.isolation == "call",
            demand_open=self._demand_open,
            progress=choices.progress,
            flags_to_reach=flags,
        )

    def _recover(self, scope: Scope) -> None:
        """Finish a killed restore of *scope* first: what is written before that, it would move aside."""
        if os.path.isdir(f"{self._snapshots}/{lock_name(scope)}"):  # noqa: PTH112 - on every call
            self.safekeeping.finish_interrupted(scope)

    def _before_write(self, scope: Scope) -> None:
        """Take the day's snapshot before a provider that nobody vouches for may write."""
        if self.provider.bundled:
            return
        self.safekeeping.before_write(scope, now_ms=unix_ms())

    @cached_property
    def safekeeping(self) -> Safekeeping:
        """The snapshots of this root."""
        from ironclaw_memory.safekeeping import Safekeeping  # noqa: PLC0415 - seldom needed

        return Safekeeping(self.store, self.root / HOST_DIRECTORY, self.wiring.audit)

    @cached_property
    def schedule(self) -> CurationSchedule:
        """The provider's scheduled passes."""
        from ironclaw_memory.scheduling import schedule_for  # noqa: PLC0415 - seldom needed

        return schedule_for(self.wiring, self.root / HOST_DIRECTORY / "turns.sqlite")

    def _demand_open(self) -> None:
        """Raise `HostClosed` once this was closed."""
        if self._runner.closed:
            raise HostClosed

    def close(self) -> None:
        """End instances and workers, then write what the audit log holds in memory."""
        self._runner.close()
        self.wiring.audit.close()

    def has_profile(self, scope: Scope) -> bool:
        """Say whether the user of *scope* has a profile directory at all; runs no guest."""
        return self.store.mount(scope, kind=MountKind.PROFILE, access=Access.READ).exists()

    def redact(self, text: str) -> str:
        """Return a recalled *text* as a model may read it."""
        from ironclaw_memory.redaction.redact import (  # noqa: PLC0415 - a read needs no table
            redact_model_input_text,
        )

        return redact_model_input_text(text)

    def _zone_of(self, scope: Scope) -> str:
        """Return the zone of the user's profile; no call fails because that cannot be read."""
        try:
            profile = self.profiles.get(scope) if self.has_profile(scope) else None
        except IronclawMemoryError:
            return NO_ZONE
        return (profile.timezone if profile else None) or NO_ZONE


class Profiles:
    """The profile cache, bound once the host that reads profiles exists."""

    def __init__(self) -> None:
        """Know no profile."""
        self._read: Callable[[Scope], Profile | None] | None = None
        self._cache: ProfileCache | None = None
        self._reading = threading.local()

    def bind(self, read: Callable[[Scope], Profile | None]) -> None:
        """Read through *read* from now on."""
        self._read = read

    def forget(self, scope: Scope) -> None:
        """Read the user's profile anew the next time, because it was just written."""
        if self._cache is not None:
            self._cache.forget(scope)

    def _bound(self) -> ProfileCache | None:
        if self._cache is None and self._read is not None:
            from ironclaw_memory.recall import ProfileCache  # noqa: PLC0415 - see the module

            self._cache = ProfileCache(self._read, clock=time.monotonic)
        return self._cache

    def get(self, scope: Scope) -> Profile | None:
        """Return the user's profile; while it is being read on this thread there is none."""
        if getattr(self._reading, "now", False) or (cache := self._bound()) is None:
            return None
        self._reading.now = True
        try:
            return cache.get(scope)
        finally:
            self._reading.now = False


class LazyRunner:
    """A runner that is made when the first call needs it. Safe under many threads."""

    def __init__(self, make: Callable[[], Runner]) -> None:
        """Make the runner with *make*, once."""
        self._make = make
        self._made: Runner | None = None
        self.closed = False
        self._lock = threading.Lock()

    def run(self, call: GuestCall) -> GuestReply:
        """See `Runner.run`. Raises `HostClosed` once it is closed."""
        return self._ready().run(call)

    def _ready(self) -> Runner:
        with self._lock:
            if self.closed:
                raise HostClosed
            if self._made is None:
                self._made = self._make()
            return self._made

    def close(self) -> None:
        """See `Runner.close`."""
        with self._lock:
            self.closed = True
        if self._made is not None:
            self._made.close()


def _flags_to_reach(choices: Choices) -> dict[str, str]:
    """Return the global options for what was chosen and is not configured."""
    settings = choices.settings
    chosen = {
        "--root": (choices.root, settings.root),
        "--provider": (choices.provider or BUNDLED, settings.provider or BUNDLED),
    }
    return {
        flag: str(here.absolute())
        for flag, (here, there) in chosen.items()
        if here.absolute() != there.absolute()
    }


@contextmanager
def _hints_typeable(provider: Path | None, flags: Mapping[str, str]) -> Iterator[None]:
    """Let what the block raises of a *provider* name commands that are about its file."""
    try:
        yield
    except IronclawMemoryError as error:
        named = hint_naming(error.hint, "FILE", str(provider or BUNDLED))
        error.hint = hint_reaching(named, {k: v for k, v in flags.items() if k != "--provider"})
        raise


def _pins(directory: Path) -> Pins:
    from ironclaw_memory.capability.pins import Pins  # noqa: PLC0415 - the bundled one needs none

    return Pins(directory)


def _runner(choices: Choices, cache: Path, store: LocalStore, provider: Provider) -> Runner:
    """Return the runner that effective trust calls for (design.md section 5)."""
    from ironclaw_memory.sandbox.cache import Cache  # noqa: PLC0415 - loads wasmtime

    compiled = Cache(cache, limits=choices.limits, on_compile=choices.say)
    if provider.bundled and choices.isolation != "process":
        from ironclaw_memory.sandbox.runner import ThreadRunner  # noqa: PLC0415 - likewise

        return ThreadRunner(store, compiled, choices.limits)
    from ironclaw_memory.sandbox.process import ProcessRunner  # noqa: PLC0415 - likewise

    return ProcessRunner(store, compiled, choices.limits, watched=not provider.bundled)


def unix_ms() -> int:
    """Return the time in Unix milliseconds."""
    return time.time_ns() // 1_000_000
