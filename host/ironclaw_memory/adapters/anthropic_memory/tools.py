"""The SDK's abstract memory tools on a scope; the only file of this room that imports the SDK."""

from collections.abc import Mapping
from typing import Any, Final

from anthropic.lib.tools import (
    BetaAbstractMemoryTool,
    BetaAsyncAbstractMemoryTool,
    BetaFunctionToolResultType,
    ToolError,
)
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from ironclaw_memory.adapters.anthropic_memory.commands import Commands
from ironclaw_memory.adapters.anthropic_memory.refusal import Refusal
from ironclaw_memory.async_host import AsyncMemoryHost


_TEXTS: Final[Mapping[str, tuple[str, ...]]] = {
    "view": ("path",),
    "create": ("path", "file_text"),
    "str_replace": ("path", "old_str", "new_str"),
    "insert": ("path", "insert_text"),
    "delete": ("path",),
    "rename": ("old_path", "new_path"),
}
"""The commands, and which of their arguments are text."""

Result = BetaFunctionToolResultType


def checked(given: object) -> dict[str, Any]:
    """Return what a model gave if it is a whole command; the SDK itself checks nothing.

    Raises `ToolError` naming what does not hold.
    """
    command = given.get("command") if isinstance(given, Mapping) else None
    if not isinstance(given, Mapping) or not isinstance(command, str) or command not in _TEXTS:
        raise ToolError(f"The command must be one of {', '.join(_TEXTS)}.")
    for name in _TEXTS[command]:
        if not isinstance(given.get(name), str):
            raise ToolError(f"{command} needs `{name}`, a text.")
    if command == "insert" and type(given.get("insert_line")) is not int:
        raise ToolError("insert needs `insert_line`, a whole number.")
    view_range = given.get("view_range")
    if view_range is not None and not _are_numbers(view_range):
        raise ToolError("`view_range` must be two whole numbers.")
    return dict(given)


def _are_numbers(value: object) -> bool:
    return isinstance(value, list) and all(type(number) is int for number in value)


class MemoryTool(BetaAbstractMemoryTool):
    """Anthropic's memory tool on one scope, for a client that does not await."""

    def __init__(self, commands: Commands) -> None:
        """Run *commands*, whose host stays the caller's to close."""
        super().__init__()
        self._commands = commands

    def call(self, input: object) -> Result:  # noqa: A002 - the SDK's name for it
        """Run one command. What goes wrong is a `ToolError`, for the model to read."""
        try:
            return super().call(checked(input))
        except Refusal as refused:
            raise ToolError(str(refused)) from None

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> Result:
        """Show a document or a directory."""
        return self._commands.view(command.path, command.view_range)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> Result:
        """Make a document."""
        return self._commands.create(command.path, command.file_text)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> Result:
        """Replace a passage."""
        return self._commands.str_replace(command.path, command.old_str, command.new_str)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> Result:
        """Put lines into a document."""
        return self._commands.insert(command.path, command.insert_line, command.insert_text)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> Result:
        """Take a document or a directory away."""
        return self._commands.delete(command.path)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> Result:
        """Give a document or a directory another name."""
        return self._commands.rename(command.old_path, command.new_path)


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """Anthropic's memory tool on one scope, for an event loop, which is never blocked."""

    def __init__(self, host: AsyncMemoryHost, commands: Commands) -> None:
        """Run *commands* on the threads of *host*, which stays the caller's to close."""
        super().__init__()
        self._host = host
        self._sync = MemoryTool(commands)

    async def call(self, input: object) -> Result:  # noqa: A002 - the SDK's name for it
        """Run one command. What goes wrong is a `ToolError`, for the model to read."""
        return await self._host.off_loop(lambda: self._sync.call(input))

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> Result:
        """Show a document or a directory."""
        return await self._host.off_loop(lambda: self._sync.view(command))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> Result:
        """Make a document."""
        return await self._host.off_loop(lambda: self._sync.create(command))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> Result:
        """Replace a passage."""
        return await self._host.off_loop(lambda: self._sync.str_replace(command))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> Result:
        """Put lines into a document."""
        return await self._host.off_loop(lambda: self._sync.insert(command))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> Result:
        """Take a document or a directory away."""
        return await self._host.off_loop(lambda: self._sync.delete(command))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> Result:
        """Give a document or a directory another name."""
        return await self._host.off_loop(lambda: self._sync.rename(command))
