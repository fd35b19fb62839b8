"""What an examination can find: a code, where, how bad, and a sentence for each code."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Severity(Enum):
    """Whether something has to be done."""

    NOTICE = "notice"  # good to know; everything works
    TROUBLE = "trouble"  # something does not work, or is lost


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that was found.

    ``place`` is ``root``, ``cache``, ``gate``, ``audit``, ``component`` or an owner key;
    ``path`` names what in it. ``repaired`` says that it is mended already.
    """

    code: str
    place: str
    path: str = ""
    repaired: bool = False

    @property
    def severity(self) -> Severity:
        """How bad it is; a code that nobody knows is trouble."""
        return SENTENCES.get(self.code, _UNKNOWN)[0]

    @property
    def sentence(self) -> str:
        """What it means and, unless it is mended, what helps."""
        means_and_helps = SENTENCES.get(self.code, _UNKNOWN)[1]
        return means_and_helps.partition("; ")[0] if self.repaired else means_and_helps


_UNKNOWN: Final = (Severity.TROUBLE, "the provider reports it without saying more")
OUT_OF_STEP: Final = "index-out-of-step"
"""Of every document that a person changed by hand; nothing has to be done about it."""

_UNFINISHED: Final = "index-unfinished"
AT_THE_NEXT_SEARCH: Final = frozenset({OUT_OF_STEP, _UNFINISHED})
"""What a write or an import leaves in a healthy store, since the next search does the rest."""

_DERIVED: Final = "derived, `doctor --fix` makes it anew"

SENTENCES: Final[Mapping[str, tuple[Severity, str]]] = {
    # the installation
    "root-absent": (Severity.NOTICE, "nothing is stored yet; the first write makes it"),
    "root-unusable": (Severity.TROUBLE, "is no directory that this user can write to"),
    "open-to-others": (Severity.TROUBLE, "others can enter it; `doctor --fix` makes it private"),
    "disk-nearly-full": (Severity.TROUBLE, "less than 64 MiB are free on the disk"),
    "cache-absent": (Severity.NOTICE, "the first call compiles the component, which takes half a minute"),
    "cache-unwritable": (Severity.NOTICE, "cannot be written to, so starts may compile the component anew"),
    "cache-untrusted": (Severity.TROUBLE, "belongs to somebody else or others can write to it; remove it"),
    "gate-unreadable": (Severity.TROUBLE, "cannot be read, so everything is denied; removing its directory loses grants, leases, pending requests and settings, nothing of memory"),
    "audit-unwritable": (Severity.TROUBLE, "nothing can be recorded, so every write is refused"),
    "pins-unreadable": (Severity.TROUBLE, "an approval of a component is damaged; install it again"),
    "component-unreadable": (Severity.TROUBLE, "the bundled component is missing or not the built one; reinstall"),
    # a scope from outside
    "scope-unnamed": (Severity.NOTICE, "an id too long to be told from its directory; only looked at from outside"),
    "scope-unexamined": (Severity.TROUBLE, "could not be examined"),
    "stray-directory": (Severity.NOTICE, "is no scope of ours and is never mounted"),
    "link": (Severity.NOTICE, "is a link; it is never followed and not served"),
    "fifo": (Severity.NOTICE, "is a pipe; it is never opened and not served"),
    "pipe": (Severity.NOTICE, "is a pipe; it is never opened and not served"),
    "device": (Severity.NOTICE, "is a device or socket; it is never opened and not served"),
    "socket": (Severity.NOTICE, "is a socket; it is never opened and not served"),
    "name": (Severity.NOTICE, "has a name that is not UTF-8; rename it and it will be served"),
    "name-not-utf8": (Severity.NOTICE, "holds a name that is not UTF-8; rename it and it will be served"),
    "directory-unreadable": (Severity.TROUBLE, "cannot be entered; give it back to this user"),
    "name-illegal": (Severity.NOTICE, "has a name that no document may have; rename it and it will be served"),
    "depth": (Severity.NOTICE, "lies too deep to be served"),
    "unreadable": (Severity.TROUBLE, "cannot be read; give it back to this user"),
    "twin": (Severity.NOTICE, "differs from another name in case or normal form alone; rename one"),
    # a store, as `upkeep.check` names it (wit/upkeep.wit)
    "format-damaged": (Severity.TROUBLE, f"the store's format number is damaged; {_DERIVED}"),
    "store-damaged": (Severity.TROUBLE, "something stands where the store keeps this; `doctor --fix` moves it aside"),
    "store-newer": (Severity.TROUBLE, "a newer provider wrote this store; use that one"),
    "not-text": (Severity.NOTICE, "is not UTF-8 text; convert it and it will be served"),
    "too-large": (Severity.NOTICE, "is larger than a document may be; split it"),
    "quota-documents": (Severity.TROUBLE, "more documents than a scope may have; erase or merge some"),
    "quota-bytes": (Severity.TROUBLE, "more bytes than a scope may have; erase or merge some"),
    "quota-near": (Severity.NOTICE, "more than nine tenths of what a scope may hold are used"),
    "rename-unfinished": (Severity.NOTICE, "a killed rename; the next write or `doctor --fix` finishes it, or takes it back"),
    "version-staged": (Severity.NOTICE, "a killed write left a version; the next write or `doctor --fix` settles it"),
    "version-stray": (Severity.NOTICE, f"a version's body belongs to nothing; {_DERIVED}"),
    "version-damaged": (Severity.TROUBLE, "the newest version cannot be brought back, or the history does not name its document; `doctor --fix` mends the latter where nothing is lost by it"),
    "sidecar-damaged": (Severity.TROUBLE, "metadata of a document is damaged and counts as absent"),
    "sidecar-orphan": (Severity.NOTICE, f"metadata of a document that is gone; {_DERIVED}"),
    "config-invalid": (Severity.NOTICE, "is no JSON object, or gives a setting the wrong type, which then counts as absent; mend it in an editor"),
    "profile-corrupt": (Severity.TROUBLE, "is no JSON object, so the user has no profile; mend it in an editor"),
    "litter": (Severity.NOTICE, f"temporary files of killed calls; {_DERIVED}"),
    "index-unusable": (Severity.NOTICE, "a call that wrote the search index was stopped before its end, or the index is damaged; no document is affected, and the next search makes the index anew"),
    _UNFINISHED: (Severity.NOTICE, "the search index is not built yet, or not to its end; the next search does that"),
    OUT_OF_STEP: (Severity.NOTICE, "changed since the last search; the next one takes that in"),
}  # fmt: skip
"""How bad each code is, what it means and, after a semicolon, what helps.

Codes of a provider that are missing here still show.
"""
