"""The subject that runs a component in the sandbox, in a directory that ends with it."""

import itertools
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ironclaw_memory import config, installed
from ironclaw_memory.calls import SecretPolicy, Wiring, run_hook, run_upkeep
from ironclaw_memory.calls import run as run_tool
from ironclaw_memory.capability.audit import AuditLog
from ironclaw_memory.capability.clamp import Policy, clamp
from ironclaw_memory.capability.gate import Gate
from ironclaw_memory.conformance.catalogue import RULES
from ironclaw_memory.conformance.report import Report
from ironclaw_memory.conformance.run import Progress, run, silent
from ironclaw_memory.conformance.subject import Answer
from ironclaw_memory.declared import Hook, Package
from ironclaw_memory.errors import (
    ComponentUnreadable,
    ProviderError,
    UnacceptableComponent,
    UndeclaredTool,
)
from ironclaw_memory.freshness import SEEN, Freshness
from ironclaw_memory.installed import Provider
from ironclaw_memory.manifest import MEMORY_NAMESPACE, read_package
from ironclaw_memory.model import Access, Failure, Invocation, Moment, Origin, ProviderEvent, Scope
from ironclaw_memory.package import extract
from ironclaw_memory.provider import AT_USER_LEVEL, HOOKS, TOOLS, UPKEEP, Function
from ironclaw_memory.quota import Quota
from ironclaw_memory.sandbox.artifact import check_named, measured
from ironclaw_memory.sandbox.limits import DEFAULT_LIMITS
from ironclaw_memory.sandbox.request import GuestCall, Runner
from ironclaw_memory.scopes import HOST_DIRECTORY, LocalStore, MountKind


_FUNCTIONS: Final[Mapping[str, Function]] = {**TOOLS, **HOOKS, **UPKEEP}

_NOBODY: Final = Scope(tenant="conformance", user="nobody")

Say = Callable[[str], None]


class SandboxedSubject:
    """A component on a runner, with the checks of the host beside it and not around it."""

    def __init__(
        self, provider: Provider, root: Path, runner: Runner, *, fresh_instances: bool = False
    ) -> None:
        """Keep everything below *root*; the runner mounts from the same place.

        With *fresh_instances* no instance serves a second call.
        """
        self._fresh = fresh_instances
        self._provider = provider
        self._runner = runner
        self._store = LocalStore(root)
        self._host = root / HOST_DIRECTORY
        self._wiring = self._wired()

    @property
    def package(self) -> Package:
        """What the provider declares."""
        return self._provider.package

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
        events: list[ProviderEvent] = []

        def record(event: ProviderEvent) -> bool:
            events.append(event)
            return recording

        function, profile = _FUNCTIONS[export], export in AT_USER_LEVEL
        reply = self._runner.run(
            GuestCall(
                artifact=self._provider.artifact,
                interface=function.interface,
                function=function.name,
                arguments=arguments,
                scope=scope.user_level() if profile else scope,
                kind=MountKind.PROFILE if profile else MountKind.DOCUMENTS,
                access=function.access,
                moment=moment,
                deadline_ms=DEFAULT_LIMITS.long_deadline_ms
                if function.long
                else DEFAULT_LIMITS.deadline_ms,
                record=record,
                fresh=self._fresh,
            )
        ).value
        if isinstance(reply, Failure):
            return Answer(failure=reply, events=tuple(events))
        return Answer(reply=reply, events=tuple(events))

    def ask(self, export: str, arguments: Mapping[str, object], *, scope: Scope) -> object:
        """See `Subject.ask`: the numbered path of a call, as the person at the keyboard."""
        if export in UPKEEP:
            return run_upkeep(self._wiring, export, scope, arguments)
        if export in HOOKS:
            return run_hook(self._wiring, Hook(export), scope, arguments)
        return run_tool(
            self._wiring,
            Invocation(
                tool_id=self._tool_id(export),
                arguments=arguments,
                scope=scope,
                origin=Origin.LOOP_RUN,
            ),
            operator=True,
        )

    def directory(self, scope: Scope) -> Path:
        """See `Subject.directory`."""
        mount = self._store.mount(scope, kind=MountKind.DOCUMENTS, access=Access.WRITE)
        with mount.opened():
            return mount.root.joinpath(*mount.parts)

    def load(self) -> None:
        """Have the component compiled and loaded, so that the first rule does not wait for it.

        Raises `UnacceptableComponent` and the `HostFault` of a file that cannot be used;
        how the provider answers is left to the rules.
        """
        moment = Moment(unix_ms=time.time_ns() // 1_000_000)
        try:
            self.call("profile_read", {}, scope=_NOBODY, moment=moment, recording=True)
        except UnacceptableComponent:
            raise
        except (ProviderError, UndeclaredTool):
            return

    def _tool_id(self, name: str) -> str:
        declared = (tool.id for tool in self.package.manifest.tools if tool.name == name)
        return next(declared, f"{MEMORY_NAMESPACE}{name}")

    def _wired(self) -> Wiring:
        numbers = itertools.count()
        return Wiring(
            package=self._provider.package,
            effective=self._provider.effective,
            artifact=self._provider.artifact,
            runner=self._runner,
            store=self._store,
            gate=Gate(self._host),
            audit=AuditLog(self._host),
            freshness=Freshness(self._host / SEEN, self._provider.artifact.digest),
            quota=Quota(self._store, DEFAULT_LIMITS),
            limits=DEFAULT_LIMITS,
            now_ms=lambda: time.time_ns() // 1_000_000,
            zone_of=lambda scope: "UTC",
            new_call_id=lambda: f"conformance-{next(numbers)}",
            recover=lambda scope: None,
            before_write=lambda scope: None,
            model_writes=SecretPolicy.ALLOW,
            transcripts=SecretPolicy.ALLOW,
        )


@contextmanager
def opened(
    path: Path | None,
    *,
    say: Say,
    unsafe_in_threads: bool = False,
    fresh_instances: bool = False,
) -> Iterator[SandboxedSubject]:
    """Run the component in the file *path*, or the bundled one, on an empty directory.

    Nobody has to approve the component first: it sees nothing but that directory, which
    is removed at the end. The bundled component runs in threads and any other in worker
    processes, unless *unsafe_in_threads* says that its author is trusted. With
    *fresh_instances* every call has an instance of its own. Raises `ComponentUnreadable`, `InvalidManifest` and `UnacceptableComponent`.
    """
    provider = provider_of(path)
    with tempfile.TemporaryDirectory(prefix="conformance-") as scratch:
        root = Path(scratch)
        runner = _runner(root, say, in_threads=provider.bundled or unsafe_in_threads)
        try:
            subject = SandboxedSubject(provider, root, runner, fresh_instances=fresh_instances)
            subject.load()
            yield subject
        finally:
            runner.close()


def provider_of(path: Path | None) -> Provider:
    """Return the provider in a file, read but not approved, or the bundled one for ``None``."""
    if path is None:
        return installed.bundled()
    check_named(path, field="component")
    artifact = measured(path)
    if installed.is_bundled(artifact):
        return installed.bundled()
    try:
        package = read_package(extract(path.read_bytes()))
    except OSError:
        raise ComponentUnreadable("The component file cannot be read.") from None
    return Provider(
        artifact=artifact,
        package=package,
        effective=clamp(package.manifest, Policy(bundled=False)),
        bundled=False,
    )


def _runner(root: Path, say: Say, *, in_threads: bool) -> Runner:
    from ironclaw_memory.sandbox.cache import Cache  # noqa: PLC0415 - loads wasmtime
    from ironclaw_memory.sandbox.process import ProcessRunner  # noqa: PLC0415 - likewise
    from ironclaw_memory.sandbox.runner import ThreadRunner  # noqa: PLC0415 - likewise

    store, compiled = LocalStore(root), Cache(config.load().cache, on_compile=say)
    kind: Callable[..., Any] = ThreadRunner if in_threads else ProcessRunner
    runner: Runner = kind(store, compiled, DEFAULT_LIMITS)
    return runner


def conform(
    path: Path | None, *, progress: Progress = silent, say: Say = lambda line: None
) -> Report:
    """Hold the component in the file *path*, or the bundled one, to every rule.

    *progress* is told each outcome with the numbers done and in all; *say* gets a line
    before a slow step. Render the report with one of `RENDERERS`; its ``exit_code`` is
    that of the command. Raises `InvalidArguments`, `ComponentUnreadable`, `InvalidManifest` and `HostFault`.
    """
    with opened(path, say=say) as subject:
        return run(subject, RULES, progress)
