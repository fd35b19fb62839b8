"""JSON from elsewhere, and days in zones."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_native import clock, strict_json
from memory_native.failures import MemoryFailure
from memory_native.limits import JSON_DEPTH


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def _depth(value: object) -> int:
    match value:
        case list():
            return 1 + max(map(_depth, value), default=0)
        case dict():
            return 1 + max(map(_depth, value.values()), default=0)
        case _:
            return 0


@given(VALUES, st.booleans())
def test_nesting_is_counted_on_the_text(value: object, ascii_only: bool) -> None:
    """Brackets in strings do not count, however they are escaped."""
    assert strict_json.nesting(json.dumps(value, ensure_ascii=ascii_only)) == _depth(value)


@given(VALUES)
def test_what_is_written_is_read_again(value: object) -> None:
    """Compact text holds the same value."""
    assert strict_json.parse(strict_json.compact(value)) == value


@given(st.text('[]{}",:\\ 1a'))
def test_any_text_is_a_value_or_refused(text: str) -> None:
    """Nothing but a JSON error comes out."""
    try:
        strict_json.parse(text)
    except strict_json.JsonError:
        return
    assert json.loads(text) == strict_json.parse(text)


@pytest.mark.parametrize("opener", ["[", '{"a":', '[{"a":'])
def test_deep_text_is_refused_before_it_is_parsed(opener: str) -> None:
    """The limit is inclusive, and a hundred thousand levels are no trouble."""
    assert strict_json.parse("[" * JSON_DEPTH + "]" * JSON_DEPTH)
    with pytest.raises(strict_json.JsonError):
        strict_json.parse(opener * 100_000)


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "[1e999, NaN]", "", "{'a': 1}", "\ufeff{}"])
def test_what_only_python_takes_for_json_is_refused(text: str) -> None:
    """Numbers that are none, other quotes, a mark before the text."""
    with pytest.raises(strict_json.JsonError):
        strict_json.parse(text)


@pytest.mark.parametrize(
    ("unix_ms", "zone", "day"),
    [
        (0, "UTC", "1970-01-01"),
        (0, "America/New_York", "1969-12-31"),
        (1_795_996_800_000, "UTC", "2026-11-30"),
        (1_795_996_799_999, "UTC", "2026-11-29"),
        (1_795_996_799_999, "Asia/Tokyo", "2026-11-30"),
        (1_774_746_000_000, "Europe/Berlin", "2026-03-29"),
    ],
)
def test_a_moment_falls_on_the_day_of_its_zone(unix_ms: int, zone: str, day: str) -> None:
    """Midnight is the zone's own."""
    assert clock.day(unix_ms, zone) == day


@pytest.mark.parametrize(
    "name", ["", "utc", "Europe/berlin", "Mars/X", "../UTC", "UTC ", "zone.tab"]
)
def test_only_iana_names_are_zones(name: str) -> None:
    """Spelled exactly; nothing is guessed and no file is opened for a name."""
    with pytest.raises(MemoryFailure, match="timezone-invalid"):
        clock.zone(name)


def test_every_zone_of_the_database_is_there() -> None:
    """All are loaded at import, since the finished component has no files."""
    names = ("UTC", "Europe/Berlin", "Asia/Kolkata", "America/Sao_Paulo")
    assert [clock.zone(name).key for name in names] == list(names)
