"""What a guest is asked and what comes back, the same for threads and processes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ironclaw_memory.model import Access, Failure, Moment, ProviderEvent, Scope
from ironclaw_memory.sandbox.artifact import Artifact
from ironclaw_memory.sandbox.ports import Record
from ironclaw_memory.scopes import LockMode, MountKind


@dataclass(frozen=True, kw_only=True)
class GuestCall:
    """One call of one exported function.

    ``interface`` and ``function`` are WIT words (``tools``, ``profile-set``);
    ``arguments`` maps the function's parameter names in snake_case to values as
    `codec` takes them. ``access`` decides mount and lock: reads share, all else excludes.
    ``record`` is asked for every event of the provider and must not raise. With
    ``fresh`` the instance is made for this call and thrown away after it.
    """

    artifact: Artifact
    scope: Scope
    kind: MountKind
    access: Access
    interface: str
    function: str
    arguments: Mapping[str, object] = field(repr=False)
    moment: Moment
    deadline_ms: int
    record: Record = field(repr=False, compare=False)
    fresh: bool = False

    @property
    def lock_mode(self) -> LockMode:
        """How the scope is held during the call."""
        return LockMode.SHARED if self.access is Access.READ else LockMode.EXCLUSIVE


@dataclass(frozen=True, kw_only=True)
class GuestReply:
    """What a guest answered, and what it cost.

    ``value`` is the reply record as a dictionary, or the provider's own failure.
    ``events`` are those that were recorded, ``log_bytes`` what went to the guest's
    stderr. Times are in milliseconds: waiting for the lock, making an instance (0 for a
    warm one), running.
    """

    value: dict[str, Any] | Failure = field(repr=False)
    events: tuple[ProviderEvent, ...] = ()
    log_bytes: int = 0
    waited_ms: float = 0.0
    started_ms: float = 0.0
    ran_ms: float = 0.0


class Runner(Protocol):
    """Something that runs guest calls: threads of this process, or worker processes."""

    def run(self, call: GuestCall) -> GuestReply:
        """Run *call* and return the reply.

        Raises `InvalidArguments` for arguments that do not fit the contract,
        `ScopeBusy`, a `ProviderError` for whatever the guest did, or a `HostFault`.
        """
        ...

    def close(self) -> None:
        """Give back every instance and process."""
        ...
