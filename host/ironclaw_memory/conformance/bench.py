"""What a check works with: scopes nobody used before, and short words for every call."""

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ironclaw_memory.calls.guest import MOST_STALLS
from ironclaw_memory.conformance.expect import holds, unexpected
from ironclaw_memory.conformance.subject import Answer, Subject
from ironclaw_memory.model import Moment, ProviderEvent, Scope
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS


STORES: Final = (".store/", "context/.store/")
"""The provider's own: of the scope, and of the profile, which is mounted alone."""

STALE: Final = "index-stale"
SEARCHING: Final = frozenset({"search", "read_long_term", "read_short_term", "explain"})

Reply = Mapping[str, Any]
Said = tuple[str, str] | tuple[str, str, str | None]
"""Role, content and, where there is one, the speaker's name."""


@dataclass(frozen=True)
class Seat:
    """One scope of the subject under test, at one point in time.

    The short words (`append`, `read`, …) return what a success carries and raise
    `Broken` for a failure; `attempt` returns the answer whatever it is.
    """

    subject: Subject
    scope: Scope
    moment: Moment = field(default_factory=lambda: Moment(unix_ms=time.time_ns() // 1_000_000))
    recording: bool = True

    def at(self, moment: Moment) -> "Seat":
        """Return this seat at another time."""
        return replace(self, moment=moment)

    def unrecorded(self) -> "Seat":
        """Return this seat with a log that takes no event."""
        return replace(self, recording=False)

    def attempt(self, export: str, **arguments: object) -> Answer:
        """Call *export* and return its answer; *arguments* are its parameters.

        A provider that asks for its index to be refreshed first gets it, once, as from the
        host.
        """
        answer = self._call(export, arguments)
        if answer.failure is not None and answer.failure.code == STALE and export in SEARCHING:
            self.notice()
            answer = self._call(export, arguments)
        return answer

    def _call(self, export: str, arguments: Mapping[str, object]) -> Answer:
        return self.subject.call(
            export,
            arguments,
            scope=self.scope,
            moment=self.moment,
            recording=self.recording,
        )

    def reply(self, export: str, **arguments: object) -> Reply:
        """Call *export* and return its reply."""
        answer = self.attempt(export, **arguments)
        if answer.reply is None:
            raise unexpected(export, answer.failure)
        return answer.reply

    def declares(self, token: str) -> bool:
        """Say whether the provider declares ``tool.…``, ``hook.…``, ``upkeep.…`` or ``flag.…``."""
        kind, _, name = token.partition(".")
        manifest = self.subject.package.manifest
        match kind:
            case "tool":
                return any(tool.name == name for tool in manifest.tools)
            case "hook":
                return any(hook.value == name for hook in manifest.memory.lifecycle)
            case "upkeep":
                return name in manifest.memory.upkeep
            case _:
                return manifest.memory.capabilities.get(name, False)

    # tools

    def try_write(self, target: str, content: str = "", /, **more: object) -> Answer:
        """Write with everything that is not in *more* left at its default."""
        request = {
            "target": target,
            "content": content,
            "append": True,
            "old_string": None,
            "new_string": None,
            "replace_all": False,
            "metadata": None,
            "timezone": None,
        }
        return self.attempt("write", request={**request, **more})

    def write(self, target: str, content: str = "", /, **more: object) -> Reply:
        """Write and return the reply."""
        answer = self.try_write(target, content, **more)
        if answer.reply is None:
            raise unexpected("write", answer.failure)
        return answer.reply

    def append(self, target: str, content: str, **more: object) -> Reply:
        """Append one entry."""
        return self.write(target, content, append=True, **more)

    def store(self, target: str, content: str, **more: object) -> Reply:
        """Replace the whole document."""
        return self.write(target, content, append=False, **more)

    def try_patch(self, target: str, old: str | None, new: str | None, **more: object) -> Answer:
        """Patch and return the answer."""
        return self.try_write(target, old_string=old, new_string=new, **more)

    def patch(self, target: str, old: str, new: str, **more: object) -> Reply:
        """Patch and return the reply."""
        return self.write(target, old_string=old, new_string=new, **more)

    def read(self, path: str) -> str:
        """Return a document's text."""
        return str(self.reply("read", request={"path": path})["content"])

    def try_read(self, path: str) -> Answer:
        """Read and return the answer."""
        return self.attempt("read", request={"path": path})

    def search(self, query: str, limit: int = 5) -> list[Reply]:
        """Return the hits."""
        return list(self.reply("search", request={"query": query, "limit": limit})["hits"])

    def found(self, query: str, limit: int = 20) -> list[str]:
        """Return the paths of the hits, best first."""
        return [hit["path"] for hit in self.search(query, limit)]

    def tree(self, path: str = "", depth: int = 1) -> str:
        """Return the listing's JSON."""
        return str(self.reply("tree", request={"path": path, "depth": depth})["json"])

    def profile_set(self, **fields: str) -> Reply:
        """Merge fields into the profile."""
        return self.reply("profile_set", fields=_profile(fields))

    def try_profile_set(self, **fields: str) -> Answer:
        """Merge fields into the profile and return the answer."""
        return self.attempt("profile_set", fields=_profile(fields))

    # hooks

    def long_term(self, query: str, count: int = 8) -> list[Reply]:
        """Return the long-term lane's snippets."""
        return list(self.reply("read_long_term", request=lane(query, count))["snippets"])

    def short_term(self, query: str, thread: str | None, count: int = 8) -> list[Reply]:
        """Return the short-term lane's snippets."""
        answer = self.reply("read_short_term", request=lane(query, count), thread_id=thread)
        return list(answer["snippets"])

    def record(self, thread: str | None, run: str | None, *said: Said) -> bool:
        """Record a run and say whether it was kept."""
        messages = [
            {"role": one[0], "content": one[1], "name": one[2] if len(one) > 2 else None}  # noqa: PLR2004
            for one in said
        ]
        answer = self.reply("record_interaction", messages=messages, thread_id=thread, run_id=run)
        return bool(answer["recorded"])

    def profile(self) -> str | None:
        """Return the stored profile's text."""
        json: str | None = self.reply("profile_read")["json"]
        return json

    # upkeep

    def upkeep(self, function: str, **request: object) -> Reply:
        """Call a function of `upkeep` and return its reply."""
        return self.reply(function, request=request)

    def versions(self, path: str) -> Sequence[Reply]:
        """Return the rows of a document's kept versions."""
        rows: Sequence[Reply] = self.upkeep("history", path=path)["versions"]
        return rows

    def bodies(self, path: str) -> list[str]:
        """Return the bodies of a document's kept versions, oldest first."""
        return [
            str(self.upkeep("version", path=path, number=row["number"])["content"])
            for row in self.versions(path)
        ]

    # what a person does

    @property
    def folder(self) -> Path:
        """The directory of this scope, as a person sees it."""
        return self.subject.directory(self.scope)

    def put(self, path: str, content: bytes | str) -> None:
        """Save a file as an editor would, then do what the host does when it notices."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        self.notice(path)

    def notice(self, *paths: str, everything: bool = False) -> None:
        """Bring the index in step with changes by hand, where the provider keeps one.

        Raises `Broken` where the host gives up as well: a provider that always leaves one
        document would hold the suite for ever.
        """
        if not self.declares("upkeep.refresh"):
            return
        request = {"paths": list(paths), "everything": everything, "budget_ms": 2000}
        until, left, stalls = time.monotonic() + DEFAULT_LIMITS.refresh_ms / 1000, 0, 0
        while (report := self.upkeep("refresh", **request))["remaining"]:
            stalls += 0 < left <= report["remaining"]
            moved = report["indexed"] + report["removed"] > 0
            gets_on = moved and stalls <= MOST_STALLS and time.monotonic() <= until
            holds("a refresh that comes to its end", fact=gets_on, came=dict(report))
            left = report["remaining"]

    def files(self) -> dict[str, bytes]:
        """Return every document on disk, the provider's own store left out."""
        return {
            name: content
            for name, content in self.everything().items()
            if not name.startswith(STORES)
        }

    def everything(self) -> dict[str, bytes]:
        """Return every regular file on disk."""
        root = self.folder
        return {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file() and not path.is_symlink()
        }

    def events_of(self, answer: Answer, *kinds: str) -> list[ProviderEvent]:
        """Return the events of *answer* whose kind is one of *kinds*."""
        return [event for event in answer.events if event.kind in kinds]


class Bench:
    """Hands out seats. Every scope is new, so no check sees another's documents."""

    def __init__(self, subject: Subject, *, tenant: str, run: str) -> None:
        """Test *subject* under ids that start with *tenant*; *run* makes them unique."""
        self.subject = subject
        self._tenant = tenant
        self._run = run
        self._numbers: Iterator[int] = itertools.count(1)

    def seat(self, *, agent: str | None = None, project: str | None = None) -> Seat:
        """Return a seat in a scope of its own."""
        user = f"{self._run}-{next(self._numbers)}"
        scope = Scope(tenant=self._tenant, user=user, agent=agent, project=project)
        return Seat(self.subject, scope)

    def beside(self, seat: Seat, axis: str) -> Seat:
        """Return a seat whose scope differs from that of *seat* on one axis alone."""
        value = getattr(seat.scope, axis)
        other = f"{value}.other" if value is not None else "other"
        return replace(seat, scope=replace(seat.scope, **{axis: other}))


def lane(query: str, count: int, profile: str = "interactive") -> Reply:
    """Return a lane request."""
    return {"query": query, "max_snippets": count, "context_profile": profile}


def _profile(fields: Mapping[str, str]) -> Reply:
    return {"timezone": None, "locale": None, "location": None, **fields}
