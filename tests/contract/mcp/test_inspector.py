"""The MCP inspector's command line: a client in another language that we did not write."""

import fcntl
import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import platformdirs
import pytest
from tests.contract.mcp.processes import command, environment


pytestmark = pytest.mark.sandbox

PACKAGE: Final = "@modelcontextprotocol/inspector"
PINNED: Final = (((22, 19), "2.12.0"), ((18, 0), "0.15.0"))
"""The newest Node that a release asks for at least, and the release."""

WAIT_S: Final = 300
STRICT_SINCE: Final = (2, 0)


@dataclass(frozen=True)
class Inspector:
    """An installed inspector and the root that its server works on."""

    program: Path
    version: str
    root: Path

    def run(self, method: str, *words: str, serve: tuple[str, ...] = ()) -> Any:
        """Start our server, call one method of it, and return the result."""
        return json.loads(self.process(method, *words, serve=serve).stdout)

    def process(
        self, method: str, *words: str, serve: tuple[str, ...] = ()
    ) -> "subprocess.CompletedProcess[str]":
        """Do as `run`, and return how the process ended."""
        home = ("-e", f"IRONCLAW_MEMORY_HOME={self.root}")
        called = (str(self.program), "--cli", *home, *words, "--method", method)
        return subprocess.run(
            [*called, "--", *command("mcp", *serve)],
            capture_output=True,
            text=True,
            timeout=WAIT_S,
            check=False,
            env=environment(),
        )


@pytest.fixture(scope="session")
def installed() -> tuple[Path, str]:
    """Install the pinned release once into the cache of this suite; skip where that cannot be."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("Node and npm are not installed")
    release = _release(node)
    shelf = platformdirs.user_cache_path("ironclaw-memory-tests") / f"inspector-{release}"
    program = shelf / "node_modules/.bin/mcp-inspector"
    shelf.mkdir(parents=True, exist_ok=True)
    with (shelf / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            _install(npm, shelf, release)
    return program, release


def _release(node: str) -> str:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    has = tuple(int(part) for part in re.findall(r"\d+", said)[:2])
    for needs, release in PINNED:
        if has >= needs:
            return release
    pytest.skip(f"Node {said.strip()} is older than any pinned inspector takes")


def _install(npm: str, shelf: Path, release: str) -> None:
    command = [
        *(npm, "install", "--prefix", str(shelf), "--ignore-scripts", "--no-audit", "--no-fund"),
        *("--fetch-retries=1", "--fetch-timeout=30000", f"{PACKAGE}@{release}"),
    ]
    try:
        done = subprocess.run(command, capture_output=True, timeout=WAIT_S, check=False)
    except subprocess.TimeoutExpired:  # npm waits long where there is no network
        pytest.skip(f"npm did not install {PACKAGE}@{release} in {WAIT_S:.0f} s")
    if done.returncode:
        pytest.skip(f"npm cannot install {PACKAGE}@{release} here")


@pytest.fixture
def inspector(installed: tuple[Path, str], tmp_path: Path) -> Inspector:
    """An inspector with an empty memory."""
    return Inspector(*installed, tmp_path)


def test_it_lists_the_five_tools(inspector: Inspector) -> None:
    """With the schemas and annotations as they arrive in another language."""
    tools = {tool["name"]: tool for tool in inspector.run("tools/list")["tools"]}
    verbs = ("read", "write", "search", "tree", "profile_set")
    assert tools.keys() == {f"memory_{verb}" for verb in verbs}
    assert all(tool["outputSchema"]["type"] == "object" for tool in tools.values())
    assert tools["memory_read"]["annotations"]["readOnlyHint"] is True


def test_it_writes_and_reads_memory(inspector: Inspector) -> None:
    """It checks our answers against the schemas that we offered."""
    fact = ("--tool-arg", "target=memory", "--tool-arg", "content=Likes tea.")
    written = inspector.run(
        "tools/call", "--tool-name", "memory_write", *fact, serve=("--allow-write",)
    )
    assert written["structuredContent"]["status"] == "written"
    tree = inspector.run("tools/call", "--tool-name", "memory_tree")
    assert tree["structuredContent"] == {"entries": ["MEMORY.md"]}
    (listed,) = inspector.run("resources/list")["resources"]
    (text,) = inspector.run("resources/read", "--uri", listed["uri"])["contents"]
    assert text["text"] == "Likes tea.\n"


def test_a_refused_write_reaches_it_as_an_error_of_the_tool(inspector: Inspector) -> None:
    """Its command line cannot be asked, so it is told the command."""
    fact = ("--tool-arg", "target=memory", "--tool-arg", "content=Likes tea.")
    refused = inspector.run("tools/call", "--tool-name", "memory_write", *fact)
    assert refused["isError"] is True
    assert "ironclaw-memory grant ironclaw.memory.write" in refused["content"][0]["text"]


def test_it_finds_nothing_in_the_schemas_that_clients_may_refuse(inspector: Inspector) -> None:
    """Later releases look for what is lawful and yet not portable."""
    if tuple(int(part) for part in inspector.version.split(".")[:2]) < STRICT_SINCE:
        pytest.skip(f"inspector {inspector.version} has no --strict")
    done = inspector.process("tools/list", "--strict")
    assert done.returncode == 0
    assert "Issue:" not in done.stderr
