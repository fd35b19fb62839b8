"""What a command must not load, measured in a fresh interpreter."""

import subprocess
import sys
from pathlib import Path

import pytest


HEAVY = ("wasmtime", "pydantic", "jsonschema", "mcp", "asyncio")
CODE = """
import sys
from ironclaw_memory.adapters.cli import main
code = main(sys.argv[1:])
loaded = {name.split(".")[0] for name in sys.modules} & set(%r)
print(f"{code} {sorted(loaded)}", file=sys.stderr)
"""


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("config", "list"),
        ("completion", "bash"),
        ("write", "--help"),
        ("grants",),
        ("tools",),
    ],
    ids=" ".join,
)
def test_a_command_without_a_guest_loads_no_sandbox(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Neither the sandbox nor a validator is imported, and no directory is made."""
    root = tmp_path / "root"
    done = subprocess.run(
        [sys.executable, "-c", CODE % (HEAVY,), "--root", str(root), *words],
        capture_output=True,
        text=True,
        check=True,
    )
    last = done.stderr.splitlines()[-1]
    if "lacks" in done.stderr or "missing or damaged" in done.stderr:
        pytest.skip("the component is not built")
    assert last == "0 []"
    assert not root.exists()
