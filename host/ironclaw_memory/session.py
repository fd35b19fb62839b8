"""One object for an agent loop: memory before, during and after each turn.

    with MemorySession(host, scope) as memory:
        context = memory.before_turn(user_message)     # context.text: for the system prompt
        ...                                            # memory.tools(), memory.call(name, arguments)
        report = memory.after_turn(messages)           # recorded, counted, curated when due

A run is one turn: it begins with `before_turn` and ends with `after_turn`. No
failure of memory ends a turn; each is typed in what these methods return.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Final, Protocol, Self

from ironclaw_memory.contract.for_models import as_offered, hint_for_model
from ironclaw_memory.declared import short_names
from ironclaw_memory.demands import demand_seconds, demand_whole
from ironclaw_memory.errors import ApprovalRequired, IronclawMemoryError, UndeclaredTool
from ironclaw_memory.model import Message, Origin, Scope, demand_scope
from ironclaw_memory.recall import Context, Degradation, Lane, Profile, Snippet
from ironclaw_memory.recall.context import DEFAULT_MAX_SNIPPETS
from ironclaw_memory.recall.placement import degradation_note, render_turn
from ironclaw_memory.recall.transcript import (
    GivenContent,
    GivenMessage,
    no_thread,
    query_of,
    transcript_of,
)
from ironclaw_memory.upkeep.attempts import attempted, within
from ironclaw_memory.upkeep.dialogue import (
    Model,
    ToolDefinition,
    demand_model,
    names_by_id,
    offered_schema,
)
from ironclaw_memory.upkeep.report import CurationReport


FOR_MODELS: Final = "model"  # a declared visibility, reference.md section 7
RECORDING_SECONDS: Final = 30.0  # reference.md section 6, after-turn recorder


class OfferedTool(Protocol):
    """A declared tool as the host describes it; ``documentation`` is its page for a model."""

    @property
    def id(self) -> str: ...  # noqa: D102 - the class says it
    @property
    def description(self) -> str: ...  # noqa: D102
    @property
    def documentation(self) -> str: ...  # noqa: D102
    @property
    def input_schema(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def visibility(self) -> str: ...  # noqa: D102


class SessionHost(Protocol):
    """What a session needs of the host; `MemoryHost` is one."""

    @property
    def guidance(self) -> str | None:
        """The provider's guidance text, where it declares one and the operator approved it."""
        ...

    def tools(self) -> Sequence[OfferedTool]:
        """Return the tools that the provider declares."""
        ...

    def call(
        self, tool_id: str, arguments: Mapping[str, Any], *, scope: Scope, origin: Origin
    ) -> object:
        """Run a tool on the gated path and return its output."""
        ...

    def load_context(self, scope: Scope, query: str, max_snippets: int) -> Context:
        """Recall what matters for *query*."""
        ...

    def read_profile(self, scope: Scope) -> Profile | None:
        """Return the user's profile."""
        ...

    def record_interaction(self, scope: Scope, messages: Sequence[Message], run_id: str) -> bool:
        """Keep the transcript of a run; False where there was nowhere to keep it."""
        ...

    def complete_turn(self, scope: Scope, run_id: str) -> int:
        """Count a completed run; return how many turns its owner has completed."""
        ...

    def run_due_passes(self, scope: Scope, model: Model, run_id: str) -> Sequence[CurationReport]:
        """Run the scheduled passes that are due for the owner."""
        ...


@dataclass(frozen=True, kw_only=True)
class TurnContext:
    """What memory adds to the prompt of one run.

    ``text`` is all of it in order, for the end of the system prompt. ``guidance`` calls the
    tools what `MemorySession.tools` calls them. ``note`` says what could not be recalled; it
    is there once per run.
    """

    run_id: str
    guidance: str = ""
    profile: Profile | None = None
    recalled: Context = field(default_factory=Context)
    note: str = ""

    @property
    def text(self) -> str:
        """Guidance, profile, framing with snippets, and note; empty where there is nothing."""
        return render_turn(
            guidance=self.guidance, profile=self.profile, context=self.recalled, note=self.note
        )

    @property
    def snippets(self) -> tuple[Snippet, ...]:
        """What was recalled."""
        return self.recalled.snippets

    @property
    def degradations(self) -> tuple[Degradation, ...]:
        """What could not be recalled."""
        return self.recalled.degradations


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """What a model gets back for a tool call; ``content`` is JSON, an error's included.

    ``request_id`` names the call that now waits for a person (`MemoryHost.approve`), if it does.
    """

    content: str
    is_error: bool = False
    request_id: str = ""


@dataclass(frozen=True, kw_only=True)
class TurnFailure:
    """A step after the turn that did not work: ``record``, ``count`` or ``curate``."""

    step: str
    code: str
    message: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class TurnReport:
    """What became of a turn. ``turns`` counts the owner's completed ones, 0 if unknown.

    Not ``recorded`` and no failure of ``record``: nobody spoke, or the provider keeps none.
    """

    run_id: str
    recorded: bool = False
    turns: int = 0
    curation: tuple[CurationReport, ...] = ()
    failures: tuple[TurnFailure, ...] = ()


@dataclass
class _Run:
    """The present turn: what was asked, what was recalled, whether the note went out."""

    id: str
    message: str
    context: TurnContext
    note_was_given: bool = False


class MemorySession:
    """The memory of one agent for one scope. Safe for threads; one run at a time.

    *model* runs the scheduled passes; without one none is run. *recording_seconds* bounds
    how long `after_turn` waits for a transcript to be kept.
    """

    def __init__(
        self,
        host: SessionHost,
        scope: Scope,
        *,
        model: Model | None = None,
        max_snippets: int = DEFAULT_MAX_SNIPPETS,
        recording_seconds: float = RECORDING_SECONDS,
    ) -> None:
        """Begin with no run. The host stays the caller's to close.

        Raises `InvalidArguments` for what is no `Scope`, *model* or number.
        """
        demand_scope(scope)
        demand_whole(max_snippets, "max_snippets")
        demand_seconds(recording_seconds, "recording_seconds")
        if model is not None:
            demand_model(model)
        self._host = host
        self._scope = scope
        self._model = model
        self._max_snippets = max_snippets
        self._recording_seconds = recording_seconds
        self._lock = Lock()
        self._run: _Run | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        """Forget the present run; nothing of it is recorded."""
        self._run = None

    def before_turn(self, user_message: GivenContent) -> TurnContext:
        """Return what memory adds to the prompt of this run.

        *user_message* is text, or a list of blocks as `after_turn` takes it: its texts count.
        Recall happens once per run, a failed one included; asking again with the same
        message returns the same. Another message without `after_turn` begins a new run.
        A blank message recalls nothing and begins no run; nor does anything else that is no
        message, which the context's degradations report as wrong input.
        """
        context = self.prepare_turn(user_message)
        self.note_was_given(context)
        return context

    def prepare_turn(self, user_message: GivenContent) -> TurnContext:
        """Do as `before_turn`, for callers that may still fail to hand the context on.

        Once it is handed on, they say so with `note_was_given`; until then the note about
        what is missing comes again.
        """
        query = attempted(lambda: query_of(user_message))
        if isinstance(query, IronclawMemoryError):
            return self._fresh_context("", _without_lanes(query))
        if not query.strip():
            return self._fresh_context("", Context())
        with self._lock:
            run = self._run
            if run is None or run.message != query:
                run = self._run = self._begin(query)
            if run.note_was_given:
                return replace(run.context, note="")
            return run.context

    def note_was_given(self, context: TurnContext) -> None:
        """Say that *context* reached the prompt, so that its note is not repeated."""
        run = self._run
        if run is not None and run.id == context.run_id:
            run.note_was_given = True

    def tools(self) -> tuple[ToolDefinition, ...]:
        """Return the definitions of the declared tools that a model may see.

        Their ``name``, ``description`` and ``input_schema`` are what models' interfaces take.
        """
        names = self._names()
        return tuple(
            replace(tool, description=as_offered(tool.description, names))
            for tool in self._declared()
        )

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Run a tool as the model asked for it, gated as a loop run.

        *name* is a definition's name or id, or short for it, such as ``write``. An error is a
        result too, with the hint that says what the model or its user can do.
        """
        try:
            output = self._host.call(
                self._tool_id(name), arguments, scope=self._scope, origin=Origin.LOOP_RUN
            )
        except IronclawMemoryError as error:
            names = self._names()
            problem = {
                "code": error.code,
                "message": as_offered(error.message, names),
                "hint": hint_for_model(error.hint, names),
            }
            return ToolResult(
                content=_json({"error": problem}),
                is_error=True,
                request_id=error.request_id if isinstance(error, ApprovalRequired) else "",
            )
        return ToolResult(content=_json(output))

    def after_turn(self, messages: Sequence[GivenMessage], *, completed: bool = True) -> TurnReport:
        """Record the run, count the turn, and run the scheduled pass that is due.

        *messages* are this run's, in order: user, assistant, tool results; each a `Message`
        or a mapping with ``role``, ``content`` and perhaps ``name``. A content may be a list
        of blocks: their texts and the results of tools are kept; calls, images and the rest
        are left out. So are blank messages; the others are kept verbatim. A run that was not
        *completed* is dropped. Never raises for a failure of memory, nor for messages that
        are none or a scope without a thread: the report carries it.
        """
        with self._lock:
            run_id = self._run.id if self._run else new_run_id()
            self._run = None
        if not completed:
            return TurnReport(run_id=run_id)
        return self._finish(run_id, messages)

    def _begin(self, query: str) -> _Run:
        run_id = new_run_id()
        try:
            recalled = self._host.load_context(self._scope, query, self._max_snippets)
        except IronclawMemoryError as error:
            recalled = _without_lanes(error)
        return _Run(run_id, query, self._fresh_context(run_id, recalled))

    def _fresh_context(self, run_id: str, recalled: Context) -> TurnContext:
        return TurnContext(
            run_id=run_id,
            guidance=as_offered(self._host.guidance or "", self._names()),
            profile=self._profile(),
            recalled=recalled,
            note=degradation_note(recalled.degradations),
        )

    def _profile(self) -> Profile | None:
        try:
            return self._host.read_profile(self._scope)
        except IronclawMemoryError:
            return None  # a profile is a convenience: without it the model asks

    def _declared(self) -> tuple[ToolDefinition, ...]:
        """Return the tools that a model may see, in the provider's own words."""
        return tuple(_definition(t) for t in self._host.tools() if t.visibility == FOR_MODELS)

    def _names(self) -> dict[str, str]:
        return names_by_id(self._declared())

    def _tool_id(self, name: str) -> str:
        tools = self._declared()
        for tool in tools:
            if name in {tool.id, tool.name, *short_names(tool.id)}:
                return tool.id
        known = ", ".join(tool.name for tool in tools)
        raise UndeclaredTool("There is no such memory tool.", hint=f"There are: {known}.")

    def _finish(self, run_id: str, messages: Sequence[GivenMessage]) -> TurnReport:
        recorded = attempted(lambda: self._record(run_id, messages))
        turns = attempted(lambda: self._host.complete_turn(self._scope, run_id))
        reports = attempted(lambda: self._curate(run_id))
        steps = {"record": recorded, "count": turns, "curate": reports}
        return TurnReport(
            run_id=run_id,
            recorded=recorded is True,
            turns=turns if isinstance(turns, int) else 0,
            curation=reports if isinstance(reports, tuple) else (),
            failures=tuple(
                TurnFailure(step=step, code=end.code, message=end.message, hint=end.hint)
                for step, end in steps.items()
                if isinstance(end, IronclawMemoryError)
            ),
        )

    def _record(self, run_id: str, messages: Sequence[GivenMessage]) -> bool:
        transcript = transcript_of(messages)
        if transcript and self._scope.thread is None:
            raise no_thread("Give the session a `Scope` with a thread.")
        return bool(transcript) and within(
            self._recording_seconds,
            lambda: self._host.record_interaction(self._scope, transcript, run_id),
        )

    def _curate(self, run_id: str) -> tuple[CurationReport, ...]:
        if self._model is None:
            return ()
        return tuple(self._host.run_due_passes(self._scope, self._model, run_id))


def new_run_id() -> str:
    """Return an id for a run: ``run-`` and 96 random bits."""
    return f"run-{secrets.token_hex(12)}"


def _without_lanes(error: IronclawMemoryError) -> Context:
    return Context(degradations=tuple(Degradation.of(lane, error) for lane in Lane))


def _definition(tool: OfferedTool) -> ToolDefinition:
    """Return *tool* with its whole page, since a model has nothing else to go by."""
    return ToolDefinition(
        id=tool.id,
        description=f"{tool.description}\n\n{tool.documentation}".strip(),
        input_schema=offered_schema(tool.input_schema),
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
