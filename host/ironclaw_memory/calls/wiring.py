"""What a call is run with: everything that one open host holds, in one frozen value."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

from ironclaw_memory.capability.audit import AuditLog
from ironclaw_memory.capability.clamp import Effective
from ironclaw_memory.capability.gate import Gate
from ironclaw_memory.contract.for_models import hint_at_root
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


Progress = Callable[[int, int], None]
"""Called with how many documents are done and how many there are."""


@dataclass(frozen=True, kw_only=True)
class Wiring:
    """One open host. ``now_ms`` is Unix milliseconds, ``zone_of`` the user's IANA zone.

    ``recover`` runs before anything of a scope is looked at, and finishes what was killed.
    ``before_write`` runs once a write is permitted and before the guest gets a writable
    mount; an unbundled provider's daily snapshot is taken there. With ``fresh_instances``
    no instance serves a second call. ``root_to_name`` is the data directory where a command
    line that is told nothing would use another.
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
    progress: Progress = lambda done, total: None
    root_to_name: str | None = None

    def reaching(self, hint: str) -> str:
        """Return *hint* with commands that reach this host's data directory, not another."""
        return hint if self.root_to_name is None else hint_at_root(hint, self.root_to_name)

    @contextmanager
    def hints_reaching(self) -> Iterator[None]:
        """Let what the block raises name commands that reach this host's data directory.

        For blocks whose errors did not come through `reaching` yet.
        """
        try:
            yield
        except IronclawMemoryError as error:
            error.hint = self.reaching(error.hint)
            raise
