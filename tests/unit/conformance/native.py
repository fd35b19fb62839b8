"""A subject without a sandbox: the native provider's Python, one directory per scope."""

import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final, TypeVar

from ironclaw_memory.conformance.subject import Answer
from ironclaw_memory.declared import Package
from ironclaw_memory.errors import UndeclaredTool
from ironclaw_memory.manifest import read_package
from ironclaw_memory.model import Failure, Moment, ProviderEvent, Role, Scope
from ironclaw_memory.package import Carried
from ironclaw_memory.provider import AT_USER_LEVEL
from memory_native import ports
from memory_native.boundary import converter
from memory_native.documents import WriteRequest
from memory_native.failures import MemoryFailure
from memory_native.provider import Provider
from memory_native.requests import LaneRequest, Message, ProfileFields, SearchRequest, TreeRequest
from memory_native.upkeep import VersionRow


REPOSITORY = Path(__file__).parents[3]

T = TypeVar("T")

Served = Callable[[Provider, Mapping[str, Any]], object]

Make = Callable[[str, ports.Host], Provider]
"""Makes the provider of a directory, bound to a host."""


def native_package() -> Package:
    """Return what the native provider's folder declares."""
    files = {
        path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8")
        for folder in ("prompts", "schemas")
        for path in (REPOSITORY / folder).rglob("*.*")
    }
    manifest = REPOSITORY / "component" / "native" / "manifest.toml"
    return read_package(Carried(manifest=manifest.read_text(encoding="utf-8"), files=files))


@dataclass
class _Host:
    """The provider's host for one call."""

    bound: Scope
    moment: Moment
    recording: bool
    events: list[ProviderEvent] = field(default_factory=list)

    def scope(self) -> ports.Scope:
        tenant, user, agent, project = self.bound.axes()
        return ports.Scope(tenant_id=tenant, user_id=user, agent_id=agent, project_id=project)

    def now(self) -> ports.Moment:
        return ports.Moment(unix_ms=self.moment.unix_ms, zone=self.moment.zone)

    def emit(self, event: ports.Event) -> bool:
        self.events.append(
            ProviderEvent(
                kind=event.kind,
                path_hash=event.path_hash,
                reason=event.reason,
                registry=event.registry,
                size=event.size,
            )
        )
        return self.recording


class NativeSubject:
    """Serves any number of scopes below *root*, one call at a time as under the host's lock.

    *make* makes the provider of a call; *name_of* says which directory a scope has.
    """

    def __init__(
        self,
        root: Path,
        *,
        make: Make = Provider,
        name_of: Callable[[Scope], str] = lambda scope: scope.owner_key(),
        package: Package | None = None,
    ) -> None:
        self._root = root
        self._make = make
        self._name_of = name_of
        self._lock = threading.Lock()
        self.package = package or native_package()

    def call(
        self,
        export: str,
        arguments: Mapping[str, object],
        *,
        scope: Scope,
        moment: Moment,
        recording: bool,
    ) -> Answer:
        """See `Subject.call`."""
        bound = scope.user_level() if export in AT_USER_LEVEL else scope
        host = _Host(bound, moment, recording)
        provider = self._make(str(self.directory(bound)), host)
        try:
            with self._lock:
                reply = plain(served(provider, export, arguments))
        except MemoryFailure as failure:
            failed = Failure(kind=failure.kind.value, code=failure.code, field_name=failure.field)
            return Answer(failure=failed, events=tuple(host.events))
        except Exception:  # noqa: BLE001 - what the boundary of the component does
            failed = Failure(kind="unavailable", code="internal")
            return Answer(failure=failed, events=tuple(host.events))
        return Answer(reply=reply, events=tuple(host.events))

    def ask(self, export: str, arguments: Mapping[str, object], *, scope: Scope) -> object:
        """See `Subject.ask`."""
        manifest = self.package.manifest
        known = {tool.name for tool in manifest.tools} | set(manifest.memory.upkeep)
        if export not in known | {hook.value for hook in manifest.memory.lifecycle}:
            raise UndeclaredTool(export)
        return self.call(
            export, arguments, scope=scope, moment=Moment(unix_ms=0), recording=True
        ).reply

    def directory(self, scope: Scope) -> Path:
        """See `Subject.directory`."""
        name = hashlib.sha256(self._name_of(scope).encode()).hexdigest()[:32]
        path = self._root / name
        path.mkdir(parents=True, exist_ok=True)
        return path


@dataclass(frozen=True)
class _Given:
    """A record as the bindings would hand it over: attributes instead of keys."""

    values: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        return self.values[name]


def served(provider: Provider, export: str, arguments: Mapping[str, Any]) -> object:
    """Do what `memory_native.app` does for *export*."""
    reply = _SERVED[export](provider, arguments)
    return {"json": reply} if isinstance(reply, str) else reply


def _record(kind: type[T], given: Mapping[str, Any], key: str = "request") -> T:
    return converter(kind)(_Given(given[key]))


def _recorded(provider: Provider, given: Mapping[str, Any]) -> object:
    said = tuple(
        converter(Message)(_Given({**message, "role": Role(message["role"])}))
        for message in given["messages"]
    )
    return provider.record_interaction(said, given["thread_id"], given["run_id"])


def _adopted(provider: Provider, given: Mapping[str, Any]) -> object:
    request = given["request"]
    row = converter(VersionRow)(_Given(request["row"]))
    return provider.upkeep.adopt(request["path"], row, request["content"])


def _refreshed(provider: Provider, given: Mapping[str, Any]) -> object:
    request = given["request"]
    return provider.upkeep.refresh(
        request["paths"], everything=request["everything"], budget_ms=request["budget_ms"]
    )


def _explained(provider: Provider, given: Mapping[str, Any]) -> object:
    request = given["request"]
    return provider.explain(request["query"], limit=request["limit"], path=request["path"])


def _kept_up(name: str) -> Served:
    return lambda provider, given: getattr(provider.upkeep, name)(*given["request"].values())


def _kept_up_by_name(name: str) -> Served:
    return lambda provider, given: getattr(provider.upkeep, name)(**given["request"])


_SERVED: Final[Mapping[str, Served]] = {
    "read": lambda p, given: p.read(given["request"]["path"]),
    "write": lambda p, given: p.write(_record(WriteRequest, given)),
    "search": lambda p, given: p.search(_record(SearchRequest, given)),
    "tree": lambda p, given: p.tree(_record(TreeRequest, given)),
    "profile_set": lambda p, given: p.profile_set(_record(ProfileFields, given, "fields")),
    "read_long_term": lambda p, given: p.read_long_term(_record(LaneRequest, given)),
    "read_short_term": lambda p, given: p.read_short_term(
        _record(LaneRequest, given), given["thread_id"]
    ),
    "record_interaction": _recorded,
    "profile_read": lambda p, given: p.profile_read(),
    "adopt": _adopted,
    "refresh": _refreshed,
    "explain": _explained,
    **{name: _kept_up_by_name(name) for name in ("sweep", "check")},
    **{
        name: _kept_up(name)
        for name in (
            "history",
            "version",
            "restore",
            "delete",
            "deleted",
            "rename",
            "erase",
            "describe",
        )
    },
}


def plain(value: Any) -> Any:
    """Return a reply as it looks after the boundary: dictionaries, lists, words."""
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value
