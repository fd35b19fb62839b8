"""The flags by which a command line names a scope."""

from ironclaw_memory import config
from ironclaw_memory.model import Scope


def scope_flags(
    scope: Scope, *, default: tuple[str | None, str | None] = (None, None)
) -> list[str]:
    """Return the words that name *scope* without its thread; quote them before a shell sees them.

    A tenant and a user equal to *default* are left out.
    """
    tenant, user = default
    axes = {
        "--tenant": None if scope.tenant == tenant else scope.tenant,
        "--user": None if scope.user == user else scope.user,
        "--agent": scope.agent,
        "--project": scope.project,
    }
    return [word for flag, value in axes.items() if value for word in (flag, value)]


def scope_flags_needed(scope: Scope) -> list[str]:
    """Return the words without which a command line would reach another scope than *scope*."""
    return scope_flags(scope, default=(config.DEFAULT_TENANT, config.DEFAULT_USER))
