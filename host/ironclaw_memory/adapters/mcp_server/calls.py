"""``tools/list`` and ``tools/call``: from a client's request to a gated call and back."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from mcp import MCPError, types

from ironclaw_memory.adapters.granting import allowing_command
from ironclaw_memory.adapters.mcp_server.approvals import Approvals, Context, uses_rounds
from ironclaw_memory.adapters.mcp_server.consent import Choice, can_be_asked, choice_of, request
from ironclaw_memory.adapters.mcp_server.progress import reporting
from ironclaw_memory.adapters.mcp_server.results import answered, failed, refused
from ironclaw_memory.adapters.mcp_server.tools import definition, names_by_id, served
from ironclaw_memory.async_host import AsyncMemoryHost
from ironclaw_memory.errors import ApprovalRequired, InvalidArguments, IronclawMemoryError
from ironclaw_memory.host import ToolInfo
from ironclaw_memory.model import Effect, Origin, Scope


QUESTION: Final = "permission"
"""The key of the one question that a result may carry."""

Answer = types.CallToolResult | types.InputRequiredResult


@dataclass(frozen=True, kw_only=True)
class ToolCalls:
    """The tools of one scope. *flags* complete the command that grants one of them.

    ``wrote`` is called after every call that may have changed a document.
    """

    host: AsyncMemoryHost
    scope: Scope
    flags: Sequence[str]
    approvals: Approvals
    wrote: Callable[[], None]

    async def list(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Answer ``tools/list``: five tools need no second page."""
        names = self.names()
        return types.ListToolsResult(tools=[definition(t, names) for t in self._tools().values()])

    async def call(self, context: Context, params: types.CallToolRequestParams) -> Answer:
        """Answer ``tools/call``. What goes wrong with a call is a result that says so."""
        tool = self._tools().get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {params.name!r:.80}.")
        try:
            return await _Call(self, context, params, tool).answer()
        except IronclawMemoryError as error:
            return failed(error, self.names())

    def names(self) -> dict[str, str]:
        """Return what the client knows the tools by."""
        return names_by_id(self.host.tools())

    def _tools(self) -> dict[str, ToolInfo]:
        return served(self.host.tools())


@dataclass(frozen=True)
class _Call:
    """One request for one tool."""

    calls: ToolCalls
    context: Context
    params: types.CallToolRequestParams
    tool: ToolInfo

    async def answer(self) -> Answer:
        """Run the tool; where that needs approval, ask whoever can be asked."""
        if self.params.input_responses is not None and self.params.request_state:
            said = self.params.input_responses.get(QUESTION)
            if not await self._give(self.params.request_state, said):
                return _declined()
        try:
            return await self._run()
        except ApprovalRequired as asked:
            return await self._ask(asked)

    async def _run(self) -> types.CallToolResult:
        try:
            async with reporting(self.context.session.report_progress):
                output = await self.calls.host.call(
                    self.tool.id,
                    self.params.arguments or {},
                    scope=self.calls.scope,
                    origin=Origin.LOOP_RUN,
                    grants=self.calls.approvals.of(self.context),
                )
        finally:
            if Effect.WRITE_FILESYSTEM in self.tool.effects:
                self.calls.wrote()
        return answered(output)

    async def _ask(self, asked: ApprovalRequired) -> Answer:
        if not can_be_asked(self.context.session.client_capabilities):
            return failed(asked, self.calls.names(), hint=self._remedy(asked))
        choices = await self.calls.approvals.choices(self.context, asked.request_id)
        question = request(self.tool, self.params.arguments or {}, choices)
        if uses_rounds(self.context):
            return types.InputRequiredResult(
                input_requests={QUESTION: types.ElicitRequest(params=question)},
                request_state=asked.request_id,
            )
        return await self._ask_now(asked, question)

    async def _ask_now(
        self, asked: ApprovalRequired, question: types.ElicitRequestFormParams
    ) -> types.CallToolResult:
        try:
            said = await self.context.session.elicit_form(
                question.message, question.requested_schema, self.context.request_id
            )
        except (MCPError, ValueError):  # it cannot be asked after all, or answers nonsense
            return failed(asked, self.calls.names(), hint=self._remedy(asked))
        if not await self._give(asked.request_id, said):
            return _declined()
        return await self._run()

    async def _give(self, request_id: str, said: object) -> bool:
        """Approve or forget the request as a person *said*; return whether they said yes.

        A request that no longer waits was answered elsewhere meanwhile: the gate knows how.
        """
        approvals = self.calls.approvals
        choices: Sequence[Choice] = await approvals.choices(self.context, request_id)
        choice = choice_of(said, choices)
        if choice is None:
            await approvals.refuse(request_id)
            return False
        with suppress(InvalidArguments):
            await approvals.give(self.context, self.tool, request_id, choice)
        return True

    def _remedy(self, asked: ApprovalRequired) -> str:
        calls = self.calls
        command = allowing_command(calls.host, asked, self.tool.id, calls.scope, calls.flags)
        return f"Nothing was done. Tell the user that this command allows it: `{command}`"


def _declined() -> types.CallToolResult:
    return refused(
        "The user did not allow this call, and nothing was saved.",
        "Go on without it, and do not ask again unless the user brings it up.",
    )
