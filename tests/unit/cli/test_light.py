"""What a command must not load, measured in a fresh interpreter."""

import subprocess
import sys
from pathlib import Path

import pytest


FULL = Path("/dev/full")
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


CONSOLE = "from ironclaw_memory.adapters.cli.console import console; console()"


@pytest.mark.parametrize(("words", "code"), [(("config", "list", "--json"), 0), (("nothing",), 2)])
def test_the_installed_command_ends_with_its_code_and_says_everything(
    words: tuple[str, ...], code: int
) -> None:
    """It ends its process itself; what was printed into a pipe arrives all the same."""
    done = subprocess.run(
        [sys.executable, "-c", CONSOLE, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert (done.stdout + done.stderr).endswith("\n")


@pytest.mark.parametrize(
    ("words", "code"), [("config list", 0), ("config list --json", 0), ("nothing --json", 2)]
)
@pytest.mark.parametrize("streams", [">&-", "<&- >&- 2>&-", "2>&-", "2>/dev/full"])
def test_the_installed_command_does_without_standard_streams(
    words: str, code: int, streams: str
) -> None:
    """As a job that somebody started with them closed, or with a full disk behind its log."""
    if "full" in streams and not FULL.exists():
        pytest.skip("needs /dev/full, which Linux has")
    script = f'exec "{sys.executable}" -c "{CONSOLE}" {words} {streams}'
    done = subprocess.run(["sh", "-c", script], check=False, capture_output=True, text=True)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full, which Linux has")
def test_a_failure_that_cannot_be_said_keeps_its_exit_code() -> None:
    """A full disk behind standard error changes nothing about what went wrong."""
    script = f'exec "{sys.executable}" -c "{CONSOLE}" nothing 2>/dev/full'
    assert subprocess.run(["sh", "-c", script], check=False).returncode == 2
