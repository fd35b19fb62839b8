"""The one error tree of this package, grouped by what the caller does next.

    IronclawMemoryError                 code, hint, exit_code
    ├── RequestError          exit 2    you asked wrongly: correct it and ask again
    │   ├── InvalidScope                an id of the scope does not hold
    │   ├── InvalidArguments            an argument does not hold; ``.field`` names it
    │   ├── HostClosed                  the host was closed before the call
    │   ├── UndeclaredTool              the provider's manifest has no such tool, hook or upkeep
    │   └── InvalidManifest             a package section, manifest, schema or prompt does not hold
    ├── AccessRefused         exit 3    you may not: ask for what the hint names
    │   ├── AccessDenied                no grant can allow it as things stand
    │   ├── ApprovalRequired            somebody may allow it; ``.request_id`` names the request
    │   └── ProviderNotApproved         the component's digest is not pinned
    ├── ProviderError         exit 4    the provider misbehaved or could not: look before you repeat
    │   ├── OperationFailed             it says the documents do not allow it
    │   ├── ProviderUnavailable         it cannot serve now
    │   ├── ProviderTrapped             it was stopped; the instance is gone
    │   ├── LimitExceeded               it crossed a limit; ``.limit`` names it
    │   ├── InvalidOutput               what came back does not hold
    │   └── UnacceptableComponent       it asks for imports or a world that is not offered
    └── HostFault             exit 5    the host is broken: mend it, then repeat
        ├── RootUnusable                the data directory cannot be used
        ├── CacheUnusable               the cache directory cannot be used
        ├── ComponentUnreadable         the component file is missing or damaged
        ├── SettingsUnreadable          grants or settings cannot be read; everything is denied
        ├── AuditUnavailable            a required event cannot be recorded
        ├── ScopeBusy                   another process holds the scope; ``.holder`` names it
        ├── ModelUnavailable            the configured language model does not answer
        └── MissingExtra                an optional dependency is not installed; ``.extra`` names it

Messages name the field and the fix. They never contain memory text, paths of
the host or the words of a library underneath.
"""

import copyreg
from typing import ClassVar


class IronclawMemoryError(Exception):
    """Root of the tree.

    ``code`` is a short stable word for programs, ``hint`` one sentence that says
    what would help, and stands below a traceback; ``exit_code`` is what a command line ends with.
    """

    code: str = "error"
    exit_code: ClassVar[int] = 5

    def __init__(self, message: str, *, code: str | None = None, hint: str = "") -> None:
        """Say what happened; *code* narrows the class's own word."""
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code

    def __reduce__(self) -> tuple[object, ...]:
        """Let it be copied and pickled, whatever its class wants to be made from."""
        return copyreg.__newobj__, (type(self),), {**self.__dict__, "args": self.args}  # type: ignore[attr-defined]

    @property
    def hint(self) -> str:
        """What would help, or empty."""
        return str(vars(self).get("hint", ""))

    @hint.setter
    def hint(self, hint: str) -> None:
        outdated = _note(self.hint)
        others = [note for note in getattr(self, "__notes__", ()) if note != outdated]
        vars(self)["hint"] = hint
        self.__notes__ = [*others, _note(hint)] if hint else others


def _note(hint: str) -> str:
    return f"Hint: {hint}"


class RequestError(IronclawMemoryError):
    """You asked wrongly, and the same request will fail again.

    What the host itself refuses has stored nothing. That a provider which says so has stored
    nothing is its own word.
    """

    code = "bad-request"
    exit_code = 2


class InvalidScope(RequestError):
    """An id of the scope does not hold; ``field`` names the axis."""

    code = "invalid-scope"

    def __init__(self, message: str, *, field: str, hint: str = "") -> None:
        """Name the axis in *field*."""
        super().__init__(message, hint=hint)
        self.field = field


class InvalidArguments(RequestError):
    """An argument does not hold; ``field`` names it, or is empty."""

    code = "invalid-arguments"

    def __init__(
        self, message: str, *, field: str = "", code: str | None = None, hint: str = ""
    ) -> None:
        """Name the argument in *field*."""
        super().__init__(message, code=code, hint=hint)
        self.field = field


class HostClosed(RequestError):
    """The host was closed; what is called on it afterwards does nothing."""

    code = "host-closed"

    def __init__(self) -> None:
        """Say what to do instead; there is only one thing."""
        super().__init__(
            "The host is closed.", hint="Open another one, or call before the `with` block ends."
        )


class UndeclaredTool(RequestError):
    """The provider's manifest does not declare what was asked for."""

    code = "undeclared"


class InvalidManifest(RequestError):
    """A package section, manifest, schema or prompt does not hold."""

    code = "invalid-manifest"


class AccessRefused(IronclawMemoryError):
    """You may not; ``hint`` says what would allow it."""

    code = "refused"
    exit_code = 3


class AccessDenied(AccessRefused):
    """The gate says no; ``code`` is its reason code."""

    code = "denied"


class ApprovalRequired(AccessRefused):
    """Somebody may allow the call; ``request_id`` names the pending request.

    ``is_grantable`` says whether a standing grant would: otherwise each call is asked about.
    """

    code = "approval-required"

    def __init__(
        self,
        message: str,
        *,
        request_id: str = "",
        is_grantable: bool = True,
        code: str | None = None,
        hint: str = "",
    ) -> None:
        """Name the pending request, if one was recorded, and say what would allow it."""
        super().__init__(message, code=code, hint=hint)
        self.request_id = request_id
        self.is_grantable = is_grantable


class ProviderNotApproved(AccessRefused):
    """The component's digest has not been approved on this installation."""

    code = "provider-not-approved"


class ProviderError(IronclawMemoryError):
    """The provider misbehaved or could not do it.

    The bundled one leaves a document as before or fully written; another may have done anything
    to the documents of the one scope, where it was permitted to write.
    """

    code = "provider-failed"
    exit_code = 4


class OperationFailed(ProviderError):
    """The provider says that the documents do not allow the operation."""

    code = "operation-failed"


class ProviderUnavailable(ProviderError):
    """The provider cannot serve at the moment; repeat unchanged."""

    code = "unavailable"


class ProviderTrapped(ProviderError):
    """The guest was stopped by a trap; its instance is gone."""

    code = "trapped"


class LimitExceeded(ProviderError):
    """The provider crossed a limit; ``limit`` is its setting's name."""

    code = "limit-exceeded"

    def __init__(self, message: str, *, limit: str, hint: str = "") -> None:
        """Name the setting in *limit*, for instance ``deadline_ms``."""
        super().__init__(message, hint=hint)
        self.limit = limit


class InvalidOutput(ProviderError):
    """What the provider returned does not hold."""

    code = "invalid-output"


class UnacceptableComponent(ProviderError):
    """The component imports or exports what this host does not offer."""

    code = "unacceptable-component"


class HostFault(IronclawMemoryError):
    """The host is broken; mend it, then repeat."""

    code = "host-fault"
    exit_code = 5


class RootUnusable(HostFault):
    """The data directory cannot be created, read or written."""

    code = "root-unusable"


class CacheUnusable(HostFault):
    """The cache directory cannot be trusted or written."""

    code = "cache-unusable"


class ComponentUnreadable(HostFault):
    """The component file is missing, damaged or not a component."""

    code = "component-unreadable"


class SettingsUnreadable(HostFault):
    """Grants or settings cannot be read; until then everything is denied."""

    code = "settings-unreadable"


class AuditUnavailable(HostFault):
    """An event that must be recorded cannot be; the call was refused."""

    code = "audit-unavailable"


class ScopeBusy(HostFault):
    """Another process holds the scope's lock; ``holder`` describes it."""

    code = "scope-busy"

    def __init__(self, message: str, *, holder: str = "", hint: str = "") -> None:
        """Describe the process that holds the lock, for instance ``process 4711``."""
        super().__init__(message, hint=hint)
        self.holder = holder


class ModelUnavailable(HostFault):
    """The configured language model does not answer, or not in its own form."""

    code = "model-unavailable"


class MissingExtra(HostFault):
    """An optional dependency is not installed; ``hint`` has the command that installs it."""

    code = "missing-extra"

    def __init__(self, purpose: str, *, extra: str) -> None:
        """Name what needs it and the extra, for instance ``openai``."""
        super().__init__(
            f"{purpose} needs the extra {extra!r}, which is not installed.",
            hint=f"Install it with `pip install 'ironclaw-memory[{extra}]'`.",
        )
        self.extra = extra
