"""What this project promises, tried on a temporary store: every line is checked, not told.

A scene that does not come out as promised raises `DemoFailed`: an escape that
succeeded, or a refusal that did not happen, ends the demo with an exit code.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from ironclaw_memory.errors import (
    AccessDenied,
    ApprovalRequired,
    HostFault,
    IronclawMemoryError,
    ProviderError,
)
from ironclaw_memory.model import Origin, Scope
from ironclaw_memory.scopes import directory_of


if TYPE_CHECKING:
    from ironclaw_memory.host import MemoryHost

_E = TypeVar("_E", bound=IronclawMemoryError)

WRITE: Final = "ironclaw.memory.write"
SEARCH: Final = "ironclaw.memory.search"
READ: Final = "ironclaw.memory.read"
FACT: Final = "Prefers tea, no sugar."
CORRECTED: Final = "Prefers tea with honey."
HIDDEN: Final = "the combination is 4711"

BREAKFAST: Final = Scope(tenant="demo", user="ada", thread="breakfast")
EVENING: Final = Scope(tenant="demo", user="ada", thread="evening")
STRANGER: Final = Scope(tenant="demo", user="bob")


class DemoFailed(HostFault):
    """Something did not come out as promised; the message names it."""

    code = "demo-failed"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One thing that was tried: what became of it, who tried what, and the evidence."""

    verdict: str
    who: str
    what: str
    evidence: str


def scenes(host: "MemoryHost", root: Path) -> Iterator[Line]:
    """Play every scene on *host*, whose data directory *root* is empty, and yield its line.

    Raises `DemoFailed`.
    """
    yield _saved(host)
    yield _recalled(host)
    yield _patched(host)
    yield _found(host)
    yield _refused_origin(host)
    yield _refused_without_grant(host)
    yield _refused_escape(host, root)
    yield _refused_foreign_store(host, root)


def _saved(host: "MemoryHost") -> Line:
    host.call_as_operator(WRITE, {"target": "memory", "content": FACT}, scope=BREAKFAST)
    stored = host.current(BREAKFAST, "MEMORY.md")
    _promise(stored == f"{FACT}\n", "the fact is in MEMORY.md")
    return _allowed("you", "write MEMORY.md", f'"{FACT}"')


def _recalled(host: "MemoryHost") -> Line:
    context = host.load_context(EVENING, "What would they like to drink?")
    recalled = [snippet for snippet in context.snippets if FACT in snippet.text]
    _promise(bool(recalled), "another thread recalls the fact")
    return _allowed("agent", "recall, in another thread", f'-> "{FACT}"')


def _patched(host: "MemoryHost") -> Line:
    patch = {"target": "memory", "old_string": FACT, "new_string": CORRECTED}
    host.call_as_operator(WRITE, patch, scope=BREAKFAST)
    _promise(host.current(BREAKFAST, "MEMORY.md") == f"{CORRECTED}\n", "the patch is in MEMORY.md")
    return _allowed("you", "patch MEMORY.md", f'"{CORRECTED}"')


def _found(host: "MemoryHost") -> Line:
    output = host.call(SEARCH, {"query": "honey"}, scope=EVENING, origin=Origin.LOOP_RUN)
    results = output["results"] if isinstance(output, dict) else []
    _promise(
        any(hit["path"] == "MEMORY.md" and "honey" in hit["content"] for hit in results),
        "the search finds the corrected fact",
    )
    return _allowed("agent", "search honey", f"-> {len(results)} document, MEMORY.md")


def _refused_origin(host: "MemoryHost") -> Line:
    error = _refusal(
        AccessDenied,
        lambda: host.call(
            WRITE,
            {"target": "memory", "content": "Buy now."},
            scope=BREAKFAST,
            origin=Origin.AUTOMATION,
        ),
        "an automation may not write",
    )
    _unchanged(host)
    return Line(verdict="refused", who="automation", what="write MEMORY.md", evidence=error.message)


def _refused_without_grant(host: "MemoryHost") -> Line:
    _refusal(
        ApprovalRequired,
        lambda: host.call(
            WRITE,
            {"target": "memory", "content": "Prefers coffee."},
            scope=BREAKFAST,
            origin=Origin.LOOP_RUN,
        ),
        "an agent may not write without a grant",
    )
    _unchanged(host)
    allowed_by = f"not until you type: ironclaw-memory grant {WRITE}"
    return Line(verdict="refused", who="agent", what="write MEMORY.md", evidence=allowed_by)


def _refused_escape(host: "MemoryHost", root: Path) -> Line:
    """Have guest code open a link in its own directory that leads to a file outside."""
    outside = root / "outside.txt"
    outside.write_text(HIDDEN, encoding="utf-8")
    link = root.joinpath(*directory_of(BREAKFAST)) / "notes.md"
    link.symlink_to(os.path.relpath(outside, link.parent))
    _promise(link.read_text(encoding="utf-8") == HIDDEN, "the bait can be read without a sandbox")
    _refusal(
        ProviderError,
        lambda: host.call(READ, {"path": link.name}, scope=BREAKFAST, origin=Origin.LOOP_RUN),
        "the guest cannot follow a link out of its directory",
    )
    return _outside("open a link that leads outside")


def _refused_foreign_store(host: "MemoryHost", root: Path) -> Line:
    """Have guest code walk through a linked directory into the store of somebody else's memory.

    The guest does not look whether its own store is a link, so only the sandbox stands
    between it and the stranger's earlier version.
    """
    for text in (HIDDEN, "nothing to see"):
        replacing = {"target": "diary.md", "content": text, "append": False}
        host.call_as_operator(WRITE, replacing, scope=STRANGER)
    _promise(host.version(STRANGER, "diary.md", 1) == HIDDEN, "the stranger's version is there")
    mine, theirs = (root.joinpath(*directory_of(s)) / ".store" for s in (BREAKFAST, STRANGER))
    mine.rename(mine.with_name(".kept"))
    mine.symlink_to(os.path.relpath(theirs, mine.parent))
    _refusal(
        IronclawMemoryError,
        lambda: host.version(BREAKFAST, "diary.md", 1),
        "the guest cannot reach another memory",
    )
    return _outside("read another person's memory")


def _refusal(kind: type[_E], attempt: Callable[[], object], promise: str) -> _E:
    """Return the error that *attempt* was refused with; raises `DemoFailed` if it was not."""
    try:
        attempt()
    except kind as error:
        return error
    except IronclawMemoryError as error:
        raise _broken(f"{promise}: {error.code}") from error
    raise _broken(promise)


def _unchanged(host: "MemoryHost") -> None:
    now = host.current(BREAKFAST, "MEMORY.md")
    _promise(now == f"{CORRECTED}\n", "a refused write changes nothing")


def _promise(kept: bool, promise: str) -> None:  # noqa: FBT001 - reads as a sentence
    if not kept:
        raise _broken(promise)


def _broken(promise: str) -> DemoFailed:
    return DemoFailed(
        f"This was promised and did not hold: {promise}.",
        hint="Do not rely on this installation; run `ironclaw-memory doctor`, and please report it.",
    )


def _allowed(who: str, what: str, evidence: str) -> Line:
    return Line(verdict="allowed", who=who, what=what, evidence=evidence)


def _outside(what: str) -> Line:
    return Line(
        verdict="refused", who="guest", what=what, evidence="the sandbox shows it /memory alone"
    )
