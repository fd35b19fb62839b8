"""The public face: one open host on one root with one provider.

`MemoryHost` translates between Python and the calls; it decides nothing. Its lifetime is
that of a ``with`` block. It may be used from many threads at once. Recall and scheduled
passes are imported when they are first used, because a command that reads one document
needs neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from ironclaw_memory import assets, config
from ironclaw_memory.calls import run, run_hook
from ironclaw_memory.calls.screen import redacted
from ironclaw_memory.calls.visits import visiting
from ironclaw_memory.calls.wiring import SecretPolicy, served
from ironclaw_memory.capability.records import Kind, Record
from ironclaw_memory.capability.state import ScopeAxes
from ironclaw_memory.configured import limits_chosen
from ironclaw_memory.contract.outputs import Output
from ironclaw_memory.declared import Hook
from ironclaw_memory.demands import demand_mapping, demand_text, demand_whole
from ironclaw_memory.errors import InvalidArguments, RequestError, ScopeBusy
from ironclaw_memory.model import (
    Cell,
    Effect,
    Grant,
    Invocation,
    Message,
    Origin,
    Scope,
    demand_grants,
    demand_scope,
)
from ironclaw_memory.opening import Choices, Opened
from ironclaw_memory.owner import Owner
from ironclaw_memory.permissions import Permissions
from ironclaw_memory.sandbox.limits import Limits


if TYPE_CHECKING:
    from ironclaw_memory.recall import Context, Lane, Profile, RawSnippet
    from ironclaw_memory.reports import Erasure
    from ironclaw_memory.upkeep.dialogue import Model
    from ironclaw_memory.upkeep.report import CurationReport
    from ironclaw_memory.upkeep.snapshots import Snapshot


PROFILE_SET: Final = ".profile_set"
NOTHING_TO_ERASE: Final = frozenset({"document-missing", "version-missing"})
"""What a provider says of a document or a version that is not there (contract/sentences.py)."""


@dataclass(frozen=True, kw_only=True)
class ToolInfo:
    """One tool as this host offers it: *effects* and *matrix* are what holds, not what was asked.

    ``verb`` is the last part of the id. ``documentation`` is the provider's page for a
    model, ``input_schema`` our own schema.
    """

    id: str
    verb: str
    description: str
    documentation: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    effects: frozenset[Effect]
    matrix: Mapping[Origin, Cell] | None
    visibility: str

    @property
    def name(self) -> str:
        """The id with ``__`` for dots, which models' interfaces refuse (reference.md section 2)."""
        return self.id.replace(".", "__")


class MemoryHost(Owner, Permissions):
    """An open host. Use `MemoryHost.open`; what its owner does is in `Owner`, the gate in `Permissions`."""

    def __init__(self, choices: Choices) -> None:
        """Open a host as *choices* say; `open` is the way to get one."""
        self._opened = Opened(choices)
        super().__init__(self._opened.wiring)
        self._opened.profiles.bind(self._profile)

    @classmethod
    def open(  # noqa: PLR0913 - each is a choice of its own, none has to be made
        cls,
        *,
        root: str | Path | None = None,
        provider: str | Path | None = None,
        isolation: config.Isolation | None = None,
        limits: Limits | None = None,
        secrets: config.Secrets | None = None,
        transcript_secrets: config.Secrets | None = None,
        say: Callable[[str], None] = lambda line: None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Self:
        """Open the data directory *root* with the component in the file *provider*.

        What is not given is as configured, in the environment, the file or by default (see
        `config`); the file's ``[limits]`` hold where no *limits* are given, and not beside
        them. *provider* alone is never taken from there: without it the bundled component runs.

        *isolation* is for the bundled one: warm instances on threads (``thread``, the default),
        a worker process, or a fresh instance for every call; any other provider always runs in
        worker processes. *secrets* says what happens to a secret in a model's write (by
        default ``reject``), *transcript_secrets* to one in a recorded turn (``redact``). *say*
        gets a line per slow step, *progress* the documents done and in all while an index is
        brought in step.

        Raises `RootUnusable`, `CacheUnusable`, `ComponentUnreadable`, `ProviderNotApproved`,
        `InvalidArguments` for a choice that is none, a *provider* that is no file, and for a configuration that does not
        hold that or `SettingsUnreadable`.
        """
        settings = config.load()
        return cls(
            Choices(
                settings=settings,
                root=config.chosen_place("root", root) or settings.root,
                provider=config.chosen_place("provider", provider),
                isolation=config.chosen("isolation", isolation, settings.isolation),
                limits=limits_chosen(limits, settings),
                model_writes=SecretPolicy(config.chosen("secrets", secrets, settings.secrets)),
                transcripts=SecretPolicy(
                    config.chosen(
                        "transcript_secrets", transcript_secrets, settings.transcript_secrets
                    )
                ),
                say=say,
                progress=progress,
            )
        )

    def close(self) -> None:
        """End the instances and workers and write what the audit log still holds in memory."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Calls

    def call(
        self,
        tool_id: str,
        arguments: Mapping[str, Any],
        *,
        scope: Scope,
        origin: Origin | str | None,
        grants: Iterable[Grant] = (),
    ) -> Output:
        """Run a tool as *origin* and return its output, a dictionary (a list for ``tree``).

        An origin may be given by its value, ``"loop_run"``. *grants* come on top of the standing
        ones and end with this call. Raises a `RequestError`, `AccessRefused`, `ProviderError` or
        `HostFault`.
        """
        invocation = Invocation(
            tool_id=tool_id,
            arguments=arguments,
            scope=scope,
            origin=Origin.of(origin),
            grants=demand_grants(grants),
        )
        return self._ran(invocation, operator=False)

    def call_as_operator(
        self, tool_id: str, arguments: Mapping[str, Any], *, scope: Scope
    ) -> Output:
        """Run a tool that a person asked for in so many words, as ``loop_run``.

        The act approves what could be approved, once; what table or settings forbid stays
        forbidden. The audit log says that it was the operator.
        """
        invocation = Invocation(
            tool_id=tool_id, arguments=arguments, scope=scope, origin=Origin.LOOP_RUN
        )
        return self._ran(invocation, operator=True)

    def _ran(self, invocation: Invocation, *, operator: bool) -> Output:
        demand_mapping(
            invocation.arguments,
            "arguments",
            hint='Use a dictionary such as {"path": "notes/topic.md"}.',
        )
        try:
            return run(self._wiring, invocation, operator=operator)
        finally:
            if invocation.tool_id.endswith(PROFILE_SET):
                self._opened.profiles.forget(invocation.scope)

    def tools(self) -> tuple[ToolInfo, ...]:
        """Return the tools that the provider declares and this host serves."""
        package, rules = self._wiring.package, self._wiring.effective.tools
        return tuple(
            ToolInfo(
                id=tool.id,
                verb=tool.name,
                description=tool.description,
                documentation=package.text(tool.prompt_doc_ref) or "",
                input_schema=assets.schema(tool.name, "input"),
                output_schema=assets.schema(tool.name, "output"),
                effects=rules[tool.id].effects,
                matrix=rules[tool.id].matrix,
                visibility=tool.visibility,
            )
            for tool in package.manifest.tools
            if tool.name in assets.TOOL_NAMES and tool.id in rules
        )

    # Around a turn

    @property
    def guidance(self) -> str | None:
        """The provider's text about when to save what, if it declares one.

        It calls tools by their ids; `MemorySession` and the adapters put in the names that a
        model has them by.
        """
        return self._wiring.package.guidance

    def load_context(
        self,
        scope: Scope,
        query: str,
        max_snippets: int = 8,
        *,
        context_profile: str = "default",
    ) -> Context:
        """Recall what matters for *query*; a lane that fails is a degradation, not an error."""
        demand_scope(scope)
        demand_whole(max_snippets, "max_snippets")
        demand_text(context_profile, "context_profile")
        from ironclaw_memory.recall import RecallRules, load_context  # noqa: PLC0415

        rules = RecallRules(
            declared_hooks=self._wiring.effective.hooks,
            redact=self._opened.redact,
            framing=assets.prompt("memory_recall_framing"),
        )
        return load_context(
            self, scope, query, max_snippets, rules=rules, context_profile=context_profile
        )

    @property
    def limits(self) -> Limits:
        """The limits that hold for this host's calls and scopes."""
        return self._wiring.limits

    @property
    def keeps_transcripts(self) -> bool:
        """Whether the provider records at all: `record_interaction` keeps nothing otherwise."""
        return Hook.RECORD_INTERACTION in self._wiring.effective.hooks

    @property
    def reads_lanes_at_once(self) -> bool:
        """Whether two lanes of one scope run side by side; one warm instance serves both."""
        return False

    def read_lane(
        self, lane: Lane, scope: Scope, query: str, max_snippets: int, context_profile: str
    ) -> Sequence[RawSnippet]:
        """Return what the provider answers for *lane*, raw. Raises our errors."""
        from ironclaw_memory.recall import Lane, RawSnippet  # noqa: PLC0415

        request = {
            "query": query,
            "max_snippets": max_snippets,
            "context_profile": context_profile,
        }
        arguments: dict[str, Any] = {"request": request}
        if lane is Lane.SHORT_TERM:
            arguments["thread_id"] = scope.thread
        reply = run_hook(self._wiring, lane.hook, scope, arguments)
        return [
            RawSnippet(
                tenant=snippet["tenant_id"],
                user=snippet["user_id"],
                agent=snippet["agent_id"],
                project=snippet["project_id"],
                path=snippet["path"],
                text=snippet["text"],
            )
            for snippet in reply["snippets"]
        ]

    @served
    def record_interaction(
        self,
        scope: Scope,
        messages: Sequence[Message | Mapping[str, Any]],
        run_id: str | None,
    ) -> bool:
        """Keep the transcript of one run; return whether it was kept.

        Without a thread, a run id or messages nothing is kept. Messages may have the forms
        that `MemorySession.after_turn` takes. Secrets in them are handled by the policy for
        transcripts. Raises `InvalidArguments` for a message that is none.
        """
        demand_scope(scope)
        from ironclaw_memory.recall.transcript import messages_of  # noqa: PLC0415

        said = messages_of(messages)
        if not self.keeps_transcripts:
            return False
        reply = run_hook(
            self._wiring,
            Hook.RECORD_INTERACTION,
            scope,
            {
                "messages": [self._screened(message, scope) for message in said],
                "thread_id": scope.thread,
                "run_id": run_id,
            },
        )
        return bool(reply["recorded"])

    def read_profile(self, scope: Scope) -> Profile | None:
        """Return the profile of the scope's user, up to 5 s old; ``None`` if there is none."""
        demand_scope(scope)
        return self._opened.profiles.get(scope)

    def _profile(self, scope: Scope) -> Profile | None:
        if Hook.PROFILE_READ not in self._wiring.effective.hooks:
            return None
        if not self._opened.has_profile(scope):
            return None
        from ironclaw_memory.recall import parse_profile  # noqa: PLC0415

        reply = run_hook(self._wiring, Hook.PROFILE_READ, scope.user_level(), {})
        return parse_profile(reply["json"])

    def _screened(self, message: Message, scope: Scope) -> dict[str, Any]:
        """Return *message* as it may be recorded; a name is text like any other."""
        if self._wiring.transcripts is SecretPolicy.ALLOW:
            return {"role": message.role, "content": message.content, "name": message.name}
        kinds: list[str] = []
        content = redacted(message.content, found=kinds.append)
        name = None if message.name is None else redacted(message.name, found=kinds.append)
        if kinds:
            self._wiring.audit.require(self._secret_record(scope, kinds[0]))
        if kinds and self._wiring.transcripts is SecretPolicy.REJECT:
            raise InvalidArguments(
                f"messages: looks like it contains a secret ({kinds[0]}).",
                field="messages",
                code="secret-detected",
                hint="Leave the secret out, or set `transcript_secrets` "
                "(IRONCLAW_MEMORY_TRANSCRIPT_SECRETS) to redact.",
            )
        return {"role": message.role, "content": content, "name": name}

    def _secret_record(self, scope: Scope, kind: str) -> Record:
        return Record(
            at_ms=self._wiring.now_ms(),
            kind=Kind.SECRET,
            tool="hook.record_interaction",
            scope=ScopeAxes.of(scope),
            reason=kind,
        )

    @served
    def erase(self, scope: Scope, path: str, number: int | None = None) -> Erasure:
        """Remove one version's body, or a document with everything that is known of it.

        The snapshots of the scope go with it: they hold what was erased. If the call is killed
        in between, or fails, the next erasure takes them along, even if by then the provider
        says that there is nothing of that name or number.
        """
        demand_scope(scope)
        demand_text(path, "path")
        kept = self._opened.safekeeping
        is_owed = kept.intend_to_forget(scope)
        with visiting() as visit:
            try:
                erasure = super().erase(scope, path, number)
            except (RequestError, ScopeBusy) as problem:
                if not is_owed and (isinstance(problem, RequestError) or not visit.entered):
                    kept.spare(scope)
                elif problem.code in NOTHING_TO_ERASE:
                    kept.forget(scope)
                raise
        kept.forget(scope)
        return erasure

    # Snapshots

    @served
    def snapshots(self, scope: Scope) -> tuple[Snapshot, ...]:
        """Return the snapshots of the whole of *scope*, newest first."""
        demand_scope(scope)
        return self._opened.safekeeping.all(scope)

    @served
    def take_snapshot(self, scope: Scope) -> Snapshot | None:
        """Take a snapshot now; ``None`` where the scope has no directory yet."""
        demand_scope(scope)
        return self._opened.safekeeping.take(scope, now_ms=self._wiring.now_ms())

    @served
    def restore_snapshot(self, scope: Scope, snapshot_id: str) -> Snapshot | None:
        """Replace the whole content of *scope* by a snapshot, or by the newest with ``LATEST``.

        Returns a snapshot of what was there before. Raises `InvalidArguments` where there is
        no such snapshot or it is damaged; nothing has changed then.
        """
        demand_scope(scope)
        now_ms = self._wiring.now_ms()
        return self._opened.safekeeping.restore(scope, snapshot_id, now_ms=now_ms)

    # Scheduled passes

    @served
    def complete_turn(self, scope: Scope, run_id: str) -> int:
        """Count a completed run, once however often it is told; return its owner's turns."""
        demand_scope(scope)
        demand_text(run_id, "run_id")
        return self._opened.schedule.complete_turn(scope, run_id)

    @served
    def run_due_passes(self, scope: Scope, model: Model, run_id: str) -> tuple[CurationReport, ...]:
        """Run the provider's passes that are due for the owner of *scope*."""
        demand_scope(scope)
        demand_text(run_id, "run_id")
        return self._opened.schedule.run_due(scope, model, run_id=run_id)

    @served
    def curate(
        self, scope: Scope, model: Model, *, dry_run: bool = False
    ) -> tuple[CurationReport, ...]:
        """Run every pass now because a person asked; with *dry_run* only show what it would do."""
        demand_scope(scope)
        return self._opened.schedule.run_now(scope, model, dry_run=dry_run)
