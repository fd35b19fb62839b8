"""A tool call, step by step. The numbers are those of design.md section 4."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ironclaw_memory.calls.additions import addition
from ironclaw_memory.calls.asked import Asked, asked_of, asked_of_act
from ironclaw_memory.calls.guest import Operation, answer
from ironclaw_memory.calls.screen import screened
from ironclaw_memory.calls.visits import visiting
from ironclaw_memory.calls.wiring import Wiring
from ironclaw_memory.capability.decide import Deny
from ironclaw_memory.capability.fingerprint import canonical as canonical_text
from ironclaw_memory.capability.fingerprint import fingerprint_of
from ironclaw_memory.capability.gate import GateRequest, Permit, Waiting
from ironclaw_memory.capability.question import ToolRules
from ironclaw_memory.capability.records import Kind, Outcome, Record
from ironclaw_memory.capability.state import ScopeAxes
from ironclaw_memory.contract.arguments import canonical
from ironclaw_memory.contract.outputs import Output, output
from ironclaw_memory.declared import ToolDeclaration
from ironclaw_memory.errors import (
    AccessDenied,
    ApprovalRequired,
    IronclawMemoryError,
    OperationFailed,
    UndeclaredTool,
)
from ironclaw_memory.model import Access, Effect, Invocation
from ironclaw_memory.provider import AT_USER_LEVEL, TOOLS, guest_request


def run(wiring: Wiring, invocation: Invocation, *, operator: bool = False) -> Output:
    """Run one tool call and return its output.

    1. Find the tool in the provider's frozen manifest.
    2. Ask the gate about table and settings, before any argument is looked at.
    3. Make the arguments canonical, validate them, keep secrets out.
    4. Ask the gate about leases and grants; record the decision.
    5. Open the mount that the tool's effects call for.
    6. Bring the index in step if a person edited documents.
    7. Run the guest's function under the scope's lock and all limits.
    8. Check the answer against our own schema and bounds.
    9. Return it, or raise one of our errors; settle what allowed the call. Once the guest
       was entered it is used up, whatever comes back: only what is raised before costs nothing.

    *operator* marks what a person typed: the act itself approves what can be approved.
    Steps 5 to 7 are in `guest.answer`. Raises every branch of `ironclaw_memory.errors`.
    """
    with wiring.served():
        return _run(wiring, GatedCall(wiring, invocation, operator=operator), invocation.tool_id)


def _run(wiring: Wiring, call: "GatedCall", tool_id: str) -> Output:
    tool = wiring.package.tool(tool_id)  # 1
    rules = call.rules(tool)
    call.check_early(rules)  # 2
    request, text = call.request(tool)  # 3
    permit = call.authorise(rules, text)  # 4
    with visiting() as visit:
        try:
            with call.prepared(tool, request):  # 5
                reply = call.reply(tool, request)  # 5, 6, 7
            value = output(tool.name, reply, request)  # 8
        except IronclawMemoryError as error:
            call.ended(rules, Outcome.FAILED, reason=error.code)
            raise
        finally:
            wiring.gate.settle(permit, ran=visit.entered)  # 9
    call.ended(rules, Outcome.SUCCEEDED)
    return value


def rules_write(rules: ToolRules) -> bool:
    """Say whether the effective rules let a tool write."""
    return Effect.WRITE_FILESYSTEM in rules.effects


class GatedCall:
    """One call on its way: what the steps share."""

    def __init__(self, wiring: Wiring, invocation: Invocation, *, operator: bool) -> None:
        self._wiring = wiring
        self._invocation = invocation
        self._operator = operator
        self._id = wiring.new_call_id()
        self._argument_bytes: int | None = None  # known once the arguments are canonical
        self._asked: Asked | None = None  # likewise
        self._began = time.monotonic()

    def rules(self, tool: ToolDeclaration) -> ToolRules:
        """Return the tool's effective rules; a tool that policy dropped is undeclared."""
        rules = self._wiring.effective.tools.get(tool.id)
        if rules is None:
            raise UndeclaredTool(
                f"Host policy does not offer {tool.id}.",
                hint="`ironclaw-memory component info` shows what was requested and what holds.",
            )
        return rules

    def check_early(self, rules: ToolRules) -> None:
        """Step 2."""
        denied = self._wiring.gate.check_early(
            rules,
            origin=self._invocation.origin,
            scope=self._invocation.scope,
            now_ms=self._wiring.now_ms(),
        )
        if denied is not None:
            self._refuse(rules, denied)

    def request(self, tool: ToolDeclaration) -> tuple[dict[str, Any], str]:
        """Step 3: return the canonical request and its text for the fingerprint."""
        if tool.name not in TOOLS:
            raise OperationFailed(
                f"{tool.id} is declared but not served.",
                code="unserved",
                hint="The host serves the five tools of the contract only.",
            )
        asked = canonical(tool.name, self._invocation.arguments)
        text = canonical_text(asked)
        self._asked = asked_of(tool.name, asked)
        return screened(tool.name, asked, self._wiring.model_writes, found=self._secret), text

    def authorise(self, rules: ToolRules, text: str) -> Permit:
        """Step 4."""
        self._argument_bytes = len(text)
        invocation, gate = self._invocation, self._wiring.gate
        asked = self._asked or asked_of_act(invocation.arguments)
        request = GateRequest(
            rules=rules,
            origin=invocation.origin,
            scope=invocation.scope,
            fingerprint=fingerprint_of(rules.tool, invocation.scope, text),
            argument_bytes=len(text),
            now_ms=self._wiring.now_ms(),
            grants=invocation.grants,
            target=asked.target,
            change=asked.change,
            text_bytes=asked.text_bytes,
        )
        decided = gate.authorise_operator(request) if self._operator else gate.authorise(request)
        match decided:
            case Deny():
                self._refuse(rules, decided)
            case Waiting():
                self._wait(rules, decided)
            case Permit():
                self._allowed(rules, decided)
                return decided
        raise AssertionError(decided)

    @contextmanager
    def prepared(self, tool: ToolDeclaration, request: Mapping[str, Any]) -> Iterator[None]:
        """Step 5, for a write in the block: there is room for it, and a snapshot where one is due."""
        if not rules_write(self._wiring.effective.tools[tool.id]):
            yield
            return
        scope = self._invocation.scope
        reached = scope.user_level() if tool.name in AT_USER_LEVEL else scope
        with self._wiring.quota.reserved(reached, addition(tool.name, request)):
            self._wiring.before_write(reached)
            yield

    def reply(self, tool: ToolDeclaration, request: Mapping[str, Any]) -> dict[str, Any]:
        """Steps 5 to 7."""
        function = TOOLS[tool.name]
        writes = rules_write(self._wiring.effective.tools[tool.id])
        function = replace(function, access=Access.WRITE if writes else Access.READ)
        argument = "fields" if tool.name == "profile_set" else "request"
        return answer(
            self._wiring,
            Operation(
                name=tool.id,
                function=function,
                scope=self._invocation.scope,
                arguments={argument: guest_request(tool.name, request)},
                call_id=self._id,
                searches=tool.name == "search",
            ),
        )

    def ended(self, rules: ToolRules, outcome: Outcome, *, reason: str | None = None) -> None:
        """Note how the call ended; what had to be on disk is there already."""
        took = int((time.monotonic() - self._began) * 1000)
        self._wiring.audit.note(
            self._record(rules, Kind.CALL, outcome, reason=reason, duration_ms=took)
        )

    def _allowed(self, rules: ToolRules, permit: Permit) -> None:
        """Record the decision: on disk before a write, in memory before a read."""
        record = self._record(
            rules,
            Kind.DECISION,
            Outcome.ALLOWED,
            reason=permit.decision.reason.value,
            subject=_what_allowed(permit),
        )
        if not rules_write(rules):
            self._wiring.audit.note(record)
            return
        try:
            self._wiring.audit.require(record)
        except IronclawMemoryError:
            self._wiring.gate.settle(permit, ran=False)
            raise

    def _refuse(self, rules: ToolRules, denied: Deny) -> None:
        reason = denied.reason.value
        self._wiring.audit.require(
            self._record(rules, Kind.DECISION, Outcome.DENIED, reason=reason)
        )
        raise AccessDenied(denied.sentence, code=reason, hint=denied.remedy)

    def _wait(self, rules: ToolRules, waiting: Waiting) -> None:
        decision = waiting.decision
        self._wiring.audit.require(
            self._record(
                rules,
                Kind.DECISION,
                Outcome.WAITING,
                reason=decision.reason.value,
                subject=waiting.request_id,
            )
        )
        raise ApprovalRequired(
            decision.sentence,
            request_id=waiting.request_id,
            is_grantable=decision.is_grantable,
            hint=f"{decision.remedy} "
            f"This call alone: `ironclaw-memory approve {waiting.request_id} --once`.",
        )

    def _secret(self, kind: str) -> None:
        record = Record(
            at_ms=self._wiring.now_ms(),
            kind=Kind.SECRET,
            tool=self._invocation.tool_id,
            scope=ScopeAxes.of(self._invocation.scope),
            call=self._id,
            reason=kind.replace("-", "_"),
        )
        self._wiring.audit.require(record)

    def _record(
        self,
        rules: ToolRules,
        kind: Kind,
        outcome: Outcome,
        *,
        reason: str | None = None,
        subject: str | None = None,
        duration_ms: int | None = None,
    ) -> Record:
        return Record(
            at_ms=self._wiring.now_ms(),
            kind=kind,
            tool=rules.tool,
            origin=self._invocation.origin,
            scope=ScopeAxes.of(self._invocation.scope),
            outcome=outcome,
            call=self._id,
            effects=rules.effects,
            by_operator=self._operator or None,
            argument_bytes=self._argument_bytes,
            reason=reason,
            subject=subject,
            duration_ms=duration_ms,
        )


def _what_allowed(permit: Permit) -> str | None:
    """Return the id of the lease or the stored grant that the decision rests on."""
    decided = permit.decision.lease or permit.decision.grant
    return (decided.id or None) if decided else None
