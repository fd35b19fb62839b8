"""What the configuration says, in the host's own types."""

from dataclasses import fields

from ironclaw_memory.config import Config, unreadable
from ironclaw_memory.sandbox.limits import Limits


def limits_of(settings: Config) -> Limits:
    """Return the limits that hold where a caller gives none: the file's over the defaults.

    Raises `SettingsUnreadable` for a name that no limit has.
    """
    unknown = sorted(settings.limits.keys() - {known.name for known in fields(Limits)})
    if unknown:
        raise unreadable(f"it has an unknown key, limits.{unknown[0]:.40}")
    return Limits(**settings.limits)
