"""What a call is run with: everything that one open host holds, in one frozen value."""

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from functools import wraps
from itertools import chain
from types import MappingProxyType
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from ironclaw_memory.capability.audit import AuditLog
from ironclaw_memory.capability.clamp import Effective
from ironclaw_memory.capability.gate import Gate
from ironclaw_memory.contract.for_models import hint_reaching
from ironclaw_memory.declared import Package
from ironclaw_memory.errors import IronclawMemoryError
from ironclaw_memory.freshness import Freshness
from ironclaw_memory.model import Scope
from ironclaw_memory.quota import Quota
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.limits import Limits
from ironclaw_memory.sandbox.request import Runner
from ironclaw_memory.scopes import LocalStore


class SecretPolicy(Enum):
    """What happens to a secret on its way into memory (reference.md section 0)."""

    REJECT = "reject"
    REDACT = "redact"
    ALLOW = "allow"


P = ParamSpec("P")
R = TypeVar("R")

Progress = Callable[[int, int], None]
"""Called with how many documents are done and how many there are."""


@dataclass(frozen=True, kw_only=True)
class Wiring:
    """One open host. ``now_ms`` is Unix milliseconds, ``zone_of`` the user's IANA zone.

    ``recover`` runs before anything of a scope is looked at, and finishes what was killed.
    ``before_write`` runs once a write is permitted and before the guest gets a writable
    mount; an unbundled provider's daily snapshot is taken there. With ``fresh_instances``
    no instance serves a second call. ``demand_open`` raises `HostClosed` once the host was
    closed. ``flags_to_reach`` are the global options without which
    a command line of the same environment would use another data directory or provider.
    """

    package: Package
    effective: Effective
    artifact: Artifact
    runner: Runner
    store: LocalStore
    gate: Gate
    audit: AuditLog
    freshness: Freshness
    quota: Quota
    limits: Limits
    now_ms: Callable[[], int]
    zone_of: Callable[[Scope], str]
    new_call_id: Callable[[], str]
    recover: Callable[[Scope], None]
    before_write: Callable[[Scope], None]
    model_writes: SecretPolicy
    transcripts: SecretPolicy
    fresh_instances: bool = False
    demand_open: Callable[[], None] = lambda: None
    progress: Progress = lambda done, total: None
    flags_to_reach: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def command_line(self, *words: str) -> str:
        """Return the command of *words*, for a shell, that reaches this host's memory, not another.

        An option that *words* give stays as it is.
        """
        flags = [pair for pair in self.flags_to_reach.items() if pair[0] not in words]
        return shlex.join(["ironclaw-memory", *words, *chain.from_iterable(flags)])

    @contextmanager
    def served(self) -> Iterator[None]:
        """Do what is in the block on an open host; raises `HostClosed` where it is not.

        What the block raises names commands that reach this host's memory, not another.
        """
        self.demand_open()
        try:
            yield
        except IronclawMemoryError as error:
            error.hint = hint_reaching(error.hint, self.flags_to_reach)
            raise


class Wired(Protocol):
    """What works on an open host."""

    _wiring: Wiring


S = TypeVar("S", bound=Wired)


def served(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Let the whole of *method* be the block of `Wiring.served`: refused by a closed host."""

    @wraps(method)
    def method_served(self: S, /, *given: P.args, **named: P.kwargs) -> R:
        with self._wiring.served():
            return method(self, *given, **named)

    return method_served
