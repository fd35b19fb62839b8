"""What a tool call ends with, as MCP carries it: structured content and the same as text."""

import json
from collections.abc import Mapping
from typing import Any

from mcp import types

from ironclaw_memory.adapters.mcp_server.schemas import ENTRIES
from ironclaw_memory.contract.for_models import as_offered, hint_for_model
from ironclaw_memory.contract.outputs import Output
from ironclaw_memory.errors import IronclawMemoryError


def answered(output: Output) -> types.CallToolResult:
    """Return a tool's *output*; a list is wrapped, because older clients take objects only."""
    content: dict[str, Any] = {ENTRIES: output} if isinstance(output, list) else output
    text = json.dumps(content, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=content
    )


def failed(
    error: IronclawMemoryError, names: Mapping[str, str], *, hint: str | None = None
) -> types.CallToolResult:
    """Return *error* for the model to read: what happened, and what would help.

    It knows tools by these *names*, which are by id.
    """
    advice = hint_for_model(error.hint, names) if hint is None else hint
    return refused(as_offered(error.message, names), advice)


def refused(message: str, hint: str) -> types.CallToolResult:
    """Return a result that is an error. It has no structured content: none was promised."""
    text = f"{message} {hint}".strip()
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
