"""The command line. Each command parses, calls one function and prints.

`entry.main` runs a command line, `program` lists the commands, `verb` is what every
command is, `invocation` holds what one command line works with, and `commands/` has the
commands themselves. Nothing here loads the sandbox before a command opens the host.
"""

from ironclaw_memory.adapters.cli.entry import main


__all__ = ["main"]
