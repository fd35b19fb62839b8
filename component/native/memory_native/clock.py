"""Days and zones. Every zone is loaded at import, since the finished component has no files to read.

``ZoneInfo`` keeps what it has built in a weak cache with a strong tail of eight,
so the zones are held here; ``ZoneInfo.clear_cache`` must never be called.
"""

from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Final
from zoneinfo import ZoneInfo

from memory_native.failures import MemoryFailure


def _load() -> dict[str, ZoneInfo]:
    names = files("tzdata").joinpath("zones").read_text(encoding="ascii").split()
    loaded = {}
    for name in names:
        with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as source:
            loaded[name] = ZoneInfo.from_file(source, key=name)
    return loaded


_ZONES: Final = _load()
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def zone(name: str, *, field: str = "timezone") -> ZoneInfo:
    """Return the zone of an IANA name, spelled exactly; raises ``timezone-invalid``."""
    found = _ZONES.get(name)
    if found is None:
        raise MemoryFailure("timezone-invalid", field=field)
    return found


def day(unix_ms: int, zone_name: str, *, field: str = "timezone") -> str:
    """Return the date that *unix_ms* falls on in the zone, as ``YYYY-MM-DD``.

    Raises ``timezone-invalid``.
    """
    there = (_EPOCH + timedelta(milliseconds=unix_ms)).astimezone(zone(zone_name, field=field))
    return there.date().isoformat()
