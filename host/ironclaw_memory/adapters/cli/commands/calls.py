"""``call`` and ``tools``: what a model can do, done from a shell."""

import json
from dataclasses import asdict
from typing import Any

import click

from ironclaw_memory import assets
from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.reading import json_object, text_or_stdin
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.render.table import columns
from ironclaw_memory.adapters.cli.verb import verb
from ironclaw_memory.errors import UndeclaredTool
from ironclaw_memory.model import Origin


ORIGINS = click.Choice([origin.value for origin in Origin])


@verb(
    "call",
    examples=('ironclaw-memory call ironclaw.memory.search \'{"query": "tea"}\'',),
)
@click.option("--origin", type=ORIGINS, default="loop_run", show_default=True)
@click.argument("tool")
@click.argument("arguments", metavar="JSON", default="{}")
def call(invocation: Invocation, origin: str, tool: str, arguments: str) -> Answer:
    """Call TOOL with JSON arguments, gated exactly as a model's call. - reads standard input."""
    wanted = json_object(text_or_stdin(arguments, what="the JSON"), what="The argument")
    with invocation.host() as host:
        output = host.call(
            host.tool_id(tool), wanted, scope=invocation.scope, origin=Origin(origin)
        )
    return Answer(data=output, text=invocation.terminal.safe(_pretty(output)))


@verb("tools")
@click.option("--schema", metavar="TOOL", help="Print the input schema of one tool.")
def tools(invocation: Invocation, schema: str | None) -> Answer:
    """List the tools of the provider, with who may use them."""
    if schema is not None:
        return _schema(schema)
    with invocation.host() as host:
        found = host.tools()
    rows = [("tool", *(origin.value for origin in Origin), "what it does")]
    for tool in found:
        cells = ((tool.matrix or {}).get(origin) for origin in Origin)
        words = (cell.value if cell else "forbidden" for cell in cells)
        rows.append((tool.id, *words, invocation.terminal.safe(tool.description)))
    return Answer(data=[plain(asdict(tool)) for tool in found], text=columns(rows))


def _schema(tool: str) -> Answer:
    name = tool.removeprefix("memory_").rsplit(".", 1)[-1]
    if name not in assets.TOOL_NAMES:
        raise UndeclaredTool(
            "There is no such tool.", hint=f"The tools are {', '.join(assets.TOOL_NAMES)}."
        )
    schema = assets.schema(name, "input")
    return Answer(data=schema, text=_pretty(schema))


def _pretty(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


COMMANDS = {"call": call, "tools": tools}
