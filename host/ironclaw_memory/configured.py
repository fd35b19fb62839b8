"""What the configuration and a caller say, in the host's own types."""

from dataclasses import fields

from ironclaw_memory.config import Config, unknown_key
from ironclaw_memory.errors import InvalidArguments
from ironclaw_memory.sandbox.limits import Limits


def limits_of(settings: Config) -> Limits:
    """Return the limits that hold where a caller gives none: the file's over the defaults.

    Raises `InvalidArguments` for a name that no limit has.
    """
    known = [limit.name for limit in fields(Limits)]
    unknown = sorted(settings.limits.keys() - set(known))
    if unknown:
        raise unknown_key(unknown[0], known, table="limits")
    return Limits(**settings.limits)


def limits_chosen(given: Limits | None, settings: Config) -> Limits:
    """Return the limits that a caller *gave*, or the configured ones for ``None``.

    Raises `InvalidArguments` where they are none, and what `limits_of` raises.
    """
    if given is None:
        return limits_of(settings)
    if not isinstance(given, Limits):
        raise _no_limits("limits: are no Limits.")
    for known in fields(Limits):
        if type(getattr(given, known.name)) is not int:
            raise _no_limits(f"limits.{known.name}: is no whole number.")
    return given


def _no_limits(problem: str) -> InvalidArguments:
    return InvalidArguments(
        problem,
        field="limits",
        hint="Give `Limits` of `ironclaw_memory.sandbox.limits`, as in `Limits(deadline_ms=5000)`.",
    )
