"""The screen before every write: classify the path, judge the content, record, then allow.

Runs on the *combined* result of an append or a patch, so a phrase that is split
over two writes is seen, and so is one that a person typed in an editor.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from memory_native.failures import MemoryFailure
from memory_native.ports import Event, Host
from memory_native.safety.decision import (
    MISCONFIGURED,
    NO_REGISTRY,
    RULINGS,
    UNRECORDED,
    Allowance,
    Operation,
    Ruling,
    Situation,
    blank_situation,
    worst_situation,
)
from memory_native.safety.normal import normalise
from memory_native.safety.registry import PROTECTED_PATHS, Registry
from memory_native.safety.sanitizer import findings, worst


Emit = Callable[[Event], bool]
_Member = TypeVar("_Member", Operation, Allowance)


@dataclass(frozen=True, kw_only=True)
class Policy:
    """What an operator adds: allowances that may be used, and paths of their own to protect."""

    allowances: frozenset[Allowance] = frozenset()
    registry: Registry | None = None


BUNDLED_POLICY: Final = Policy(allowances=frozenset({Allowance.EMPTY_PROMPT_FILE_CLEAR}))


class PromptWriteGuard:
    """Screens writes to documents that re-enter a prompt."""

    def __init__(
        self, emit: Emit, *, registries: tuple[Registry, ...], policy: Policy | None
    ) -> None:
        """Protect what *registries*, then the policy's, list; without a policy nothing passes."""
        own = (policy.registry,) if policy is not None and policy.registry is not None else ()
        self._registries = registries + own
        self._policy = policy
        self._emit = emit

    def screen(
        self, *, path: str, content: str, operation: str, allowance: str | None = None
    ) -> None:
        """Return if *content* may become the whole document at *path*, else raise.

        *operation* is a value of `Operation`, *allowance* one of `Allowance`. Raises
        `MemoryFailure` with a reason code of reference.md section 5; the code says
        neither what was found nor where.
        """
        registry = self._classifier(path)
        if registry is None:
            return
        kind, allowed = _member(Operation, operation), _member(Allowance, allowance)
        situation, count = self._judge(content, kind, allowed)
        self._enforce(RULINGS[situation], path=path, registry=registry, count=count)

    def protects(self, path: str) -> bool:
        """Say whether *path* names a protected document."""
        return self._classifier(path) is not None

    def _classifier(self, path: str) -> Registry | None:
        """Return the first registry that protects *path*; nothing to ask is a refusal."""
        if not self._registries:
            raise MemoryFailure(NO_REGISTRY)
        return next((r for r in self._registries if r.class_of(path) is not None), None)

    def _judge(
        self, content: str, operation: Operation | None, allowance: Allowance | None
    ) -> tuple[Situation, int]:
        if self._policy is None:
            return Situation.NO_POLICY, 0
        if operation is None:
            raise MemoryFailure(MISCONFIGURED)
        normal = normalise(content)
        if not normal or normal.isspace():
            known = self._policy.allowances
            return blank_situation(operation=operation, allowance=allowance, allowances=known), 0
        found = findings(normal)
        return worst_situation(worst(found)), len(found)

    def _enforce(self, ruling: Ruling, *, path: str, registry: Registry, count: int) -> None:
        if ruling.event is not None:
            event = Event(
                kind=ruling.event,
                path_hash=path_hash(path),
                reason=ruling.refusal,
                registry=registry.version,
                size=count,
            )
            recorded = self._recorded(event)
            if ruling.must_record and not recorded:
                raise MemoryFailure(UNRECORDED)
        if ruling.refusal is not None:
            raise MemoryFailure(ruling.refusal)

    def _recorded(self, event: Event) -> bool:
        try:
            return self._emit(event) is True
        except Exception:  # noqa: BLE001 - a failing log is a log that did not record
            return False


def bundled_guard(host: Host) -> PromptWriteGuard:
    """Return the guard of the bundled provider: its registry, its policy, the host's log."""
    return PromptWriteGuard(host.emit, registries=(PROTECTED_PATHS,), policy=BUNDLED_POLICY)


def path_hash(path: str) -> str:
    """Return the form in which an event names a document."""
    return f"sha256:{hashlib.sha256(path.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _member(kind: type[_Member], value: str | None) -> _Member | None:
    """Return the member of *kind* that *value* names; an unknown name is none."""
    return next((member for member in kind if member.value == value), None)
