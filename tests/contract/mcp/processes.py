"""The server as clients start it: a process with an environment of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp import StdioServerParameters


MAIN = "import sys; from ironclaw_memory.adapters.cli import main; sys.exit(main())"
PREFIX = "IRONCLAW_MEMORY_"


def environment(**more: str) -> dict[str, str]:
    """Return this environment without our variables, but for *more*."""
    own = {key: value for key, value in os.environ.items() if not key.startswith(PREFIX)}
    return {**own, **more}


def command(*words: str, main: str = MAIN) -> list[str]:
    """Return the command line ``ironclaw-memory`` with *words*."""
    return [sys.executable, "-c", main, *words]


def server(root: Path, *words: str, **variables: str) -> StdioServerParameters:
    """Return what the SDK's client starts: ``ironclaw-memory mcp`` on *root*."""
    program, *arguments = command("--root", str(root), "mcp", *words)
    return StdioServerParameters(command=program, args=arguments, env=environment(**variables))


@contextmanager
def started(*words: str, main: str = MAIN, **variables: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a process with pipes, and end it at the end of the block."""
    process = subprocess.Popen(
        command(*words, main=main),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**variables),
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def memory_of(root: Path) -> Path:
    """Return the main document of the default scope."""
    return root / "memory/tenants/local/users/me/agents/_none/projects/_none/MEMORY.md"


def content(result: Any) -> str:
    """Return the one text of a result."""
    (block,) = result.content
    return str(block.text)
