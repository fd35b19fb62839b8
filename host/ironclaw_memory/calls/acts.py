"""What a model does that is no tool of the contract, gated like the tool that it resembles."""

from collections.abc import Iterator
from contextlib import contextmanager

from ironclaw_memory.calls.tools import GatedCall, rules_write
from ironclaw_memory.calls.visits import visiting
from ironclaw_memory.calls.wiring import Wiring
from ironclaw_memory.capability.decide import Allow, Decision, Deny, NeedsApproval, decide
from ironclaw_memory.capability.fingerprint import canonical
from ironclaw_memory.capability.question import Question
from ironclaw_memory.capability.records import Outcome
from ironclaw_memory.demands import demand_text
from ironclaw_memory.errors import (
    AccessDenied,
    ApprovalRequired,
    IronclawMemoryError,
    ScopeBusy,
    UndeclaredTool,
)
from ironclaw_memory.model import TOOL_FORM, Grant, Invocation, Origin, Scope, demand_scope


@contextmanager
def permitted(wiring: Wiring, act: Invocation) -> Iterator[None]:
    """Do what is in the block as gated as a call of the tool that *act* names.

    The gate decides and its decision is recorded before the block runs; what allowed it is
    used up by the block, unless a busy scope ended it before a provider was entered. An approval is bound to the act's arguments, which no schema checks: the
    caller's own words for what is done. Raises `AccessRefused`, and what the block raises.
    """
    with wiring.served(), _permitted(wiring, act):
        yield


@contextmanager
def _permitted(wiring: Wiring, act: Invocation) -> Iterator[None]:
    call = GatedCall(wiring, act, operator=False)
    rules = call.rules(wiring.package.tool(act.tool_id))
    call.check_early(rules)
    permit = call.authorise(rules, canonical(act.arguments))
    ran = False
    with visiting() as visit:
        try:
            if rules_write(rules):
                wiring.before_write(act.scope)
            ran = True
            yield
        except IronclawMemoryError as error:
            ran = ran and (visit.entered or not isinstance(error, ScopeBusy))
            call.ended(rules, Outcome.FAILED, reason=error.code)
            raise
        finally:
            wiring.gate.settle(permit, ran=ran)
    call.ended(rules, Outcome.SUCCEEDED)


def require(
    wiring: Wiring,
    tool_id: str,
    *,
    scope: Scope,
    origin: Origin | None,
    grants: tuple[Grant, ...] = (),
) -> None:
    """Ask the gate whether a call would run as things stand; nothing runs and nothing is recorded.

    Raises `UndeclaredTool`, `AccessDenied` or `ApprovalRequired`, each with what would help.
    """
    demand_scope(scope)
    demand_text(tool_id, "tool_id", hint=TOOL_FORM)
    rules = wiring.effective.tools.get(tool_id)
    if rules is None:
        raise UndeclaredTool(f"There is no tool {tool_id!r:.80}.", hint="Use a declared one.")
    with wiring.served():
        state = wiring.gate.state()
        question = Question(
            rules=rules,
            origin=origin,
            scope=scope,
            settings=state.settings,
            now_ms=wiring.now_ms(),
            grants=(*grants, *state.grants),
        )
        _demand_allowed(decide(question))


def _demand_allowed(decision: Decision) -> None:
    match decision:
        case Allow():
            return
        case Deny(sentence=sentence, remedy=remedy, reason=reason):
            raise AccessDenied(sentence, code=reason.value, hint=remedy)
        case NeedsApproval(sentence=sentence, remedy=remedy, reason=reason):
            raise ApprovalRequired(
                sentence, is_grantable=decision.is_grantable, code=reason.value, hint=remedy
            )
