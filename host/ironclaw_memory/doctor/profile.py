"""A user's stored profile: whether there is one, and whether anything can be read from it."""

from enum import Enum
from typing import TYPE_CHECKING, Final

from ironclaw_memory.errors import OperationFailed, RequestError
from ironclaw_memory.model import Scope
from ironclaw_memory.recall.profile import is_profile_document


if TYPE_CHECKING:
    from ironclaw_memory.host import MemoryHost

PROFILE_PATH: Final = "context/profile.json"  # reference.md section 6
CORRUPT: Final = "profile-corrupt"  # contract/sentences.py
_NO_TEXT: Final = frozenset({"not-text", "body-too-large", "not-a-document"})  # likewise


class StoredProfile(Enum):
    """What stands where the profile belongs."""

    ABSENT = "absent"
    READABLE = "readable"
    CORRUPT = "corrupt"


def stored_profile(host: "MemoryHost", scope: Scope) -> StoredProfile:
    """Say what stands where the profile of the user of *scope* belongs.

    Raises what `MemoryHost.current` raises where nobody can tell.
    """
    try:
        document = host.current(scope.user_level(), PROFILE_PATH)
    except (RequestError, OperationFailed) as error:
        # otherwise there is no such document, or the provider keeps none
        return StoredProfile.CORRUPT if error.code in _NO_TEXT else StoredProfile.ABSENT
    return StoredProfile.READABLE if is_profile_document(document) else StoredProfile.CORRUPT
