"""What the tests of looks and of notes share: a scope, what a walk finds, and calls that look."""

import hashlib
from pathlib import Path

from ironclaw_memory import freshness as freshness_module
from ironclaw_memory.calls import Wiring, run
from ironclaw_memory.freshness import Freshness
from ironclaw_memory.model import Invocation, Origin, ProviderEvent, Scope
from ironclaw_memory.scopes import directory_of


SCOPE = Scope(tenant="acme", user="alice")
FIRST = {"a.md": (3, 10), "b.md": (3, 10)}


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        """Start at zero."""
        self.seconds = 0.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.seconds


def search(wiring: Wiring) -> object:
    """Search once."""
    return run(
        wiring,
        Invocation(
            tool_id="ironclaw.memory.search",
            arguments={"query": "tea"},
            scope=SCOPE,
            origin=Origin.LOOP_RUN,
        ),
    )


def event(kind: str, path: str) -> ProviderEvent:
    """Return what a provider says of the document at *path*."""
    return ProviderEvent(
        kind=f"document-{kind}", path_hash=f"sha256:{hashlib.sha256(path.encode()).hexdigest()}"
    )


def look(freshness: Freshness, found: freshness_module.Seen) -> freshness_module.Change:
    """Look as the host does, and take what was found as indexed."""
    change = freshness.compare(SCOPE, found, freshness.noted(SCOPE))
    freshness.remember(SCOPE, change)
    return change


def documents(root: Path) -> Path:
    """Return the directory of the scope, made."""
    path = root.joinpath(*directory_of(SCOPE))
    path.mkdir(parents=True)
    return path
