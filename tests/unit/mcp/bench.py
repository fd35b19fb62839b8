"""A memory server in this process, whose guest a test scripts, and the SDK's own client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, types
from tests.unit.calls.bench_of_one import ScriptedGuest, native_package, wired
from tests.unit.calls.scripted_host import ScriptedHost

from ironclaw_memory.adapters.mcp_server import progress
from ironclaw_memory.adapters.mcp_server.server import Serving, built
from ironclaw_memory.async_host import AsyncMemoryHost
from ironclaw_memory.calls import Wiring
from ironclaw_memory.model import Scope


SCOPE = Scope(tenant="acme", user="alice")
WRITE = "ironclaw.memory.write"
FACT = {"target": "memory", "content": "Likes tea."}
ERAS = ("legacy", "2026-07-28", "auto")
"""How the SDK's client talks: the handshake, the protocol without one, and what it picks."""


@dataclass
class Person:
    """Answers questions, and remembers them."""

    says: types.ElicitResult
    asked: list[types.ElicitRequestFormParams] = field(default_factory=list)

    async def answer(self, context: Any, params: Any) -> types.ElicitResult:
        """Answer one question."""
        self.asked.append(params)
        return self.says


def yes(choice: str) -> Person:
    """A person who allows everything as far as *choice*."""
    return Person(types.ElicitResult(action="accept", content={"allow": choice}))


def no(action: Any = "decline") -> Person:
    """A person who allows nothing."""
    return Person(types.ElicitResult(action=action))


@dataclass
class Bench:
    """One server, its guest, and what its clients were told."""

    host: ScriptedHost
    guest: ScriptedGuest
    wiring: Wiring
    told: list[Any] = field(default_factory=list)

    @asynccontextmanager
    async def client(
        self, mode: str, *, person: Person | None = None, **serving: Any
    ) -> AsyncIterator[Client]:
        """Connect a client of the era *mode*, with a *person* behind it or none."""
        server = await built(AsyncMemoryHost(self.host), Serving(scope=SCOPE, **serving))
        connection = Client(
            server,
            mode=mode,
            elicitation_callback=person.answer if person else None,
            message_handler=self._hear,
        )
        async with connection as client:
            yield client

    async def _hear(self, message: Any) -> None:
        self.told.append(message)

    def files(self) -> Path:
        """The directory of the scope, made if need be."""
        home = (
            self.wiring.store.root / "memory/tenants/acme/users/alice/agents/_none/projects/_none"
        )
        home.mkdir(parents=True, exist_ok=True)
        return home


def bench(root: Path) -> Bench:
    """Return a server's parts on an empty root; the guest answers everything well."""
    guest = ScriptedGuest()
    wiring = wired(root, guest, package=native_package(), progress=progress.step)
    return Bench(host=ScriptedHost(wiring), guest=guest, wiring=wiring)


def text_of(result: types.CallToolResult) -> str:
    """Return the one text of a result."""
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text
