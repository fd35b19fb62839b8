"""Documents as resources: listed by the host's own walk, read through the gated tool."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcp import MCPError, types

from ironclaw_memory.adapters.mcp_server.approvals import Approvals, Context, uses_rounds
from ironclaw_memory.adapters.mcp_server.tools import names_by_id
from ironclaw_memory.adapters.mcp_server.uris import (
    TEMPLATE,
    media_type,
    page,
    path_of,
    resource,
    uri_of,
)
from ironclaw_memory.async_host import AsyncMemoryHost
from ironclaw_memory.contract.for_models import as_offered, hint_for_model
from ironclaw_memory.errors import IronclawMemoryError, RequestError
from ironclaw_memory.model import Origin, Scope
from ironclaw_memory.scopes import Stamp


NOT_FOUND: Final = -32002  # up to MCP 2025-11-25; since 2026-07-28 these are invalid params
READ: Final = "read"
LIST: Final = "tree"


@dataclass(frozen=True, kw_only=True)
class Resources:
    """The documents of one scope. ``tools`` are the declared ids by verb; ``read`` is one."""

    host: AsyncMemoryHost
    scope: Scope
    approvals: Approvals
    tools: Mapping[str, str]

    async def list(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Answer ``resources/list``, a page at a time in the order of paths."""
        found = await self._documents(context)
        try:
            shown, cursor = page(sorted(found), params.cursor if params else None)
        except ValueError:
            raise MCPError(types.INVALID_PARAMS, "The cursor is not one of ours.") from None
        return types.ListResourcesResult(
            resources=[resource(path, found[path]) for path in shown], next_cursor=cursor
        )

    async def templates(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """Answer ``resources/templates/list``: one for every document."""
        template = types.ResourceTemplate(
            uri_template=TEMPLATE,
            name="document",
            description="A document by its path, as search and tree show it.",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Answer ``resources/read`` with the document's text."""
        path = path_of(params.uri)
        if path is None:
            words = f"Addresses here look like {uri_of('MEMORY.md')}."
            raise MCPError(_not_found(context), words)
        try:
            output: Any = await self.host.call(
                self.tools[READ],
                {"path": path},
                scope=self.scope,
                origin=Origin.LOOP_RUN,
                grants=self.approvals.of(context),
            )
        except IronclawMemoryError as error:
            raise self._as_protocol_error(error, context) from None
        text = types.TextResourceContents(
            uri=params.uri, mime_type=media_type(output["path"]), text=output["content"]
        )
        return types.ReadResourceResult(contents=[text])

    async def _documents(self, context: Context) -> Mapping[str, Stamp]:
        """Return the documents, where a model may list them at all."""
        tool_id = self.tools.get(LIST, self.tools[READ])
        grants = self.approvals.of(context)

        def listed() -> Mapping[str, Stamp]:
            act = {"list": "resources"}
            gate = self.host.sync.permitted(
                tool_id, act, scope=self.scope, origin=Origin.LOOP_RUN, grants=grants
            )
            with gate:
                return self.host.sync.documents(self.scope)

        try:
            return await self.host.off_loop(listed)
        except IronclawMemoryError as error:
            raise self._as_protocol_error(error, context) from None

    def _as_protocol_error(self, error: IronclawMemoryError, context: Context) -> MCPError:
        """Return *error* for a method whose results cannot carry errors."""
        code = _not_found(context) if isinstance(error, RequestError) else types.INTERNAL_ERROR
        names = names_by_id(self.host.tools())
        words = f"{as_offered(error.message, names)} {hint_for_model(error.hint, names)}"
        return MCPError(code, words.strip(), {"code": error.code})


def _not_found(context: Context) -> int:
    return types.INVALID_PARAMS if uses_rounds(context) else NOT_FOUND
