"""Answers of commands that ran to their end and found something wrong."""

from collections.abc import Collection

from ironclaw_memory.adapters.cli.failures import BAD_INPUT, HOST_FAULT, Failure
from ironclaw_memory.adapters.cli.render.table import counted
from ironclaw_memory.errors import AccessRefused, HostFault, OperationFailed
from ironclaw_memory.recall.lanes import Degradation, DegradationKind
from ironclaw_memory.upkeep.report import CurationStatus


_HOST_FAULTS = frozenset(fault.code for fault in HostFault.__subclasses__())
_UNFINISHED = (CurationStatus.FAILED, CurationStatus.REFUSED)


def degraded(lanes: Collection[Degradation]) -> Failure | None:
    """Return which lanes of a context are missing and why, or nothing if none is."""
    if not lanes:
        return None
    named = ", ".join(f"{lane.lane} ({lane.code})" for lane in lanes)
    return Failure(
        code="context-degraded",
        message=f"Missing from the context: {named}.",
        hint="`ironclaw-memory doctor` names what is to be mended.",
        exit_code=max(map(_exit_code, lanes)),
    )


def _exit_code(lane: Degradation) -> int:
    if lane.kind is DegradationKind.INPUT:
        return BAD_INPUT
    return HOST_FAULT if lane.code in _HOST_FAULTS else OperationFailed.exit_code


def incomplete(problems: int, said: str) -> Failure | None:
    """Return that some documents did not come through, or nothing if all did.

    *said* is what became of them and of the rest.
    """
    if not problems:
        return None
    return Failure(
        code="incomplete",
        message=f"{counted(problems, 'item')} {said}.",
        hint="Each is named above, or with --json under data.problems.",
        exit_code=BAD_INPUT,
    )


def unhealthy(troubles: int) -> Failure | None:
    """Return that something has to be done, or nothing if all is well."""
    if not troubles:
        return None
    return Failure(
        code="unhealthy",
        message=f"{counted(troubles, 'thing')} to be done; see the lines marked trouble.",
        hint="`ironclaw-memory doctor --fix` mends what is derived; the rest needs you.",
        exit_code=HOST_FAULT,
    )


def uncurated(statuses: Collection[CurationStatus]) -> Failure | None:
    """Return that a pass did not run to its end, or was not let run, or nothing if all did."""
    if any(status in _UNFINISHED for status in statuses):
        return Failure(
            code="curation-failed",
            message="A pass did not end well and changed nothing; the reason stands above.",
            hint="Mend what it names, then repeat.",
            exit_code=OperationFailed.exit_code,
        )
    if CurationStatus.SKIPPED in statuses:
        return Failure(
            code="curation-skipped",
            message="A pass was not run; the reason stands above.",
            hint="Do what it names, then repeat.",
            exit_code=AccessRefused.exit_code,
        )
    return None
