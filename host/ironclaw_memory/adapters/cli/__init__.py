"""The command line. Each command parses, calls one function and prints.

`console.console` is the installed command, `entry.main` runs a command line, `program`
lists the commands, `verb` is what every command is, `invocation` holds what one command
line works with, and `commands/` has the commands themselves. Nothing here loads the
sandbox before a command opens the host.
"""

from typing import TYPE_CHECKING

from ironclaw_memory.lazy import attribute_of


if TYPE_CHECKING:
    from ironclaw_memory.adapters.cli.entry import main

__all__ = ["main"]

__getattr__ = attribute_of(__name__, {"main": "entry"})
