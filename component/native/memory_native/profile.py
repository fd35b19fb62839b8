"""The user's profile: time zone, locale and location at ``context/profile.json``.

A profile operation sees ``context/`` alone, so it works on that directory: what it
needs to replace the file safely is kept in ``context/.store``, which no listing
shows. `profile_set` keeps no versions there; three fields that a user states are
corrected by stating them again, and whoever rewrites the file as a document gets
versions as for any other.
"""

import re
from dataclasses import dataclass
from typing import Final, Protocol

from memory_native import clock, files, strict_json
from memory_native.documents import Author, Replacer
from memory_native.failures import MemoryFailure
from memory_native.names import Names
from memory_native.ports import Event, Host
from memory_native.replies import Acknowledgement, ProfileDocument
from memory_native.requests import ProfileFields
from memory_native.safety import path_hash
from memory_native.store import Store


DIRECTORY: Final = "context"
NAME: Final = "profile.json"
PATH: Final = f"{DIRECTORY}/{NAME}"

_FIELDS: Final = ("timezone", "locale", "location")
_LOCALE: Final = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")
_LOCALE_LENGTH: Final = 35
_LOCATION_LENGTH: Final = 200
_LOCATION_BYTES: Final = 800


class Screen(Protocol):
    """The prompt-write safety, as far as a profile needs it."""

    def screen(
        self, *, path: str, content: str, operation: str, allowance: str | None = None
    ) -> None:
        """Return if *content* may be stored at *path*, else raise."""
        ...


@dataclass(frozen=True, kw_only=True)
class Profile:
    """The profile of the user whose scope is mounted at *root*."""

    root: str
    host: Host
    safety: Screen

    def set(self, fields: ProfileFields) -> Acknowledgement:
        """Merge *fields* into the stored profile; the others stay.

        Raises the input codes of `checked`, ``profile-corrupt`` (nothing is
        changed then), a reason code of the safety screen, ``conflict`` or
        ``storage-failed``.
        """
        given = checked(fields)

        def merge(old: bytes | None) -> bytes:
            text = merged(old, given)
            self.safety.screen(path=PATH, content=text, operation="write")
            return text.encode()

        with files.storage():
            files.make_directories(self.root, DIRECTORY)
        directory = f"{self.root}/{DIRECTORY}"
        author = Author(unix_ms=self.host.now().unix_ms, changed_by=self.host.scope().owner_key())
        replacer = Replacer(Store(directory), Names(directory))
        change = replacer.replace(NAME, merge, keep=False, author=author)
        if change.is_change:
            self.host.emit(
                Event(kind="document-written", path_hash=path_hash(PATH), size=change.delta)
            )
        return Acknowledgement()

    def read(self) -> ProfileDocument:
        """Return the stored text as it is, or none.

        Raises ``not-text``, ``profile-corrupt`` for one of absurd size,
        ``not-a-document`` or ``storage-failed``.
        """
        try:
            stored = files.read(f"{self.root}/{DIRECTORY}", NAME)
            return ProfileDocument(json=None if stored is None else stored.decode())
        except UnicodeDecodeError:
            raise MemoryFailure("not-text") from None
        except MemoryFailure as failure:
            if failure.code == "body-too-large":
                raise MemoryFailure("profile-corrupt") from None
            raise


def checked(fields: ProfileFields) -> dict[str, str]:
    """Return the given fields in their stored form (reference.md section 2.1).

    Raises ``profile-empty``, ``timezone-invalid``, ``locale-invalid`` or
    ``location-invalid``, naming the field.
    """
    given: dict[str, str] = {}
    if fields.timezone is not None:
        given["timezone"] = _timezone(fields.timezone)
    if fields.locale is not None:
        given["locale"] = _locale(fields.locale)
    if fields.location is not None:
        given["location"] = _location(fields.location)
    if not given:
        raise MemoryFailure("profile-empty")
    return given


def merged(old: bytes | None, given: dict[str, str]) -> str:
    """Return the profile as compact JSON after laying *given* over *old*.

    Fields we do not know are kept. Raises ``profile-corrupt`` if *old* is not a
    JSON object or a known field of it is not text.
    """
    stored: dict[str, object] = {}
    if old is not None:
        try:
            stored = strict_json.parse_object(old.decode("utf-8-sig"))
        except (strict_json.JsonError, UnicodeDecodeError):
            raise MemoryFailure("profile-corrupt") from None
    if any(not isinstance(stored.get(field, ""), str) for field in _FIELDS):
        raise MemoryFailure("profile-corrupt")
    return strict_json.compact(stored | given)


def _timezone(raw: str) -> str:
    name = raw.strip()
    clock.zone(name)
    return name


def _locale(raw: str) -> str:
    if len(raw) > _LOCALE_LENGTH or not _LOCALE.fullmatch(raw):
        raise MemoryFailure("locale-invalid", field="locale")
    return raw


def _location(raw: str) -> str:
    place = raw.strip()
    if not place or len(place) > _LOCATION_LENGTH or len(place.encode()) > _LOCATION_BYTES:
        raise MemoryFailure("location-invalid", field="location")
    return place
