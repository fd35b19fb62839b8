"""The functions of ``wit/`` as types, to compare a component with before it is called.

A component may export a function of the right name with other types. Lowering and
lifting follow the component's own types, so the comparison is what makes a reply have
the form that the rest of the host reads. A test compares this table with a component
built from ``wit/``.
"""

from collections.abc import Mapping
from typing import Final

from ironclaw_memory.errors import UnacceptableComponent
from ironclaw_memory.sandbox.functions import Signature


_FAILURE: Final = (
    "record{kind: enum{input, operation, unavailable}, code: string, field: option<string>}"
)
_LANE_REQUEST: Final = "record{query: string, max-snippets: u32, context-profile: string}"
_SNIPPET: Final = (
    "record{tenant-id: string, user-id: string, agent-id: option<string>, "
    "project-id: option<string>, path: string, text: string}"
)
_LANE: Final = f"record{{snippets: list<{_SNIPPET}>}}"
_MESSAGE: Final = (
    "record{role: enum{user, assistant, system, tool}, content: string, name: option<string>}"
)
_PATH: Final = "request: record{path: string}"
_VERSION: Final = "request: record{path: string, number: u32}"
_DOCUMENT: Final = "record{path: string, content: string, word-count: u32}"
_CHANGE: Final = "record{path: string, size: u64, kept-as: option<u32>}"
_ROW: Final = (
    "record{number: u32, hash: string, size: u64, unix-ms: u64, changed-by: string, erased: bool}"
)
_VERSIONS: Final = f"record{{path: string, versions: list<{_ROW}>}}"
_SWEPT: Final = (
    "record{documents: list<string>, versions: u32, bytes: u64, "
    "left: list<string>, more-left: bool}"
)
_JSON: Final = "record{json: string}"

_WRITE_REQUEST: Final = (
    "record{target: string, content: string, append: bool, "
    "old-string: option<string>, new-string: option<string>, replace-all: bool, "
    "metadata: option<string>, timezone: option<string>}"
)
_WRITE_REPLY: Final = (
    "record{status: enum{written, patched, cleared}, path: string, append: bool, "
    "content-length: u32, replacements: option<u32>, message: option<string>}"
)
_HIT: Final = "record{path: string, content: string, score: f64, is-hybrid-match: bool}"
_PROFILE: Final = (
    "record{timezone: option<string>, locale: option<string>, location: option<string>}"
)

_SHAPES: Final[Mapping[str, tuple[str, str]]] = {
    "tools.read": (_PATH, _DOCUMENT),
    "tools.write": (f"request: {_WRITE_REQUEST}", _WRITE_REPLY),
    "tools.search": ("request: record{query: string, limit: u32}", f"record{{hits: list<{_HIT}>}}"),
    "tools.tree": ("request: record{path: string, depth: u32}", _JSON),
    "tools.profile-set": (f"fields: {_PROFILE}", "record{ok: bool}"),
    "lifecycle.read-long-term": (f"request: {_LANE_REQUEST}", _LANE),
    "lifecycle.read-short-term": (
        f"request: {_LANE_REQUEST}, thread-id: option<string>",
        _LANE,
    ),
    "lifecycle.record-interaction": (
        f"messages: list<{_MESSAGE}>, thread-id: option<string>, run-id: option<string>",
        "record{recorded: bool}",
    ),
    "lifecycle.profile-read": ("", "record{json: option<string>}"),
    "upkeep.history": (_PATH, _VERSIONS),
    "upkeep.version": (_VERSION, _DOCUMENT),
    "upkeep.restore": (_VERSION, _CHANGE),
    "upkeep.delete": (_PATH, _CHANGE),
    "upkeep.deleted": (
        "request: record{after: option<string>}",
        "record{paths: list<string>, more: bool}",
    ),
    "upkeep.rename": ("request: record{path: string, to: string}", _CHANGE),
    "upkeep.erase": (
        "request: record{path: string, number: option<u32>}",
        "record{document: bool, versions: u32}",
    ),
    "upkeep.sweep": ("request: record{dry-run: bool}", _SWEPT),
    "upkeep.refresh": (
        "request: record{paths: list<string>, everything: bool, budget-ms: u32}",
        "record{indexed: u32, removed: u32, remaining: u32}",
    ),
    "upkeep.check": ("request: record{repair: bool}", _JSON),
    "upkeep.describe": (_PATH, _JSON),
    "upkeep.adopt": (
        f"request: record{{path: string, row: {_ROW}, content: option<string>}}",
        "record{path: string, number: u32, versions: u32}",
    ),
    "upkeep.explain": (
        "request: record{query: string, limit: u32, path: option<string>}",
        _JSON,
    ),
}

SIGNATURES: Final[Mapping[tuple[str, str], str]] = {
    (name.split(".")[0], name.split(".")[1]): f"func({parameters}) -> result<{reply}, {_FAILURE}>"
    for name, (parameters, reply) in _SHAPES.items()
}


def require(interface: str, function: str, found: Signature) -> Signature:
    """Return *found* if it is what the contract says; raises `UnacceptableComponent`."""
    if SIGNATURES.get((interface, function)) != found.spelled:
        raise UnacceptableComponent(
            f"The component's {interface}.{function} does not have the contract's types.",
            hint="Build it against the world memory-provider of this version.",
        )
    return found
