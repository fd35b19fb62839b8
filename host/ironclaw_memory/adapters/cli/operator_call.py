"""Calls that a person typed, and what the host sees of the files from outside."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ironclaw_memory.adapters.cli.invocation import Answer, Invocation
from ironclaw_memory.adapters.cli.render.dates import ago


def operate(invocation: Invocation, tool: str, arguments: Mapping[str, Any]) -> Any:
    """Call a tool as the operator, who approves by typing; return the tool's own output."""
    with invocation.host() as host:
        return host.call_as_operator(host.tool_id(tool), dict(arguments), scope=invocation.scope)


def stored(invocation: Invocation, tool: str, arguments: Mapping[str, Any]) -> "Stored":
    """Call a tool that stores text, as `operate` does."""
    output = operate(invocation, tool, arguments)
    return Stored(output, secrets_replaced(invocation, tool, arguments))


class Stored(NamedTuple):
    """What such a tool answered, and how many secrets the host took out of the text before."""

    output: Any
    replaced: int

    def answer(self, text: str) -> Answer:
        """Return the command's answer: *text*, and that another text is stored than was given."""
        if not self.replaced:
            return Answer(data=self.output, text=text)
        note = f"{text}\nSecrets replaced in it, as the setting `secrets` says: {self.replaced}."
        return Answer(data={**self.output, "secrets_replaced": self.replaced}, text=note)


def secrets_replaced(invocation: Invocation, tool: str, arguments: Mapping[str, Any]) -> int:
    """Return how many secrets the host takes out of what such a call stores."""
    from ironclaw_memory.calls.screen import screened  # noqa: PLC0415 - not for help
    from ironclaw_memory.calls.wiring import SecretPolicy  # noqa: PLC0415 - likewise

    if SecretPolicy(invocation.config.secrets) is not SecretPolicy.REDACT:
        return 0
    kinds: list[str] = []
    screened(tool, arguments, SecretPolicy.REDACT, found=kinds.append)
    return len(kinds)


def given(**arguments: Any) -> dict[str, Any]:
    """Return the arguments that were given, leaving out those that are ``None``."""
    return {name: value for name, value in arguments.items() if value is not None}


def changed_dates(invocation: Invocation) -> dict[str, str]:
    """Return when each document of the scope was changed, in words, if a person looks.

    The host's own walk answers (lstat, no links followed), so no guest runs.
    """
    if not invocation.terminal.eyes:
        return {}
    with invocation.host() as host:
        found = host.documents(invocation.scope)
    now_ms = invocation.now_ms()
    return {path: ago(stamp.mtime_ns // 10**6, now_ms=now_ms) for path, stamp in found.items()}
