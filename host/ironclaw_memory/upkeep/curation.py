"""One curation pass over the standing document of one scope.

The steps of `curate`, each marked in the code:

1. Ask the gate for every tool of the pass; a missing grant costs no model call.
2. Read the document; nothing there, nothing to do.
3. Let the model talk (`conversation`); its rewrite is held back.
4. Hold the rewrite against the rails (`rails`).
5. Stop here if this is a dry run.
6. Make sure that the claim still stands and nobody wrote meanwhile.
7. Keep the old body, then replace the document by comparing it as a whole, so that
   a write between step 6 and this one wins as well.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ironclaw_memory.errors import AccessRefused, InvalidArguments, IronclawMemoryError
from ironclaw_memory.upkeep.conversation import Conversation, CurationPass, PassStopped
from ironclaw_memory.upkeep.dialogue import Model
from ironclaw_memory.upkeep.rails import (
    DOCUMENT,
    READ_TOOL,
    READING_TOOLS,
    WRITE_TOOL,
    CurationRules,
    dropped_lines,
    refusal,
    unified_diff,
)
from ironclaw_memory.upkeep.report import (
    CurationReport,
    CurationStatus,
    ModelAccount,
    parse_account,
)


class CurationHost(Protocol):
    """What a pass needs of the host, bound to one scope and to the origin of a scheduled run."""

    def require(self, tool_id: str) -> None:
        """Ask the gate without calling. Raises `AccessRefused` where a call would be refused."""
        ...

    def call(self, tool_id: str, arguments: Mapping[str, Any]) -> object:
        """Call a tool on the ordinary path. Raises `IronclawMemoryError`."""
        ...

    def keep_before_write(self, path: str) -> None:
        """Take the host's snapshot of the document, for providers that keep no versions."""
        ...

    def restore_command(self, path: str) -> str:
        """Return the command that brings the body before the last write back."""
        ...


@dataclass(frozen=True, kw_only=True)
class PassRun:
    """One run of a pass. ``id`` names it; ``still_held`` says whether its claim stands."""

    curation: CurationPass
    host: CurationHost
    model: Model
    rules: CurationRules
    clock: Callable[[], float]
    id: str
    dry_run: bool = False
    still_held: Callable[[], bool] = lambda: True


class _Ended(Exception):
    """A step came to a result; carries it past the steps that follow."""

    def __init__(self, status: CurationStatus, reason: str = "") -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


def curate(run: PassRun) -> CurationReport:
    """Run one pass. Raises nothing that the host, the provider or the model raised."""
    report = CurationReport(status=CurationStatus.DONE, pass_id=run.id)
    try:
        _ask_the_gate(run)  # 1
        before = _document(run)  # 2
        return _curate_document(run, report, before) if before.strip() else report
    except _Ended as end:
        return replace(report, status=end.status, reason=end.reason)
    except IronclawMemoryError as error:
        return replace(report, status=CurationStatus.FAILED, reason=_sentence(error))


def _ask_the_gate(run: PassRun) -> None:
    for tool in run.curation.tools:
        if tool.id == WRITE_TOOL and run.dry_run:
            continue
        if tool.id in READING_TOOLS or tool.id == WRITE_TOOL:
            try:
                run.host.require(tool.id)
            except AccessRefused as error:
                raise _Ended(CurationStatus.SKIPPED, _sentence(error)) from None


def _document(run: PassRun) -> str:
    """Return the document as the provider reads it, empty where there is none."""
    try:
        output = run.host.call(READ_TOOL, {"path": DOCUMENT})
    except InvalidArguments:
        return ""
    text = str(output["content"]) if isinstance(output, Mapping) else ""
    if len(text.encode()) > run.rules.max_document_bytes:
        raise _Ended(
            CurationStatus.FAILED,
            f"{DOCUMENT} has more than {run.rules.max_document_bytes} bytes; split it first.",
        )
    return text


def _curate_document(run: PassRun, report: CurationReport, before: str) -> CurationReport:
    talk = Conversation(
        curation=run.curation,
        model=run.model,
        call=run.host.call,
        rules=run.rules,
        clock=run.clock,
    )
    try:
        account = parse_account(talk.run())  # 3
        report = _with_account(report, account)
        after = talk.proposal
        if after is not None and after != before:
            report = replace(
                report, dropped=dropped_lines(before, after), diff=unified_diff(before, after)
            )
            _check(run, before, after, account)  # 4, 5, 6
            report = _commit(run, report, before, after)  # 7
    except (_Ended, PassStopped, IronclawMemoryError) as end:
        report = _ended(report, end)
    return replace(report, model_calls=talk.model_calls, tool_calls=talk.tool_calls)


def _check(run: PassRun, before: str, after: str, account: ModelAccount | None) -> None:
    problem = refusal(before, after, account, max_share=run.rules.max_dropped_share)
    if problem:
        raise _Ended(CurationStatus.REFUSED, problem)
    if run.dry_run:
        raise _Ended(CurationStatus.DRY_RUN)
    if not run.still_held():
        raise _Ended(CurationStatus.FAILED, "The pass took so long that another may have begun.")
    if _document(run) != before:
        raise _Ended(CurationStatus.REFUSED, f"{DOCUMENT} was changed meanwhile; that stands.")


def _commit(run: PassRun, report: CurationReport, before: str, after: str) -> CurationReport:
    run.host.keep_before_write(DOCUMENT)
    try:
        run.host.call(WRITE_TOOL, {"target": DOCUMENT, "old_string": before, "new_string": after})
    except InvalidArguments as error:
        if error.code != "no-match":
            raise
        raise _Ended(
            CurationStatus.REFUSED, f"{DOCUMENT} was changed meanwhile; that stands."
        ) from None
    return replace(report, changed=True, restore=run.host.restore_command(DOCUMENT))


def _with_account(report: CurationReport, account: ModelAccount | None) -> CurationReport:
    if account is None:
        return report
    return replace(
        report,
        merged=account.merged,
        removed=account.removed,
        conflicts=account.conflicts,
        summary=account.summary,
    )


def _ended(
    report: CurationReport, end: _Ended | PassStopped | IronclawMemoryError
) -> CurationReport:
    match end:
        case _Ended():
            return replace(report, status=end.status, reason=end.reason)
        case PassStopped():
            return replace(report, status=CurationStatus.FAILED, reason=end.reason)
        case _:
            return replace(report, status=CurationStatus.FAILED, reason=_sentence(end))


def _sentence(error: IronclawMemoryError) -> str:
    return f"{error.message} {error.hint}".strip()
