"""The memory tools as MCP shows them."""

from collections.abc import Mapping

from mcp import types

from ironclaw_memory.adapters.mcp_server.schemas import offered_input, offered_output
from ironclaw_memory.contract.for_models import as_offered
from ironclaw_memory.host import ToolInfo
from ironclaw_memory.model import Effect
from ironclaw_memory.session import FOR_MODELS


def shown_name(tool: ToolInfo) -> str:
    """Return the name that every client accepts, for instance ``memory_read``."""
    return f"memory_{tool.verb}"


def served(tools: tuple[ToolInfo, ...]) -> dict[str, ToolInfo]:
    """Return by shown name the declared tools that a model may see."""
    return {shown_name(tool): tool for tool in tools if tool.visibility == FOR_MODELS}


def names_by_id(tools: tuple[ToolInfo, ...]) -> dict[str, str]:
    """Return what a client knows those of *tools* by that a model may see."""
    return {tool.id: name for name, tool in served(tools).items()}


def definition(tool: ToolInfo, names: Mapping[str, str]) -> types.Tool:
    """Return *tool* with its whole page, since a model has nothing else to go by.

    Other tools are called there as in *names*, by id.
    """
    page = f"{tool.description}\n\n{tool.documentation}".strip()
    return types.Tool(
        name=shown_name(tool),
        title=f"Memory: {tool.verb.replace('_', ' ')}",
        description=as_offered(page, names),
        input_schema=offered_input(tool.input_schema),
        output_schema=offered_output(tool.output_schema),
        annotations=annotations(tool),
    )


def annotations(tool: ToolInfo) -> types.ToolAnnotations:
    """Say what *tool* may do, from the effects that the host holds it to.

    A write may replace text, and appending twice is not appending once. The other tools
    leave the memory as one call left it.
    """
    writes = Effect.WRITE_FILESYSTEM in tool.effects
    return types.ToolAnnotations(
        read_only_hint=not writes,
        destructive_hint=writes,
        idempotent_hint=tool.verb != "write",
        open_world_hint=Effect.NETWORK in tool.effects,
    )
