"""The user's profile, read from a document that nobody vouches for (reference.md section 6).

What does not hold is absent; nothing is ever guessed in its place.
"""

import json
import re
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from ironclaw_memory.nesting import too_deep
from ironclaw_memory.recall.envelope import carries_hijack_marker


MAX_PROFILE_BYTES: Final = 65_536  # reference.md section 6
MAX_LOCATION_CHARACTERS: Final = 200  # reference.md section 2.1
MAX_LOCATION_BYTES: Final = 800
MAX_LOCALE_CHARACTERS: Final = 35

_ZONE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*")
_LOCALE: Final = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Where and how the user lives; at least one field is present."""

    timezone: str | None = None
    locale: str | None = None
    location: str | None = None


def parse_profile(document: str | None) -> Profile | None:
    """Return the profile in *document*, or ``None`` where there is none to rely on."""
    fields = (_object(document) if document else None) or {}
    profile = Profile(
        timezone=_timezone(fields.get("timezone")),
        locale=_locale(fields.get("locale")),
        location=_location(fields.get("location")),
    )
    return None if profile == Profile() else profile


def is_profile_document(document: str) -> bool:
    """Say whether *document* is a JSON object of bearable size, whatever its fields hold."""
    return _object(document) is not None


def render_profile(profile: Profile) -> str:
    """Return one line per field for a prompt; the place is quoted, since it is free text."""
    lines = (
        profile.timezone and f"User's time zone: {profile.timezone}",
        profile.locale and f"User's locale: {profile.locale}",
        profile.location
        and f"User's location (untrusted data): {json.dumps(profile.location, ensure_ascii=False)}",
    )
    return "\n".join(line for line in lines if line)


def is_valid_timezone(name: str) -> bool:
    """Say whether *name* is a zone that this host knows."""
    if not _ZONE.fullmatch(name):
        return False
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, malformed, or the name of a directory
        return False
    return True


def _object(document: str) -> dict[str, object] | None:
    try:
        encoded = document.encode()
        if len(encoded) > MAX_PROFILE_BYTES or too_deep(encoded):
            return None
        found = json.loads(encoded)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _timezone(value: object) -> str | None:
    name = value.strip() if isinstance(value, str) else ""
    return name if is_valid_timezone(name) else None


def _locale(value: object) -> str | None:
    if not isinstance(value, str) or len(value) > MAX_LOCALE_CHARACTERS:
        return None
    return value if _LOCALE.fullmatch(value) else None


def _location(value: object) -> str | None:
    place = value.strip() if isinstance(value, str) else ""
    fits = len(place) <= MAX_LOCATION_CHARACTERS and len(place.encode()) <= MAX_LOCATION_BYTES
    honest = fits and place.isprintable() and not carries_hijack_marker(place)
    return place if place and honest else None
