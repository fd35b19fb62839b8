"""A probe component that obeys, run in threads or in worker processes."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from tests.components import built

from ironclaw_memory.model import Access, Failure, Moment, Scope
from ironclaw_memory.sandbox.artifact import Artifact, measured
from ironclaw_memory.sandbox.cache import Cache
from ironclaw_memory.sandbox.process import ProcessRunner
from ironclaw_memory.sandbox.request import GuestCall, GuestReply, Runner
from ironclaw_memory.sandbox.runner import ThreadRunner
from ironclaw_memory.scopes import LocalStore, MountKind


SHORT = {"deadline_ms": 300}
"""A change of a call: it ends soon."""


@pytest.fixture(scope="session")
def probe() -> Artifact:
    """Return the probe, built once per change of its source."""
    return measured(built("probe", Path(__file__).parent / "probe"))


@pytest.fixture(scope="session")
def cache() -> Cache:
    """Return a cache that outlives the test run, since compiling takes half a minute."""
    return Cache(platformdirs.user_cache_path("ironclaw-memory-tests") / "compiled")


class Bench:
    """A runner and a probe, and short ways to ask it."""

    def __init__(self, runner: Runner, artifact: Artifact, root: Path) -> None:
        """Ask *artifact* through *runner*, with documents below *root*."""
        self.runner = runner
        self.root = root
        self.call = GuestCall(
            artifact=artifact,
            scope=Scope(tenant="t", user="u"),
            kind=MountKind.DOCUMENTS,
            access=Access.WRITE,
            interface="tools",
            function="search",
            arguments={},
            moment=Moment(unix_ms=1_700_000_000_000, zone="Europe/Rome"),
            deadline_ms=10_000,
            record=lambda event: True,
        )

    @property
    def home(self) -> Path:
        """The directory of the scope."""
        return self.root / "memory/tenants/t/users/u/agents/_none/projects/_none"

    def reply(
        self, verb: str, /, *, change: dict[str, Any] | None = None, **words: Any
    ) -> GuestReply:
        """Have the probe do *verb*; *change* replaces fields of the call."""
        order = {"request": {"query": json.dumps({"do": verb, **words}), "limit": 1}}
        return self.runner.run(replace(self.call, arguments=order, **(change or {})))

    def ask(self, verb: str, /, *, change: dict[str, Any] | None = None, **words: Any) -> Any:
        """Return what the probe says, or its failure."""
        value = self.reply(verb, change=change, **words).value
        return value if isinstance(value, Failure) else json.loads(value["hits"][0]["content"])

    def plain(self, interface: str, function: str, /, **arguments: Any) -> Any:
        """Return the answer of any function."""
        call = replace(self.call, interface=interface, function=function, arguments=arguments)
        return self.runner.run(call).value


@pytest.fixture
def threads(probe: Artifact, cache: Cache, tmp_path: Path) -> Iterator[Bench]:
    """Ask the probe in this process."""
    runner = ThreadRunner(LocalStore(tmp_path / "root"), cache)
    yield Bench(runner, probe, tmp_path / "root")
    runner.close()


@pytest.fixture
def processes(probe: Artifact, cache: Cache, tmp_path: Path) -> Iterator[Bench]:
    """Ask the probe in worker processes."""
    runner = ProcessRunner(LocalStore(tmp_path / "root"), cache)
    yield Bench(runner, probe, tmp_path / "root")
    runner.close()


@pytest.fixture(params=["threads", "processes"])
def bench(request: pytest.FixtureRequest) -> Bench:
    """Ask the probe both ways: what holds for one runner holds for the other."""
    found: Bench = request.getfixturevalue(request.param)
    return found
