"""The profile: fields, merging, corruption, and a mount that holds nothing else."""

import json
import pathlib
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.unit.documents.fakes import FakeHost

from memory_native.failures import CODES, Kind, MemoryFailure
from memory_native.profile import Profile, checked, merged
from memory_native.requests import ProfileFields


@dataclass
class FakeScreen:
    """Remembers what it saw; refuses on request, and can meddle in the middle of a write."""

    refusal: str = ""
    seen: list[dict[str, Any]] = field(default_factory=list)
    meddle: pathlib.Path | None = None

    def screen(
        self, *, path: str, content: str, operation: str, allowance: str | None = None
    ) -> None:
        """Look, meddle, refuse."""
        self.seen.append(
            {"path": path, "content": content, "operation": operation, "allowance": allowance}
        )
        if self.meddle:
            self.meddle.write_text(json.dumps({"locale": str(len(self.seen))}))
        if self.refusal:
            raise MemoryFailure(self.refusal)


@pytest.fixture
def context(tmp_path: pathlib.Path) -> pathlib.Path:
    """Return the one directory that a profile operation sees."""
    path = tmp_path / "context"
    path.mkdir()
    return path


@pytest.fixture
def profile(context: pathlib.Path) -> Profile:
    """Return a profile over that directory."""
    return Profile(root=str(context.parent), host=FakeHost(), safety=FakeScreen())


def refusal(fields: ProfileFields) -> tuple[str, str | None]:
    """Return code and field of a refusal."""
    with pytest.raises(MemoryFailure) as caught:
        checked(fields)
    assert caught.value.kind is Kind.INPUT
    return caught.value.code, caught.value.field


@pytest.mark.parametrize(
    ("fields", "stored"),
    [
        (ProfileFields(timezone=" Asia/Shanghai "), {"timezone": "Asia/Shanghai"}),
        (ProfileFields(timezone="EST"), {"timezone": "EST"}),  # an abbreviation and an IANA name
        (ProfileFields(locale="zh-Hans-CN"), {"locale": "zh-Hans-CN"}),
        (ProfileFields(locale="1-a"), {"locale": "1-a"}),
        (ProfileFields(locale="a" * 35), {"locale": "a" * 35}),
        (ProfileFields(location="  Lyon, France\n"), {"location": "Lyon, France"}),
        (ProfileFields(location="字" * 200), {"location": "字" * 200}),
        (ProfileFields(location="\U0001f600" * 200), {"location": "\U0001f600" * 200}),
    ],
)
def test_a_field_is_stored_in_its_form(fields: ProfileFields, stored: dict[str, str]) -> None:
    """Zone and place are trimmed, a locale is not."""
    assert checked(fields) == stored


@pytest.mark.parametrize(
    "timezone", ["", "CEST", "CET+1", "+01:00", "asia/shanghai", "Mars/Olympus", "../UTC"]
)
def test_an_unknown_zone_is_bad_input(timezone: str) -> None:
    """It is never guessed."""
    assert refusal(ProfileFields(timezone=timezone)) == ("timezone-invalid", "timezone")


@pytest.mark.parametrize(
    "locale", ["", "en_GB", "en-", "-en", "en--gb", " en", "en\n", "é", "a" * 36]
)
def test_a_malformed_locale_is_bad_input(locale: str) -> None:
    """ASCII letters and digits, single hyphens, at most 35."""
    assert refusal(ProfileFields(locale=locale)) == ("locale-invalid", "locale")


@pytest.mark.parametrize("location", ["", " \t", "x" * 201])
def test_a_blank_or_long_location_is_bad_input(location: str) -> None:
    """One to 200 characters."""
    assert refusal(ProfileFields(location=location)) == ("location-invalid", "location")


def test_no_field_is_bad_input() -> None:
    """There must be something to set."""
    assert refusal(ProfileFields()) == ("profile-empty", None)


def test_setting_one_field_keeps_the_others(profile: Profile) -> None:
    """Merged into compact JSON that stays readable."""
    profile.set(ProfileFields(timezone="Asia/Shanghai", location="苏州"))
    profile.set(ProfileFields(locale="zh-CN"))

    assert profile.read().json == '{"timezone":"Asia/Shanghai","location":"苏州","locale":"zh-CN"}'


def test_fields_that_we_do_not_know_are_kept() -> None:
    """Somebody put them there."""
    assert json.loads(merged(b'{"shoe": 44, "locale": "de"}', {"locale": "en"})) == {
        "shoe": 44,
        "locale": "en",
    }


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b"no json",
        b"[]",
        b'"x"',
        b"\xff",
        b'{"timezone": 7}',
        b'{"locale": null}',
        b'{"a": NaN}',
        b"[" * 99,
    ],
)
def test_a_corrupt_profile_is_left_alone(
    profile: Profile, context: pathlib.Path, stored: bytes
) -> None:
    """An operation failure, and not a byte changes."""
    (context / "profile.json").write_bytes(stored)

    with pytest.raises(MemoryFailure) as caught:
        profile.set(ProfileFields(timezone="UTC"))

    assert caught.value.code == "profile-corrupt"
    assert (context / "profile.json").read_bytes() == stored


def test_a_byte_order_mark_does_not_make_it_corrupt(
    profile: Profile, context: pathlib.Path
) -> None:
    """Editors on some systems write one."""
    (context / "profile.json").write_bytes(b'\xef\xbb\xbf{"locale": "de"}')
    profile.set(ProfileFields(timezone="UTC"))

    assert profile.read().json == '{"locale":"de","timezone":"UTC"}'


def test_the_combined_profile_is_screened_as_a_write(
    profile: Profile, context: pathlib.Path
) -> None:
    """Under the path that the registry knows; a refusal stores nothing."""
    screen = FakeScreen(refusal="high_risk_prompt_injection")
    (context / "profile.json").write_text('{"locale":"de"}')

    with pytest.raises(MemoryFailure):
        Profile(root=profile.root, host=FakeHost(), safety=screen).set(
            ProfileFields(timezone="UTC")
        )

    assert screen.seen == [
        {
            "path": "context/profile.json",
            "content": '{"locale":"de","timezone":"UTC"}',
            "operation": "write",
            "allowance": None,
        }
    ]
    assert (context / "profile.json").read_text() == '{"locale":"de"}'


def test_a_profile_that_keeps_changing_is_a_conflict_after_eight_tries(
    profile: Profile, context: pathlib.Path
) -> None:
    """Bounded, and what the other wrote last stands."""
    screen = FakeScreen(meddle=context / "profile.json")

    with pytest.raises(MemoryFailure) as caught:
        Profile(root=profile.root, host=FakeHost(), safety=screen).set(
            ProfileFields(timezone="UTC")
        )

    assert caught.value.code == "conflict"
    assert len(screen.seen) == 8
    assert json.loads((context / "profile.json").read_text()) == {"locale": "8"}


def test_nothing_outside_of_the_context_folder_is_touched(
    profile: Profile, context: pathlib.Path
) -> None:
    """A profile operation has no other mount; what it needs is in a folder of its own there."""
    profile.set(ProfileFields(timezone="UTC"))

    assert [path.name for path in context.parent.iterdir()] == ["context"]
    assert sorted(path.name for path in context.iterdir()) == [".store", "profile.json"]
    assert [path.name for path in (context / ".store").rglob("*") if path.is_file()] == ["format"]


def test_a_write_is_reported_and_a_repetition_is_not(context: pathlib.Path) -> None:
    """The event names the document that everybody knows."""
    host = FakeHost()
    profile = Profile(root=str(context.parent), host=host, safety=FakeScreen())
    profile.set(ProfileFields(timezone="UTC"))
    profile.set(ProfileFields(timezone="UTC"))

    assert host.kinds() == ["document-written"]


def test_an_absent_profile_is_none(tmp_path: pathlib.Path) -> None:
    """With or without the folder."""
    assert Profile(root=str(tmp_path), host=FakeHost(), safety=FakeScreen()).read().json is None


def test_reading_returns_the_text_unchecked(profile: Profile, context: pathlib.Path) -> None:
    """The host decides what it is worth."""
    (context / "profile.json").write_text("no json at all")

    assert profile.read().json == "no json at all"


@pytest.mark.parametrize(
    ("stored", "code"), [(b"\xff", "not-text"), (b"x" * (5 << 20), "profile-corrupt")]
)
def test_a_profile_that_cannot_be_read_is_an_operation_failure(
    profile: Profile, context: pathlib.Path, stored: bytes, code: str
) -> None:
    """Bytes that are no text, and a size that no profile has."""
    (context / "profile.json").write_bytes(stored)

    with pytest.raises(MemoryFailure) as caught:
        profile.read()

    assert caught.value.code == code
    assert CODES[code] is Kind.OPERATION
