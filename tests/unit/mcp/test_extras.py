"""The base install knows neither SDK, and says what to install where one is needed."""

import subprocess
import sys
from pathlib import Path

import pytest


def python(code: str) -> "subprocess.CompletedProcess[str]":
    """Run *code* in an interpreter of its own."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_without_the_sdk_the_verb_says_what_to_install(tmp_path: Path) -> None:
    """As a fault of the host, before anything is made."""
    root = tmp_path / "root"
    done = python(
        "import sys; sys.modules['mcp'] = None\n"
        "from ironclaw_memory.adapters.cli import main\n"
        f"sys.exit(main(['--root', {str(root)!r}, 'mcp']))"
    )
    assert done.returncode == 5
    assert "pip install 'ironclaw-memory[mcp]'" in done.stderr
    assert done.stdout == ""
    assert not root.exists()


@pytest.mark.parametrize("name", ["memory_tool", "async_memory_tool"])
def test_without_the_sdk_the_memory_tool_says_what_to_install(name: str) -> None:
    """`MissingExtra` names the command."""
    done = python(
        "import sys; sys.modules['anthropic'] = None\n"
        "import ironclaw_memory.adapters.anthropic_memory as room\n"
        "from ironclaw_memory.errors import MissingExtra\n"
        "try:\n"
        f"    room.{name}(None, None)\n"
        "except MissingExtra as missing:\n"
        "    print(missing.hint)\n"
    )
    assert "pip install 'ironclaw-memory[anthropic]'" in done.stdout


def test_help_loads_neither_sdk_nor_sandbox() -> None:
    """A cold start pays for what it uses."""
    done = python(
        "import sys\n"
        "from ironclaw_memory.adapters.cli import main\n"
        "main(['mcp', '--help'])\n"
        "heavy = {'mcp', 'anthropic', 'wasmtime', 'starlette', 'uvicorn'} & sys.modules.keys()\n"
        "sys.exit(','.join(heavy) or 0)"
    )
    assert done.returncode == 0, done.stderr
    assert "--allow-write" in done.stdout
