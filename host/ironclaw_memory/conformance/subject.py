"""What the suite holds to the contract, as the suite sees it.

A subject runs one provider for any number of scopes and shows each answer as it crossed
the boundary: the failure's own kind and code, and the events that were offered on the
way. `ironclaw_memory.conformance.sandboxed` is the subject that runs a component.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ironclaw_memory.declared import Package
from ironclaw_memory.model import Failure, Moment, ProviderEvent, Scope


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What one call gave: a reply or a failure, never both, and its events in order.

    *reply* has the field names of the contract in snake_case.
    """

    reply: Mapping[str, Any] | None = None
    failure: Failure | None = None
    events: tuple[ProviderEvent, ...] = ()


class Subject(Protocol):
    """One provider under test. Safe to call from several threads at once."""

    @property
    def package(self) -> Package:
        """What the provider declares."""
        ...

    def call(
        self,
        export: str,
        arguments: Mapping[str, object],
        *,
        scope: Scope,
        moment: Moment,
        recording: bool,
    ) -> Answer:
        """Call the provider's function *export*, past the host's own checks.

        *export* is a function of the contract in snake_case, *arguments* its parameters
        by name. Where *recording* is false, every offered event is answered with "not
        recorded". Raises `UndeclaredTool` if the component has no such function, and a
        `ProviderError` if the guest was stopped.
        """
        ...

    def ask(self, export: str, arguments: Mapping[str, object], *, scope: Scope) -> object:
        """Make the same request the way a caller of the host does.

        Returns what the host returns; raises what the host raises.
        """
        ...

    def directory(self, scope: Scope) -> Path:
        """Return the directory that is mounted for *scope*, made if need be."""
        ...
