"""Telling clients which documents changed, whoever changed them.

One look at the host's own walk, compared with the one before, finds a model's writes and
a person's edits alike. There is a look after every write, and otherwise every two seconds.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from mcp import MCPError, types
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ResourcesListChanged,
    ResourceUpdated,
)

from ironclaw_memory.adapters.mcp_server.approvals import MAX_SESSIONS, Context, session_of
from ironclaw_memory.adapters.mcp_server.uris import path_of, uri_of
from ironclaw_memory.errors import IronclawMemoryError
from ironclaw_memory.scopes import Stamp


EVERY_S: Final = 2.0  # design.md section 6: edits are seen within 2 s in a running host
IDLE_SHARE: Final = 50  # a look may take a fiftieth of the time at most
PATIENCE_S: Final = 2.0  # how long one client may keep the others waiting
MAX_FOLLOWED: Final = 1000  # addresses that one session may follow
MAX_ADDRESS: Final = 12_288  # a path of 4,096 bytes, percent-encoded

Documents = Callable[[], Awaitable[Mapping[str, Stamp]]]


@dataclass
class _Follower:
    """A session of the protocol up to 2025-11-25, and the addresses that it follows."""

    session: ServerSession
    followed: set[str] = field(default_factory=set)


class Changes:
    """Looks for changes and tells followers. For one event loop."""

    def __init__(self, documents: Documents) -> None:
        """Look at what *documents* returns; nobody follows yet."""
        self.bus = InMemorySubscriptionBus()
        self._documents = documents
        self._known: Mapping[str, Stamp] | None = None
        self._followers: OrderedDict[str, _Follower] = OrderedDict()
        self._due = asyncio.Event()

    def look_soon(self) -> None:
        """Have the watch look without waiting for its time."""
        self._due.set()

    async def watch(self) -> None:
        """Look again and again until cancelled."""
        while True:
            self._due.clear()
            began = time.monotonic()
            await self.look()
            took = time.monotonic() - began
            with suppress(TimeoutError):
                await asyncio.wait_for(self._due.wait(), max(EVERY_S, IDLE_SHARE * took))

    async def look(self) -> None:
        """Tell followers what changed since the last look; the first finds no changes."""
        try:
            found = await self._documents()
        except (IronclawMemoryError, OSError):
            return  # the next look may do better, and a call will say what is wrong
        known, self._known = self._known, found
        if known is None or known == found:
            return
        for path in sorted(known.keys() | found.keys()):
            if known.get(path) != found.get(path):
                await self._updated(uri_of(path))
        if known.keys() != found.keys():
            await self._listing_changed()

    # Up to 2025-11-25: the server tells sessions that said hello

    async def hello(self, context: Context, params: types.NotificationParams | None) -> None:
        """Remember a session once it is ready."""
        self._follower(context)

    async def subscribe(
        self, context: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Answer ``resources/subscribe``."""
        followed = self._follower(context).followed
        if path_of(params.uri) is None or len(params.uri) > MAX_ADDRESS:
            raise MCPError(types.INVALID_PARAMS, "This is no address of a document here.")
        if len(followed) >= MAX_FOLLOWED:
            raise MCPError(types.INVALID_PARAMS, f"More than {MAX_FOLLOWED} are not followed.")
        followed.add(params.uri)
        return types.EmptyResult()

    async def unsubscribe(
        self, context: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Answer ``resources/unsubscribe``."""
        self._follower(context).followed.discard(params.uri)
        return types.EmptyResult()

    def _follower(self, context: Context) -> _Follower:
        key = session_of(context) or ""
        found = self._followers.setdefault(key, _Follower(context.session))
        while len(self._followers) > MAX_SESSIONS:
            self._followers.popitem(last=False)
        return found

    async def _updated(self, uri: str) -> None:
        await self.bus.publish(ResourceUpdated(uri=uri))
        for key, follower in list(self._followers.items()):
            if uri in follower.followed:
                await self._tell(key, follower.session.send_resource_updated(uri))

    async def _listing_changed(self) -> None:
        await self.bus.publish(ResourcesListChanged())
        for key, follower in list(self._followers.items()):
            await self._tell(key, follower.session.send_resource_list_changed())

    async def _tell(self, key: str, telling: Awaitable[None]) -> None:
        """Wait for a client that reads; forget one that has stopped, so that others are told."""
        try:
            await asyncio.wait_for(telling, PATIENCE_S)
        except TimeoutError:
            self._followers.pop(key, None)
