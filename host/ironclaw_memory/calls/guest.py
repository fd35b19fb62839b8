"""Steps 5 to 8 of a call: the mount, the index, the guest, and what it claims happened."""

import os
import time
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Final, NamedTuple

from ironclaw_memory.calls.visits import entering
from ironclaw_memory.calls.wiring import Progress, Wiring
from ironclaw_memory.capability.audit import MAX_ASSERTIONS, Assertions
from ironclaw_memory.capability.records import Kind, Outcome, Record
from ironclaw_memory.capability.state import ScopeAxes
from ironclaw_memory.contract.sentences import error_of
from ironclaw_memory.errors import (
    LimitExceeded,
    ProviderError,
    ProviderTrapped,
    ProviderUnavailable,
)
from ironclaw_memory.freshness import Change
from ironclaw_memory.model import Access, Failure, Moment, ProviderEvent, Scope
from ironclaw_memory.provider import AT_USER_LEVEL, UPKEEP, Function
from ironclaw_memory.sandbox.request import GuestCall
from ironclaw_memory.scopes import MountKind, scan


REFRESH_BUDGET_MS: Final = 1_000
"""How long the first refresh may index before it reports."""

MOST_REFRESH_BUDGET_MS: Final = 8_000
"""How long a later one may: each doubles, since the guest lists a large scope anew every time
(2 s for 10,000 documents), and this and a listing stay well below the deadline of 30 s."""

NOT_STORED: Final = "storage-failed"  # contract/sentences.py

MOST_STALLS: Final = 3  # rounds in which less was not left: what was named may show more to do


class Operation(NamedTuple):
    """One use of one exported function. ``name`` is what the audit log calls it.

    ``counts`` says whether it is what a call was allowed for; bringing the index in step is not.
    """

    name: str
    function: Function
    scope: Scope
    arguments: Mapping[str, Any]
    call_id: str
    searches: bool = False
    counts: bool = True


def answer(wiring: Wiring, operation: Operation) -> dict[str, Any]:
    """Run *operation* and return the record it answered, as a dictionary.

    A search runs on an index that is in step with the documents. Raises our error for a
    failure that the guest reported, and whatever the sandbox raises.
    """
    if operation.searches:
        bring_in_step(wiring, operation.scope, operation.call_id)
    reply = _run(wiring, operation)
    if isinstance(reply, Failure) and reply.code == "index-stale" and operation.searches:
        # What the provider has indexed does not serve it: it is not to be trusted either.
        _refresh(
            wiring,
            operation.scope,
            change_of(wiring, operation.scope, everything=True),
            operation.call_id,
        )
        reply = _run(wiring, operation)
    if isinstance(reply, Failure):
        raise error_of(reply, operation.arguments.get("request") or {})
    return reply


def bring_in_step(wiring: Wiring, scope: Scope, call_id: str) -> None:
    """Have the provider index what a person changed, if a look is due and finds anything."""
    if "refresh" not in wiring.package.manifest.memory.upkeep or not wiring.freshness.is_due(scope):
        return
    wiring.recover(scope)
    mount = wiring.store.mount(scope, kind=MountKind.DOCUMENTS, access=Access.READ)
    if not mount.exists():
        return
    change = change_of(wiring, scope)
    if change.is_news:
        _refresh(wiring, scope, change, call_id)
    wiring.freshness.remember(scope, change)


def change_of(wiring: Wiring, scope: Scope, *, everything: bool = False) -> Change:
    """Return what changed since the last look, or everything, as far as the host's walk sees it.

    With everything it names all documents where a name that is not UTF-8 would break a guest's
    listing off.
    """
    noted = wiring.freshness.noted(scope)
    found = scan(wiring.store.mount(scope, kind=MountKind.DOCUMENTS, access=Access.READ))
    if everything:
        change = wiring.freshness.everything(scope, found.documents, noted)
    else:
        change = wiring.freshness.compare(scope, found.documents, noted)
    if change.everything and found.hides_names:
        return replace(change, paths=tuple(sorted(found.documents)))
    return change


def _refresh(wiring: Wiring, scope: Scope, change: Change, call_id: str) -> None:
    """Bring the index in step for a search; what fails is the index then, not a document."""
    try:
        refresh(wiring, scope, change, call_id=call_id)
    except ProviderError as error:
        if error.code != NOT_STORED:
            raise
        raise ProviderUnavailable(
            "The search index cannot be brought up to date, because the data directory cannot be written.",
            code=NOT_STORED,
            hint="It is read-only or its disk is full; `read` and `tree` work without the index.",
        ) from None


def refresh(
    wiring: Wiring,
    scope: Scope,
    change: Change,
    *,
    call_id: str,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Call the provider's refresh until nothing remains; return the sums of its reports.

    An index that can be trusted is on disk before everything is compared: one that is not is
    made anew then, which takes fifty times as long. Raises `ProviderUnavailable` if it stops getting anywhere, or takes longer in all than
    ``refresh_ms``: a provider that always leaves one document would hold the host for ever.
    """
    request: dict[str, Any] = {
        "paths": list(change.paths),
        "everything": change.everything,
        "budget_ms": REFRESH_BUDGET_MS,
    }
    if change.trusted:
        _refreshed(wiring, scope, {**request, "paths": [], "everything": False}, call_id)
    done = {"indexed": 0, "removed": 0}
    tell = progress or wiring.progress
    until, left, stalls = time.monotonic() + wiring.limits.refresh_ms / 1000, 0, 0
    while True:
        report = _refreshed(wiring, scope, request, call_id)
        moved = report["indexed"] + report["removed"]
        done = {key: done[key] + report[key] for key in done}
        tell(sum(done.values()), sum(done.values()) + report["remaining"])
        if not report["remaining"]:
            return done
        stalls += 0 < left <= report["remaining"]
        if not moved or stalls > MOST_STALLS or time.monotonic() > until:
            raise ProviderUnavailable(
                "The provider does not get on with its search index.",
                hint="Run `ironclaw-memory doctor --fix`.",
            )
        left = report["remaining"]
        request["budget_ms"] = min(2 * request["budget_ms"], MOST_REFRESH_BUDGET_MS)


def _refreshed(
    wiring: Wiring, scope: Scope, request: Mapping[str, Any], call_id: str
) -> dict[str, Any]:
    operation = Operation(
        name="upkeep.refresh",
        function=UPKEEP["refresh"],
        scope=scope,
        arguments={"request": dict(request)},
        call_id=call_id,
        counts=False,
    )
    report = _run(wiring, operation)
    if isinstance(report, Failure):
        raise error_of(report)
    return report


def _run(wiring: Wiring, operation: Operation) -> dict[str, Any] | Failure:
    events: list[ProviderEvent] = []
    call = _guest_call(wiring, operation, events)
    wiring.recover(call.scope)
    is_noted = operation.counts and "refresh" in wiring.package.manifest.memory.upkeep
    if is_noted and call.access is Access.WRITE:
        wiring.freshness.begin(call.scope, lambda: _is_empty(wiring, call.scope))
    try:
        with entering() if operation.counts else nullcontext():
            return wiring.runner.run(call).value
    except (ProviderTrapped, LimitExceeded) as stopped:
        wiring.audit.require(_stopped(wiring, operation, stopped))
        raise
    finally:  # a call that fails may have changed something before that
        if is_noted:
            wiring.freshness.note(call.scope, events)


def _is_empty(wiring: Wiring, scope: Scope) -> bool:
    """Say whether *scope* holds nothing that an index could know, nor one."""
    mount = wiring.store.mount(scope, kind=MountKind.DOCUMENTS, access=Access.READ)
    if not mount.exists():
        return True
    with mount.opened() as directory:
        return not os.listdir(directory)  # noqa: PTH208 - a descriptor


def _guest_call(wiring: Wiring, operation: Operation, events: list[ProviderEvent]) -> GuestCall:
    """Return the call; what it says has happened goes to the audit log and to *events*."""
    function, limits, moment = operation.function, wiring.limits, _moment(wiring, operation.scope)
    assertions = Assertions(
        wiring.audit,
        call=operation.call_id,
        tool=operation.name,
        scope=ScopeAxes.of(operation.scope),
    )
    at_user_level = function.name.replace("-", "_") in AT_USER_LEVEL
    scope = operation.scope.user_level() if at_user_level else operation.scope

    def record(event: ProviderEvent) -> bool:
        if len(events) < MAX_ASSERTIONS:  # whatever becomes of it: a note of so many is of anything
            events.append(event)
        return assertions.emit(event, now_ms=moment.unix_ms)

    return GuestCall(
        artifact=wiring.artifact,
        interface=function.interface,
        function=function.name,
        arguments=operation.arguments,
        scope=scope,
        kind=MountKind.PROFILE if at_user_level else MountKind.DOCUMENTS,
        access=function.access,
        moment=moment,
        deadline_ms=limits.long_deadline_ms if function.long else limits.deadline_ms,
        record=record,
        fresh=wiring.fresh_instances,
    )


def _moment(wiring: Wiring, scope: Scope) -> Moment:
    return Moment(unix_ms=wiring.now_ms(), zone=wiring.zone_of(scope))


def _stopped(
    wiring: Wiring, operation: Operation, stopped: ProviderTrapped | LimitExceeded
) -> Record:
    record = Record(
        at_ms=wiring.now_ms(),
        kind=Kind.TRAP,
        tool=operation.name,
        scope=ScopeAxes.of(operation.scope),
        call=operation.call_id,
        outcome=Outcome.FAILED,
    )
    if isinstance(stopped, LimitExceeded):
        return replace(record, kind=Kind.LIMIT, limit=stopped.limit)
    return record
