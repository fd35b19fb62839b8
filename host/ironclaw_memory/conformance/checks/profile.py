"""The profile: three checked fields, merged, never guessed and never overwritten when odd."""

import json
from typing import Any, Final

from ironclaw_memory.conformance.bench import Bench, Seat
from ironclaw_memory.conformance.expect import failed, same
from ironclaw_memory.conformance.rule import Group, rule


_SET: Final = "tool.profile_set"
_READ: Final = "hook.profile_read"
_PATH: Final = "context/profile.json"


def _stored(seat: Seat) -> Any:
    return json.loads(seat.files().get(_PATH, b"null"))


def _corrupt(seat: Seat, content: str) -> None:
    """Save a profile by hand; it is no document of the index, so nothing is noticed."""
    path = seat.folder / _PATH
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


@rule("profile.set-is-read-back", Group.PROFILE, _SET, _READ)
def set_is_read_back(bench: Bench) -> None:
    """What was set is what the hook returns, as a JSON object."""
    seat = bench.seat()
    seat.profile_set(timezone="Europe/Lisbon", locale="pt-PT", location="Lisbon")
    expected = {"timezone": "Europe/Lisbon", "locale": "pt-PT", "location": "Lisbon"}
    same("profile", came=json.loads(seat.profile() or "null"), expected=expected)


@rule("profile.is-a-file-at-its-place", Group.PROFILE, _SET, "flag.file_documents")
def is_a_file_at_its_place(bench: Bench) -> None:
    """The profile is the JSON document `context/profile.json` and nothing beside it."""
    seat = bench.seat()
    seat.profile_set(timezone="Europe/Lisbon")
    same("documents", came=list(seat.files()), expected=[_PATH])
    same("content", came=_stored(seat), expected={"timezone": "Europe/Lisbon"})


@rule("profile.merge-keeps-other-fields", Group.PROFILE, _SET, _READ)
def merge_keeps_other_fields(bench: Bench) -> None:
    """Setting one field keeps the others, unknown ones included."""
    seat = bench.seat()
    _corrupt(seat, '{"timezone":"Asia/Tokyo","pronouns":"she"}')
    seat.profile_set(location="Osaka")
    expected = {"timezone": "Asia/Tokyo", "pronouns": "she", "location": "Osaka"}
    same("profile", came=json.loads(seat.profile() or "null"), expected=expected)


@rule("profile.corrupt-document-is-left-alone", Group.PROFILE, _SET)
def corrupt_document_is_left_alone(bench: Bench) -> None:
    """A profile that is no object of texts is not overwritten; the failure is of the documents."""
    for content in ("not json", "[1]", '"text"', '{"timezone":5}', '{"location":null}'):
        seat = bench.seat()
        _corrupt(seat, content)
        failed(f"set over {content}", seat.try_profile_set(locale="de-DE"), "operation")
        same("the document", came=seat.files()[_PATH], expected=content.encode())


@rule("profile.fields-are-checked", Group.PROFILE, _SET)
def fields_are_checked(bench: Bench) -> None:
    """A field that does not hold is the caller's mistake, and nothing is stored."""
    seat = bench.seat()
    bad: tuple[dict[str, str], ...] = (
        {"timezone": "Mars/Olympus"},
        {"timezone": "../etc/passwd"},
        {"locale": "de_DE"},
        {"locale": "de--DE"},
        {"locale": "a" * 36},
        {"location": "  "},
        {"location": "x" * 201},
        {},
    )
    for fields in bad:
        failed(f"profile_set({fields})", seat.try_profile_set(**fields), "input")
    same("documents", came=seat.files(), expected={})


@rule("profile.absence-is-an-answer", Group.PROFILE, _READ)
def absence_is_an_answer(bench: Bench) -> None:
    """Without a profile the hook returns none, and that is no failure."""
    same("profile", came=bench.seat().profile(), expected=None)


@rule("profile.is-returned-as-it-is", Group.PROFILE, _READ)
def is_returned_as_it_is(bench: Bench) -> None:
    """The hook returns the document's text; judging it is the host's."""
    seat = bench.seat()
    _corrupt(seat, '{"timezone": "nowhere"}\n')
    same("profile", came=seat.profile(), expected='{"timezone": "nowhere"}\n')
