"""Times for eyes: how long ago, and in calendar form where that says more."""

from datetime import UTC, datetime
from typing import Final


_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_STEPS: Final = (
    (90 * _MINUTE, _MINUTE, "minutes"),
    (36 * _HOUR, _HOUR, "hours"),
    (30 * _DAY, _DAY, "days"),
)
_JUST_NOW_S: Final = 90
_LATEST_MS: Final = 253_402_300_799_000  # 9999-12-31 23:59:59; no calendar here goes further


def ago(unix_ms: int, *, now_ms: int) -> str:
    """Return how long before *now_ms* a time was, or its date beyond 30 days."""
    seconds = (now_ms - unix_ms) / 1000
    if seconds < -_JUST_NOW_S:
        return calendar(unix_ms)
    if seconds < _JUST_NOW_S:
        return "just now"
    for limit, unit, name in _STEPS:
        if seconds < limit:
            return f"{round(seconds / unit)} {name} ago"
    return calendar(unix_ms)[:10]


def calendar(unix_ms: int) -> str:
    """Return a time as ``2026-11-29 08:15:00Z``, at most the end of the year 9999.

    A row of a history has whatever time an archive or a provider put there.
    """
    seconds = min(unix_ms, _LATEST_MS) / 1000
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def until(unix_ms: int | None, *, now_ms: int) -> str:
    """Return how long it is to a time, or ``no end``."""
    if unix_ms is None:
        return "no end"
    seconds = max(0, round((unix_ms - now_ms) / 1000))
    for unit, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= unit - _MINUTE // 2:
            return f"{round(seconds / unit)} {name} left"
    return f"{seconds} s left"
