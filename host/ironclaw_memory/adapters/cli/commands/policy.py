"""``policy``: what the operator decided about tools, whatever is granted."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.render.plain import plain
from ironclaw_memory.adapters.cli.render.table import columns
from ironclaw_memory.adapters.cli.verb import VerbGroup, verb


if TYPE_CHECKING:
    from ironclaw_memory.capability.state import Settings
    from ironclaw_memory.host import MemoryHost


@click.group("policy", cls=VerbGroup)
def policy() -> None:
    """Take a tool out of use, ask before each call, or approve without asking."""


@verb("show")
def show(invocation: Invocation) -> Answer:
    """Show what is decided, for every scope of the data directory."""
    return _answer(invocation, lambda host: None)


@verb("disable", examples=("ironclaw-memory policy disable write",))
@click.argument("tool")
def disable(invocation: Invocation, tool: str) -> Answer:
    """Refuse every call of TOOL, from everybody."""
    return _answer(invocation, lambda host: host.set_disabled(host.tool_id(tool), disabled=True))


@verb("enable")
@click.argument("tool")
def enable(invocation: Invocation, tool: str) -> Answer:
    """Put TOOL back into use, and stop asking before each call."""

    def act(host: "MemoryHost") -> None:
        host.set_disabled(host.tool_id(tool), disabled=False)
        host.set_ask_each_time(host.tool_id(tool), ask=False)

    return _answer(invocation, act)


@verb("ask", examples=("ironclaw-memory policy ask write",))
@click.argument("tool")
def ask(invocation: Invocation, tool: str) -> Answer:
    """Ask before every call of TOOL; a standing grant does not help then."""
    return _answer(invocation, lambda host: host.set_ask_each_time(host.tool_id(tool), ask=True))


@verb("auto-approve")
@click.argument("state", type=click.Choice(["on", "off"]))
def auto_approve(invocation: Invocation, state: str) -> Answer:
    """Approve what only a grant is missing for; off by default. Forbidden stays forbidden."""
    return _answer(invocation, lambda host: host.set_auto_approve(auto_approve=state == "on"))


def _answer(invocation: Invocation, act: "Callable[[MemoryHost], None]") -> Answer:
    with invocation.host() as host:
        act(host)
        now = host.settings()
    return Answer(data=plain(now), text=_text(now))


def _text(now: "Settings") -> str:
    rows = [
        ("disabled", ", ".join(sorted(now.disabled)) or "none"),
        ("ask each time", ", ".join(sorted(now.ask_each_time)) or "none"),
        ("auto-approve", "on" if now.auto_approve else "off"),
    ]
    return columns(rows)


for command in (show, disable, enable, ask, auto_approve):
    policy.add_command(command)

COMMANDS = {"policy": policy}
