"""An open host without a sandbox: everything is real but the guest, which a test scripts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ironclaw_memory.build import Sources
from ironclaw_memory.calls import SecretPolicy, Wiring
from ironclaw_memory.capability.audit import AuditLog
from ironclaw_memory.capability.audit_reading import Entry, Selection, read
from ironclaw_memory.capability.clamp import Policy, clamp
from ironclaw_memory.capability.gate import Gate
from ironclaw_memory.declared import Package
from ironclaw_memory.freshness import Freshness
from ironclaw_memory.manifest import read_package
from ironclaw_memory.model import Failure
from ironclaw_memory.quota import Quota
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS, Limits
from ironclaw_memory.sandbox.request import GuestCall, GuestReply
from ironclaw_memory.scopes import LocalStore


ROOT = Path(__file__).parents[3]

Answer = dict[str, Any] | Failure | Exception

ANSWERS: dict[str, Answer] = {
    "read": {"path": "a.md", "content": "text", "word_count": 1},
    "write": {
        "status": "written",
        "path": "MEMORY.md",
        "append": True,
        "content_length": 4,
        "replacements": None,
        "message": None,
    },
    "search": {"hits": []},
    "tree": {"json": "[]"},
    "profile-set": {"ok": True},
    "refresh": {"indexed": 0, "removed": 0, "remaining": 0},
}


@dataclass
class ScriptedGuest:
    """A `Runner` that answers from a table and remembers what it was asked."""

    answers: dict[str, Answer | list[Answer]] = field(default_factory=lambda: dict(ANSWERS))
    calls: list[GuestCall] = field(default_factory=list)
    during: Callable[[GuestCall], None] = lambda call: None

    def run(self, call: GuestCall) -> GuestReply:
        """Answer *call*, or raise what the table holds."""
        self.calls.append(call)
        self.during(call)
        answer = self.answers[call.function]
        if isinstance(answer, list):
            answer = answer.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return GuestReply(value=answer)

    def close(self) -> None:
        """Nothing to give back."""

    def asked(self) -> list[str]:
        """Return the functions that were called, in order."""
        return [call.function for call in self.calls]


def native_package() -> Package:
    """Return the bundled provider's package, read from the checkout."""
    provider = ROOT / "component" / "native"
    return read_package(Sources(provider=provider, wit=ROOT / "wit", asset_roots=(ROOT,)).carried())


def wired(
    root: Path,
    guest: ScriptedGuest,
    *,
    package: Package,
    secrets: SecretPolicy = SecretPolicy.REJECT,
    limits: Limits = DEFAULT_LIMITS,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Wiring:
    """Return a host on *root* whose guest is scripted; the time is always 1,000 ms."""
    directory, store = root / "host", LocalStore(root)
    return Wiring(
        package=package,
        effective=clamp(package.manifest, Policy(bundled=True)),
        artifact=Artifact(path=root / "x.wasm", digest="0" * 64),
        runner=guest,
        store=store,
        gate=Gate(directory),
        audit=AuditLog(directory),
        freshness=Freshness(directory / "seen", "0" * 64, clock=lambda: 0.0),
        quota=Quota(store, limits),
        limits=limits,
        now_ms=lambda: 1_000,
        zone_of=lambda scope: "Europe/Berlin",
        new_call_id=lambda: "call-1",
        recover=lambda scope: None,
        before_write=lambda scope: None,
        model_writes=secrets,
        transcripts=SecretPolicy.REDACT,
        progress=progress,
    )


def log_of(wiring: Wiring) -> list[Entry]:
    """Return what the audit log holds now."""
    wiring.audit.close()
    return list(read(wiring.audit.files, Selection()))
