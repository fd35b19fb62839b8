"""The typed face of a provider's exports: which function a request becomes, and how it runs.

One table says for each function of the contract which interface it is in, which access
it needs and how long it may take. Nothing here decides whether a call may happen.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ironclaw_memory.model import Access


@dataclass(frozen=True, kw_only=True)
class Function:
    """One exported function.

    ``access`` is the mount it gets. ``long`` allows it the long deadline of the limits,
    for recording and upkeep (design.md section 5).
    """

    interface: str
    name: str
    access: Access
    long: bool = False


def _tool(name: str, access: Access) -> Function:
    return Function(interface="tools", name=name, access=access)


def _upkeep(name: str, access: Access = Access.WRITE) -> Function:
    return Function(interface="upkeep", name=name, access=access, long=True)


TOOLS: Final[Mapping[str, Function]] = {
    "read": _tool("read", Access.READ),
    "write": _tool("write", Access.WRITE),
    "search": _tool("search", Access.READ),
    "tree": _tool("tree", Access.READ),
    "profile_set": _tool("profile-set", Access.WRITE),
}

HOOKS: Final[Mapping[str, Function]] = {
    "read_long_term": Function(interface="lifecycle", name="read-long-term", access=Access.READ),
    "read_short_term": Function(interface="lifecycle", name="read-short-term", access=Access.READ),
    "record_interaction": Function(
        interface="lifecycle", name="record-interaction", access=Access.WRITE, long=True
    ),
    "profile_read": Function(interface="lifecycle", name="profile-read", access=Access.READ),
}

UPKEEP: Final[Mapping[str, Function]] = {
    "history": _upkeep("history", Access.READ),
    "version": _upkeep("version", Access.READ),
    "restore": _upkeep("restore"),
    "delete": _upkeep("delete"),
    "deleted": _upkeep("deleted", Access.READ),
    "rename": _upkeep("rename"),
    "erase": _upkeep("erase"),
    "sweep": _upkeep("sweep"),
    "refresh": _upkeep("refresh", Access.INDEX),
    "check": _upkeep("check"),
    "describe": _upkeep("describe", Access.READ),
    "adopt": _upkeep("adopt"),
    "explain": _upkeep("explain", Access.READ),
}

AT_USER_LEVEL: Final = frozenset({"profile_set", "profile_read"})
"""These run in the scope of tenant and user, where ``context/`` alone is mounted."""


def guest_request(tool_name: str, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a canonical request as the record that the tool's export takes."""
    match tool_name:
        case "write":
            metadata = request.get("metadata")
            return {
                "target": request["target"],
                "content": request["content"],
                "append": request["append"],
                "old_string": request.get("old_string"),
                "new_string": request.get("new_string"),
                "replace_all": request["replace_all"],
                "metadata": None if metadata is None else json.dumps(metadata, ensure_ascii=False),
                "timezone": request.get("timezone"),
            }
        case "profile_set":
            return {field: request.get(field) for field in ("timezone", "locale", "location")}
        case _:
            return dict(request)
